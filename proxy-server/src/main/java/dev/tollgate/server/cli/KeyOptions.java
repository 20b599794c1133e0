package dev.tollgate.server.cli;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.tenant.KeyPatch;
import dev.tollgate.server.cli.option.TimePoint;
import dev.tollgate.server.cli.option.UsdConverter;
import dev.tollgate.server.settings.SettingsPart;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
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
      description = "Allowed model, or a pattern such as openai/*; repeatable; none: all models.")
  private @Nullable List<String> models;

  @Option(
      names = "--force",
      description = "Also allow models that the configuration does not have.")
  private boolean force;

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
      paramLabel = TimePoint.LABEL + "|" + NONE,
      description = "Time of expiry: 2027-01-31, 2027-01-31T12:00:00Z or 30d from now.")
  private @Nullable String expires;

  @Option(
      names = "--note",
      paramLabel = "TEXT|" + NONE,
      description = "Note about the key, at most 500 characters.")
  private @Nullable String note;

  /** Returns the part of the configuration that the options refer to. */
  SettingsPart part() {
    return models == null || force ? SettingsPart.STORE : SettingsPart.KEYS;
  }

  /** True if none is given. */
  boolean areNone() {
    return limits.areNone()
        && Stream.of(note, models, modalities, ips, dailyBudget, monthlyBudget, expires)
            .allMatch(Objects::isNull);
  }

  static void requireName(String name) {
    if (name.isBlank() || name.length() > 100) {
      throw new TypeConversionException("--name must have 1 to 100 characters");
    }
  }

  /**
   * Returns the change of a key.
   *
   * @param name null: it stays
   * @throws TypeConversionException if a value cannot be one of a key at this time
   */
  KeyPatch patch(@Nullable String name, Instant now) {
    return new KeyPatch(
        name == null ? Patch.keep() : Patch.set(name),
        note == null ? Patch.keep() : Patch.set(note.equals(NONE) ? null : note),
        models == null ? Patch.keep() : Patch.set(isNone(models) ? List.of() : models),
        modalities == null ? Patch.keep() : Patch.set(modalities(modalities)),
        ips == null ? Patch.keep() : Patch.set(ips(ips)),
        limits.patch(),
        budget(dailyBudget),
        budget(monthlyBudget),
        expires == null ? Patch.keep() : Patch.set(expiry(expires, now)),
        force);
  }

  private static boolean isNone(List<String> values) {
    return values.equals(List.of(NONE));
  }

  private static List<String> modalities(List<String> values) {
    if (isNone(values)) {
      return List.of();
    }
    for (String text : values) {
      if (Modality.parse(text).isEmpty()) {
        throw new TypeConversionException("--allow-modality: unknown modality '" + text + "'");
      }
    }
    return values;
  }

  private static List<String> ips(List<String> values) {
    if (isNone(values)) {
      return List.of();
    }
    try {
      CidrSet.parse(values);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("--allow-ip: " + e.getMessage());
    }
    return values;
  }

  private static Patch<@Nullable Long> budget(@Nullable String text) {
    if (text == null) {
      return Patch.keep();
    }
    return Patch.set(text.equals(NONE) ? null : (Long) new UsdConverter().convert(text).value());
  }

  private static @Nullable Instant expiry(String text, Instant now) {
    if (text.equals(NONE)) {
      return null;
    }
    Instant at;
    try {
      at = new TimePoint.Converter().convert(text).after(now);
    } catch (TypeConversionException e) {
      throw new TypeConversionException("--expires: " + e.getMessage());
    }
    if (!at.isAfter(now)) {
      throw new TypeConversionException("--expires: " + at + " has passed");
    }
    return at;
  }
}
