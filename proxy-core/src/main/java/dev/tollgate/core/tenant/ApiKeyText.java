package dev.tollgate.core.tenant;

import dev.tollgate.core.id.KeyId;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.zip.CRC32;

/**
 * Text of an API key: {@code sk-llm-}, the 8-character key id, at least 32 random base62 characters
 * and a 6-character checksum of everything before it (docs/decisions/keys.md#text). With the
 * checksum a malformed text is refused without a lookup, and secret scanners can tell a leaked key
 * from noise.
 */
public final class ApiKeyText {
  public static final String PREFIX = "sk-llm-";
  private static final String BASE62 =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int ID_LENGTH = 8;
  private static final int RANDOM_LENGTH = 32;
  private static final int CHECKSUM_LENGTH = 6;
  private static final int LENGTH_MIN =
      PREFIX.length() + ID_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH;
  private static final int LENGTH_MAX = 128;

  private ApiKeyText() {}

  /** Result of parsing. */
  public sealed interface ParsedKey {}

  /** A well-formed key, which may not exist. */
  public record ValidKey(KeyId keyId, String text) implements ParsedKey {
    public KeyHash hash() {
      return KeyHash.of(text);
    }

    public String lastFour() {
      return text.substring(text.length() - 4);
    }

    /** Returns a form without the secret. */
    @Override
    public String toString() {
      return PREFIX + keyId + "…" + lastFour();
    }
  }

  /** Any other text. */
  public record MalformedKey() implements ParsedKey {}

  private static final MalformedKey MALFORMED = new MalformedKey();

  /** Makes a new key of 190 random bits. */
  public static ValidKey generate(SecureRandom random) {
    StringBuilder text = new StringBuilder(LENGTH_MIN).append(PREFIX);
    for (int i = 0; i < ID_LENGTH + RANDOM_LENGTH; i++) {
      text.append(BASE62.charAt(random.nextInt(BASE62.length())));
    }
    byte[] ascii = text.toString().getBytes(StandardCharsets.US_ASCII);
    long rest = checksum(ascii, ascii.length);
    char[] digits = new char[CHECKSUM_LENGTH];
    for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
      digits[i] = digit(rest);
      rest /= BASE62.length();
    }
    text.append(digits);
    return new ValidKey(idIn(text.toString()), text.toString());
  }

  /** Reads a text that a client or an operator presented. */
  public static ParsedKey parse(String text) {
    if (text.length() < LENGTH_MIN || text.length() > LENGTH_MAX || !text.startsWith(PREFIX)) {
      return MALFORMED;
    }
    for (int i = PREFIX.length(); i < text.length(); i++) {
      if (!isBase62(text.charAt(i))) {
        return MALFORMED;
      }
    }
    int end = text.length() - CHECKSUM_LENGTH;
    byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
    return isChecksum(checksum(ascii, end), text) ? new ValidKey(idIn(text), text) : MALFORMED;
  }

  private static KeyId idIn(String text) {
    return new KeyId(text.substring(PREFIX.length(), PREFIX.length() + ID_LENGTH));
  }

  private static boolean isBase62(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  private static long checksum(byte[] ascii, int end) {
    CRC32 crc = new CRC32();
    crc.update(ascii, 0, end);
    return crc.getValue();
  }

  /** True if the text ends in the checksum as a base62 number; 6 digits hold every 32-bit value. */
  private static boolean isChecksum(long checksum, String text) {
    long rest = checksum;
    for (int i = 1; i <= CHECKSUM_LENGTH; i++) {
      if (text.charAt(text.length() - i) != digit(rest)) {
        return false;
      }
      rest /= BASE62.length();
    }
    return true;
  }

  /** Returns the last base62 digit of a number. */
  private static char digit(long number) {
    return BASE62.charAt((int) (number % BASE62.length()));
  }
}
