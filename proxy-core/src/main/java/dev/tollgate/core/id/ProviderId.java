package dev.tollgate.core.id;

/**
 * Slug that identifies a provider in the configuration and to clients: {@code
 * [a-z0-9][a-z0-9._-]*}.
 */
public record ProviderId(String value) {
  public ProviderId {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a provider slug: " + value);
    }
  }

  /** True if {@code text} is a slug of at most 64 characters. */
  public static boolean isValid(String text) {
    if (text.isEmpty() || text.length() > 64 || !isAlphanumeric(text.charAt(0))) {
      return false;
    }
    return text.chars().allMatch(c -> isAlphanumeric(c) || c == '.' || c == '_' || c == '-');
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  @Override
  public String toString() {
    return value;
  }
}
