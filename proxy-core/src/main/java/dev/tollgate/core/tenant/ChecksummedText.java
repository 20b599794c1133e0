package dev.tollgate.core.tenant;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.zip.CRC32;

/**
 * Format of credentials that we issue: a prefix, an 8-character id, random base62 characters and a
 * 6-character checksum of everything before it.
 *
 * @param randomLength number of random characters that a new text has; older and newer texts may
 *     have more
 */
public record ChecksummedText(String prefix, int randomLength) {
  private static final String BASE62 =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int ID_LENGTH = 8;
  private static final int CHECKSUM_LENGTH = 6;
  private static final int LENGTH_MAX = 128;

  /** Returns a new text. */
  public String generate(SecureRandom random) {
    StringBuilder text = new StringBuilder(lengthMin()).append(prefix);
    for (int i = 0; i < ID_LENGTH + randomLength; i++) {
      text.append(BASE62.charAt(random.nextInt(BASE62.length())));
    }
    byte[] ascii = text.toString().getBytes(StandardCharsets.US_ASCII);
    long rest = checksum(ascii, ascii.length);
    char[] digits = new char[CHECKSUM_LENGTH];
    for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
      digits[i] = digit(rest);
      rest /= BASE62.length();
    }
    return text.append(digits).toString();
  }

  /** True if a text that was presented has this format, whether it was ever issued or not. */
  public boolean isWellFormed(String text) {
    if (text.length() < lengthMin() || text.length() > LENGTH_MAX || !text.startsWith(prefix)) {
      return false;
    }
    for (int i = prefix.length(); i < text.length(); i++) {
      if (!isBase62(text.charAt(i))) {
        return false;
      }
    }
    byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
    return isChecksum(checksum(ascii, text.length() - CHECKSUM_LENGTH), text);
  }

  /** Returns the id in a well-formed text. */
  public String idIn(String text) {
    return text.substring(prefix.length(), prefix.length() + ID_LENGTH);
  }

  private int lengthMin() {
    return prefix.length() + ID_LENGTH + randomLength + CHECKSUM_LENGTH;
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
