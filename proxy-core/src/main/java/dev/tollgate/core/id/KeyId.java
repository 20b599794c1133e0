package dev.tollgate.core.id;

/** The public part of an API key: the 8 base62 characters behind {@code sk-llm-}. Safe to log. */
public record KeyId(String value) {
  @Override
  public String toString() {
    return value;
  }
}
