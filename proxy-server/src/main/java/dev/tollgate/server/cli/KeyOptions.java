package dev.tollgate.server.cli;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Command line options for a new API key: its scope and limits. A limit that is not given is the
 * gateway's default.
 */
final class KeyOptions {
  @Option(names = "--name", required = true, paramLabel = "NAME", description = "The key's name.")
  private String name = "";

  @Option(
      names = "--allow-model",
      split = ",",
      paramLabel = "MODEL",
      description = "Allowed model; repeatable. Without it: all models.")
  private List<String> models = List.of();

  @Option(
      names = "--allow-modality",
      split = ",",
      paramLabel = "MODALITY",
      description =
          "Allowed modality: chat, completion, embedding, speech, transcription, image, video,"
              + " music.")
  private List<String> modalities = List.of();

  @Option(
      names = "--allow-ip",
      split = ",",
      paramLabel = "CIDR",
      description = "Allowed client address or block; repeatable. Without it: all.")
  private List<String> ips = List.of();

  @Mixin private LimitOptions limits = new LimitOptions();

  @Option(
      names = "--daily-budget",
      paramLabel = "USD",
      converter = UsdConverter.class,
      description = "Budget per calendar day (UTC).")
  private @Nullable MicroUsd dailyBudget;

  @Option(
      names = "--monthly-budget",
      paramLabel = "USD",
      converter = UsdConverter.class,
      description = "Budget per calendar month (UTC).")
  private @Nullable MicroUsd monthlyBudget;

  @Option(
      names = "--expires",
      paramLabel = "TIME",
      description = "Time of expiry: 2027-01-31 or 2027-01-31T12:00:00Z.")
  private @Nullable String expires;

  /** Returns the key that these options describe. */
  ApiKeys.ApiKeySpec spec(Instant now) {
    if (name.isBlank() || name.length() > 100) {
      throw new TypeConversionException("--name must have 1 to 100 characters");
    }
    models.forEach(KeyOptions::requireModel);
    modalities.forEach(KeyOptions::requireModality);
    requireIps();
    return new ApiKeys.ApiKeySpec(
        name,
        new KeyScope(Set.copyOf(models), Set.copyOf(modalities), Set.copyOf(ips)),
        limits.applyTo(new KeyLimits(null, null, null, null, dailyBudget, monthlyBudget)),
        expires == null ? null : expiry(expires, now));
  }

  private static void requireModel(String text) {
    if (ModelId.parse(text).isEmpty()) {
      throw new TypeConversionException(
          "--allow-model: '" + text + "' is not of the form vendor/name");
    }
  }

  private static void requireModality(String text) {
    if (Modality.parse(text).isEmpty()) {
      throw new TypeConversionException("--allow-modality: unknown modality '" + text + "'");
    }
  }

  private void requireIps() {
    try {
      CidrSet.parse(ips);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("--allow-ip: " + e.getMessage());
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
