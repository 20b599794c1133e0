package dev.tollgate.core.id;

/**
 * Public part of an API key, which identifies it: the 8 base62 characters after {@code sk-llm-}. It
 * may be logged.
 */
public record KeyId(String value) {
  @Override
  public String toString() {
    return value;
  }
}
