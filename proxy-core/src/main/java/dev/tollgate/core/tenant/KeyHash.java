package dev.tollgate.core.tenant;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * SHA-256 of an API key's text, the only form in which the secret is stored and looked up
 * (docs/decisions/keys.md#hash).
 */
public final class KeyHash {
  /** Reused, because creating a digest costs more than the hash. */
  private static final ThreadLocal<MessageDigest> DIGEST = ThreadLocal.withInitial(KeyHash::sha256);

  private final byte[] sha256;

  private KeyHash(byte[] sha256) {
    this.sha256 = sha256;
  }

  public static KeyHash of(String secret) {
    return new KeyHash(DIGEST.get().digest(secret.getBytes(StandardCharsets.ISO_8859_1)));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** Returns a copy of the 32 bytes. */
  public byte[] bytes() {
    return sha256.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyHash hash && MessageDigest.isEqual(sha256, hash.sha256);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sha256);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(sha256, 0, 4) + "…";
  }
}
