package dev.tollgate.server.cli;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Command line options that change an API key: its scope, limits, budgets and expiry. What is not
 * given stays as it is.
 */
final class KeyOptions {
  /** Value that removes a restriction, a budget or the expiry. */
  private static final String NONE = "none";

  @Option(
      names = "--allow-model",
      split = ",",
      paramLabel = "MODEL",
      description = "Allowed model; repeatable; none: all models.")
  private @Nullable List<String> models;

  @Option(
      names = "--allow-modality",
      split = ",",
      paramLabel = "MODALITY",
      description =
          "Allowed modality: chat, completion, embedding, speech, transcription, image, video,"
              + " music; none: all.")
  private @Nullable List<String> modalities;

  @Option(
      names = "--allow-ip",
      split = ",",
      paramLabel = "CIDR",
      description = "Allowed client address or block; repeatable; none: all.")
  private @Nullable List<String> ips;

  @Mixin private LimitOptions limits = new LimitOptions();

  @Option(
      names = "--daily-budget",
      paramLabel = "USD|" + NONE,
      description = "Budget per calendar day (UTC).")
  private @Nullable String dailyBudget;

  @Option(
      names = "--monthly-budget",
      paramLabel = "USD|" + NONE,
      description = "Budget per calendar month (UTC).")
  private @Nullable String monthlyBudget;

  @Option(
      names = "--expires",
      paramLabel = "TIME|" + NONE,
      description = "Time of expiry: 2027-01-31 or 2027-01-31T12:00:00Z.")
  private @Nullable String expires;

  /** True if none is given. */
  boolean areNone() {
    return limits.areNone()
        && Stream.of(models, modalities, ips, dailyBudget, monthlyBudget, expires)
            .allMatch(Objects::isNull);
  }

  static void requireName(String name) {
    if (name.isBlank() || name.length() > 100) {
      throw new TypeConversionException("--name must have 1 to 100 characters");
    }
  }

  /**
   * Returns the key with these changes.
   *
   * @throws TypeConversionException if a value cannot be one of a key at this time
   */
  ApiKeySpec applyTo(ApiKeySpec current, Instant now) {
    KeyScope scope = current.scope();
    KeyLimits budgets = current.limits();
    return new ApiKeySpec(
        current.name(),
        new KeyScope(
            models == null ? scope.allowedModels() : models(models),
            modalities == null ? scope.allowedModalities() : modalities(modalities),
            ips == null ? scope.allowedIps() : ips(ips)),
        limits
            .applyTo(budgets)
            .withBudgets(
                dailyBudget == null ? budgets.dailyBudget() : budget(dailyBudget),
                monthlyBudget == null ? budgets.monthlyBudget() : budget(monthlyBudget)),
        expires == null ? current.expiresAt() : expiry(expires, now));
  }

  private static boolean isNone(List<String> values) {
    return values.equals(List.of(NONE));
  }

  private static Set<String> models(List<String> values) {
    if (isNone(values)) {
      return Set.of();
    }
    for (String text : values) {
      if (ModelId.parse(text).isEmpty()) {
        throw new TypeConversionException(
            "--allow-model: '" + text + "' is not of the form vendor/name");
      }
    }
    return Set.copyOf(values);
  }

  private static Set<String> modalities(List<String> values) {
    if (isNone(values)) {
      return Set.of();
    }
    for (String text : values) {
      if (Modality.parse(text).isEmpty()) {
        throw new TypeConversionException("--allow-modality: unknown modality '" + text + "'");
      }
    }
    return Set.copyOf(values);
  }

  private static Set<String> ips(List<String> values) {
    if (isNone(values)) {
      return Set.of();
    }
    try {
      CidrSet.parse(values);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("--allow-ip: " + e.getMessage());
    }
    return Set.copyOf(values);
  }

  private static @Nullable MicroUsd budget(String text) {
    return text.equals(NONE) ? null : new UsdConverter().convert(text);
  }

  private static @Nullable Instant expiry(String text, Instant now) {
    if (text.equals(NONE)) {
      return null;
    }
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
