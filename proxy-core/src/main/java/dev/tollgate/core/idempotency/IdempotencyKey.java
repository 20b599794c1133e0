package dev.tollgate.core.idempotency;

import java.util.Optional;

/** The name that a client gives to one submission, so that sending it again is no second one. */
public record IdempotencyKey(String text) {
  /** The header that names it. */
  public static final String FIELD = "Idempotency-Key";

  public static final int LENGTH_MAX = 255;

  public IdempotencyKey {
    if (!isValid(text)) {
      throw new IllegalArgumentException("no idempotency key");
    }
  }

  /** The key that a header holds; empty where that is none. */
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
