package dev.tollgate.server.account.signin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * 256 random bits in base64url, for a cookie or a link. Only its SHA-256 is stored, and its {@code
 * toString} does not reveal it.
 */
public final class RandomSecret {
  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String text;

  private RandomSecret(String text) {
    this.text = text;
  }

  public static RandomSecret generate() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return new RandomSecret(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }

  /** Returns the text itself, for the one place that hands it out. */
  public String reveal() {
    return text;
  }

  /** Returns the form that is stored. */
  public byte[] hash() {
    return hash(text);
  }

  /** Returns the stored form of a text that a client presented. */
  public static byte[] hash(String presented) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(presented.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "***";
  }
}
