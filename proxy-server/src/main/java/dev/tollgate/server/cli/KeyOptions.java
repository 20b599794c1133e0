package dev.tollgate.server.cli;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What a new key may do and how much of it; what is not given is not limited by the key. */
final class KeyOptions {
  @Option(names = "--name", required = true, paramLabel = "NAME", description = "The key's name.")
  private String name = "";

  @Option(
      names = "--allow-model",
      split = ",",
      paramLabel = "MODEL",
      description = "Only this model; may be given more than once.")
  private List<String> models = List.of();

  @Option(
      names = "--allow-modality",
      split = ",",
      paramLabel = "MODALITY",
      description = "Only chat, completion, embedding, speech, transcription, image, video, music.")
  private List<String> modalities = List.of();

  @Option(
      names = "--allow-ip",
      split = ",",
      paramLabel = "CIDR",
      description = "Only from this address or block.")
  private List<String> ips = List.of();

  @Option(names = "--requests-per-second", paramLabel = "N", description = "0: off.")
  private @Nullable Integer requestsPerSecond;

  @Option(names = "--requests-per-minute", paramLabel = "N", description = "0: off.")
  private @Nullable Integer requestsPerMinute;

  @Option(names = "--tokens-per-minute", paramLabel = "N", description = "0: off.")
  private @Nullable Long tokensPerMinute;

  @Option(names = "--concurrency", paramLabel = "N", description = "Requests at once; 0: off.")
  private @Nullable Integer concurrency;

  @Option(
      names = "--daily-budget",
      paramLabel = "USD",
      converter = UsdConverter.class,
      description = "Per calendar day (UTC).")
  private @Nullable MicroUsd dailyBudget;

  @Option(
      names = "--monthly-budget",
      paramLabel = "USD",
      converter = UsdConverter.class,
      description = "Per calendar month (UTC).")
  private @Nullable MicroUsd monthlyBudget;

  @Option(
      names = "--expires",
      paramLabel = "TIME",
      description = "Refused from then on: 2027-01-31 or 2027-01-31T12:00:00Z.")
  private @Nullable String expires;

  /** The wish that these options express. */
  ApiKeys.ApiKeySpec spec(Instant now) {
    if (name.isBlank() || name.length() > 100) {
      throw new TypeConversionException("--name has 1 to 100 characters");
    }
    models.forEach(KeyOptions::requireModel);
    modalities.forEach(KeyOptions::requireModality);
    requireIps();
    return new ApiKeys.ApiKeySpec(
        name,
        new KeyScope(Set.copyOf(models), Set.copyOf(modalities), Set.copyOf(ips)),
        limits(),
        expires == null ? null : expiry(expires, now));
  }

  private KeyLimits limits() {
    requireLimit("--requests-per-second", requestsPerSecond);
    requireLimit("--requests-per-minute", requestsPerMinute);
    requireLimit("--tokens-per-minute", tokensPerMinute);
    requireLimit("--concurrency", concurrency);
    return new KeyLimits(
        requestsPerSecond,
        requestsPerMinute,
        tokensPerMinute,
        concurrency,
        dailyBudget,
        monthlyBudget);
  }

  private static void requireModel(String text) {
    if (ModelId.parse(text).isEmpty()) {
      throw new TypeConversionException(
          "--allow-model: '" + text + "' is not of the form vendor/name");
    }
  }

  private static void requireModality(String text) {
    if (Modality.parse(text).isEmpty()) {
      throw new TypeConversionException("--allow-modality: there is no modality '" + text + "'");
    }
  }

  private void requireIps() {
    try {
      CidrSet.parse(ips);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("--allow-ip: " + e.getMessage());
    }
  }

  private static void requireLimit(String option, @Nullable Number value) {
    if (value != null && !NewLimit.isLimit(value.longValue())) {
      throw new TypeConversionException(option + " is 0 to " + Bucket.CAPACITY_MAX);
    }
  }

  private static Instant expiry(String text, Instant now) {
    Instant at;
    try {
      at =
          text.length() == 10
              ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
              : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "--expires: '" + text + "' is neither 2027-01-31 nor 2027-01-31T12:00:00Z");
    }
    if (!at.isAfter(now)) {
      throw new TypeConversionException("--expires: " + at + " has passed");
    }
    return at;
  }
}
