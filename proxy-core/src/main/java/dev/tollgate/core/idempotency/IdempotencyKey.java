package dev.tollgate.core.idempotency;

import java.util.Optional;

/**
 * Value of the {@code Idempotency-Key} header, by which a client marks repeats of one submission so
 * that it is not carried out twice.
 */
public record IdempotencyKey(String text) {
  /** Name of the header field. */
  public static final String FIELD = "Idempotency-Key";

  public static final int LENGTH_MAX = 255;

  public IdempotencyKey {
    if (!isValid(text)) {
      throw new IllegalArgumentException("not an idempotency key");
    }
  }

  /** Returns the key in a header field's value; empty if the value is invalid. */
  public static Optional<IdempotencyKey> of(String text) {
    return isValid(text) ? Optional.of(new IdempotencyKey(text)) : Optional.empty();
  }

  private static boolean isValid(String text) {
    return !text.isEmpty()
        && text.length() <= LENGTH_MAX
        && text.chars().noneMatch(Character::isISOControl);
  }

  @Override
  public String toString() {
    return text;
  }
}
