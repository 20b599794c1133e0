package dev.tollgate.core.webhook;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What an organization and its receivers share: random bytes, shown as {@code whsec_} and their
 * Base64. Never prints itself.
 */
public final class WebhookSecret {
  private static final String ALGORITHM = "HmacSHA256";
  private static final String PREFIX = "whsec_";

  /** Of Standard Webhooks, which takes 24 to 64. */
  private static final int BYTES_MIN = 24;

  private static final int BYTES_MAX = 64;

  private final byte[] bytes;

  public WebhookSecret(byte[] bytes) {
    if (bytes.length < BYTES_MIN || bytes.length > BYTES_MAX) {
      throw new IllegalArgumentException("a secret of " + bytes.length + " bytes");
    }
    this.bytes = bytes.clone();
  }

  /** As people see it. */
  public String reveal() {
    return PREFIX + Base64.getEncoder().encodeToString(bytes);
  }

  /** A MAC that is keyed with the bytes. */
  Mac macKeyedByBytes() {
    return mac(bytes);
  }

  /** A MAC that is keyed with the text that people see. */
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
