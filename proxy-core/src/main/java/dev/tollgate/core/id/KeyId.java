package dev.tollgate.core.id;

/**
 * Id of an API key, its public part: the 8 base62 characters after {@code sk-llm-}. Safe to log.
 */
public record KeyId(String value) {
  @Override
  public String toString() {
    return value;
  }
}
