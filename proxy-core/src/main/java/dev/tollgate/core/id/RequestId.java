package dev.tollgate.core.id;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Id of one client request, {@code req_} and a ULID, created at admission. The ULID's time is the
 * request's time: budget windows and partitions derive from it.
 */
public record RequestId(String value) {
  private static final String PREFIX = "req_";
  private static final int ULID_LENGTH = 26;
  private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  // Value of each character, in a table because ids are decoded several times per request.
  private static final byte[] BITS = bits();

  /** Returns a new id for {@code epochMillis}; its 80 random bits need not be secret. */
  public static RequestId at(long epochMillis) {
    var random = ThreadLocalRandom.current();
    char[] text = new char[PREFIX.length() + ULID_LENGTH];
    PREFIX.getChars(0, PREFIX.length(), text, 0);
    encode(epochMillis, 10, text, PREFIX.length());
    encode(random.nextLong(1L << 40), 8, text, PREFIX.length() + 10);
    encode(random.nextLong(1L << 40), 8, text, PREFIX.length() + 18);
    return new RequestId(new String(text));
  }

  /**
   * Returns a text that is greater than every id made before a time, and less than every id made
   * then or later.
   */
  public static String lowestAt(long epochMillis) {
    char[] text = new char[PREFIX.length() + 10];
    PREFIX.getChars(0, PREFIX.length(), text, 0);
    encode(epochMillis, 10, text, PREFIX.length());
    return new String(text);
  }

  /** Returns the time of this id, in milliseconds since the Unix epoch. */
  public long epochMillis() {
    long millis = 0;
    for (int i = PREFIX.length(); i < PREFIX.length() + 10; i++) {
      millis = millis << 5 | BITS[value.charAt(i) & 0x7f];
    }
    return millis;
  }

  private static byte[] bits() {
    byte[] bits = new byte[128];
    Arrays.fill(bits, (byte) -1);
    for (int i = 0; i < CROCKFORD.length(); i++) {
      bits[CROCKFORD.charAt(i)] = (byte) i;
    }
    return bits;
  }

  private static void encode(long bits, int digits, char[] into, int from) {
    for (int i = digits - 1; i >= 0; i--) {
      into[from + i] = CROCKFORD.charAt((int) (bits & 31));
      bits >>>= 5;
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
