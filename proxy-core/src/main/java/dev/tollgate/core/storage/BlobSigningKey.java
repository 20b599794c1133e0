package dev.tollgate.core.storage;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Secret key, with its id, that signs the URLs of blobs served by the gateway itself.
 *
 * @param id names the key in a URL and reveals nothing of it
 * @param secret 64 hexadecimal digits
 */
public record BlobSigningKey(String id, String secret) {
  private static final Pattern FORM = Pattern.compile("[0-9a-f]{8} [0-9a-f]{64}");

  /** Parses a key in the form of {@link #text()}; empty if the text is not one. */
  public static Optional<BlobSigningKey> parse(String text) {
    return FORM.matcher(text).matches()
        ? Optional.of(new BlobSigningKey(text.substring(0, 8), text.substring(9)))
        : Optional.empty();
  }

  /** Returns the form in which a key is stored. */
  public String text() {
    return id + " " + secret;
  }

  @Override
  public String toString() {
    return id;
  }
}
