package dev.tollgate.core.catalog;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * API key in the pool of keys with which the gateway calls one provider.
 *
 * @param token fetched with the key and sent in its place; empty means the key itself is sent
 * @param weight its share of the requests
 * @param fingerprint names the key without revealing it; the key's health is kept under it over
 *     reloads
 */
public record Credential(Secret key, Optional<AccessToken> token, int weight, String fingerprint) {
  private static final int WEIGHT_USUAL = 100;
  private static final int FINGERPRINT_BYTES = 6;

  public Credential(Secret key, int weight) {
    this(key, Optional.empty(), weight, fingerprint(key));
  }

  /** Returns the only key of a provider. */
  public static Credential of(Secret key) {
    return new Credential(key, WEIGHT_USUAL);
  }

  /** Returns the only key of a provider that gets a token in its place. */
  public static Credential of(Secret key, AccessToken token) {
    return new Credential(key, Optional.of(token), WEIGHT_USUAL, fingerprint(key));
  }

  /** Returns the secret to send; empty means there is no token yet. */
  public Optional<Secret> effectiveSecret() {
    return token.isEmpty() ? Optional.of(key) : token.get().current();
  }

  private static String fingerprint(Secret key) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(key.reveal().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
