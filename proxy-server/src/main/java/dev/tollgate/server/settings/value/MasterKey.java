package dev.tollgate.server.settings.value;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** AES-256 key that encrypts other secrets, written in Base64. Its toString hides the key. */
public final class MasterKey {
  private static final int BYTES = 32;
  private static final int ID_BYTES = 8;
  private static final byte[] ID_LABEL = "tollgate master key".getBytes(US_ASCII);

  private final byte[] bytes;
  private final String id;

  private MasterKey(byte[] bytes) {
    this.bytes = bytes;
    this.id = id(bytes);
  }

  /** Returns the key; empty if the text is not the Base64 of 32 bytes. */
  public static Optional<MasterKey> parse(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      return bytes.length == BYTES ? Optional.of(new MasterKey(bytes)) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns the name that is stored with every encrypted secret: 16 hexadecimal digits derived from
   * the key, so that the right key is found whatever the order of the list.
   */
  public String id() {
    return id;
  }

  public SecretKey aes() {
    return new SecretKeySpec(bytes, "AES");
  }

  private static String id(byte[] key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(ID_LABEL), 0, ID_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC with SHA-256", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MasterKey key && Arrays.equals(key.bytes, bytes);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "***";
  }
}
