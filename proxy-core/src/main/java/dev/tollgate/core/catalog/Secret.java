package dev.tollgate.core.catalog;

/** Confidential string, such as an API key, whose {@code toString} does not reveal it. */
public final class Secret {
  private final String value;

  public Secret(String value) {
    this.value = value;
  }

  /** Returns the text itself, for the one place that puts it on the wire. */
  public String reveal() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && secret.value.equals(value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return "***";
  }
}
