package dev.tollgate.core.job;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** The name of a job, which its provider knows it by, too. */
public record JobId(UUID value) {
  private static final Pattern FORM =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

  /** A name that nobody has. */
  public static JobId fresh() {
    return new JobId(UUID.randomUUID());
  }

  /** The name that a text is; empty: there is no job of such a name. */
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
