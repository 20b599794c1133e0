package dev.tollgate.core.catalog;

import java.util.Collection;

/** Confidential string, such as an API key, whose {@code toString} does not reveal it. */
public final class Secret {
  /** Length of the shortest text that can be a credential; replacing others would mar messages. */
  private static final int CREDENTIAL_LENGTH_MIN = 8;

  private final String value;

  public Secret(String value) {
    this.value = value;
  }

  /** Returns the text itself, for the one place that puts it on the wire. */
  public String reveal() {
    return value;
  }

  /**
   * Returns a peer's text with {@code ***} for each of the credentials that were sent to it, and
   * for their parts.
   */
  public static String redact(String text, Collection<String> sent) {
    String redacted = text;
    for (String credential : sent) {
      if (credential.length() >= CREDENTIAL_LENGTH_MIN) {
        redacted = redacted.replace(credential, "***");
      }
    }
    return CredentialTraces.of(sent).removedFrom(redacted);
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
