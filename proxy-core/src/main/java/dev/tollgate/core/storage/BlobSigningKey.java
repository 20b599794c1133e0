package dev.tollgate.core.storage;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What URLs of blobs that this gateway serves itself are signed with.
 *
 * @param id names the key in a URL, and tells nothing of it
 * @param secret 64 hexadecimal digits
 */
public record BlobSigningKey(String id, String secret) {
  private static final Pattern FORM = Pattern.compile("[0-9a-f]{8} [0-9a-f]{64}");

  /** A key as {@link #text()} prints it; empty: it is none. */
  public static Optional<BlobSigningKey> parse(String text) {
    return FORM.matcher(text).matches()
        ? Optional.of(new BlobSigningKey(text.substring(0, 8), text.substring(9)))
        : Optional.empty();
  }

  /** The form in which a key is kept. */
  public String text() {
    return id + " " + secret;
  }

  @Override
  public String toString() {
    return id;
  }
}
