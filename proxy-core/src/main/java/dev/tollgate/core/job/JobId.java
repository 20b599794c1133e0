package dev.tollgate.core.job;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** UUID of a media job, which its provider gets as the idempotency key. */
public record JobId(UUID value) {
  private static final Pattern FORM =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** Returns a random new id. */
  public static JobId fresh() {
    return new JobId(UUID.randomUUID());
  }

  /** Parses an id; empty if no job can have such an id. */
  public static Optional<JobId> parse(String text) {
    return FORM.matcher(text).matches()
        ? Optional.of(new JobId(UUID.fromString(text)))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
