package dev.tollgate.core.webhook;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secret that signs webhooks, shared by an organization and its receivers. It consists of random
 * bytes, displayed as {@code whsec_} and Base64. Its {@code toString} does not reveal it.
 */
public final class WebhookSecret {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String PREFIX = "whsec_";

  /** Minimum of Standard Webhooks, whose secrets have 24 to 64 bytes. */
  private static final int BYTES_MIN = 24;

  private static final int BYTES_MAX = 64;

  private final byte[] bytes;

  public WebhookSecret(byte[] bytes) {
    if (bytes.length < BYTES_MIN || bytes.length > BYTES_MAX) {
      throw new IllegalArgumentException("a secret of " + bytes.length + " bytes");
    }
    this.bytes = bytes.clone();
  }

  /** Returns the secret in its displayed form. */
  public String reveal() {
    return PREFIX + Base64.getEncoder().encodeToString(bytes);
  }

  /** Returns a MAC keyed with the bytes. */
  Mac macKeyedByBytes() {
    return mac(bytes);
  }

  /** Returns a MAC keyed with the displayed text. */
  Mac macKeyedByText() {
    return mac(reveal().getBytes(US_ASCII));
  }

  private static Mac mac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return "***";
  }
}
