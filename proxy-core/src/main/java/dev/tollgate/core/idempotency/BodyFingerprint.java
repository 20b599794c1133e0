package dev.tollgate.core.idempotency;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.http.multipart.MultipartBoundary;
import dev.tollgate.core.http.multipart.MultipartReader;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fingerprint of a request body, equal for repeats of one submission. It is the SHA-256 of the
 * bytes, or of a form's parts without their delimiters, which clients generate anew for each
 * attempt. The array must not change. Used by one thread at a time.
 */
public final class BodyFingerprint {
  private static final byte[] FORM = "form".getBytes(US_ASCII);
  private static final int DASHES = 2;

  private final byte[] bytes;
  private final int length;
  private final String contentType;
  private byte @Nullable [] computed;

  /**
   * @param contentType the content type of a form; empty for any other body
   */
  public BodyFingerprint(byte[] bytes, int length, String contentType) {
    this.bytes = bytes;
    this.length = length;
    this.contentType = contentType;
  }

  /**
   * Returns the hash, computed on the first call: tens of milliseconds for tens of megabytes, so
   * not on an event loop.
   */
  public byte[] sha256() {
    byte[] known = computed == null ? compute() : computed;
    computed = known;
    return known.clone();
  }

  private byte[] compute() {
    MessageDigest digest = digest();
    Optional<MultipartBoundary> boundary = MultipartBoundary.of(contentType);
    if (boundary.isPresent()) {
      var reader = new MultipartReader(boundary.get());
      reader.read(bytes, length);
      if (reader.isComplete()) {
        return ofParts(reader.parts(), boundary.get().text().length() + DASHES, digest);
      }
    }
    digest.update(bytes, 0, length);
    return digest.digest();
  }

  /**
   * Hashes each part with its head, preceded by its length, so that no bytes can move between parts
   * without changing the hash.
   */
  private byte[] ofParts(List<FormPart> parts, int delimiterBytes, MessageDigest digest) {
    digest.update(FORM);
    for (FormPart part : parts) {
      int from = part.start() + delimiterBytes;
      int size = part.to() - from;
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(size).flip());
      digest.update(bytes, from, size);
    }
    return digest.digest();
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
