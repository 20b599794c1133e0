package dev.tollgate.core.id;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The name of one client request: {@code req_} and a ULID, made at admission. The ULID's time is
 * the request's time for ever: budget windows and partitions are derived from it.
 */
public record RequestId(String value) {
  private static final String PREFIX = "req_";
  private static final int ULID_LENGTH = 26;
  private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  /** Makes an id for {@code epochMillis}; its 80 random bits need not be secret. */
  public static RequestId at(long epochMillis) {
    var random = ThreadLocalRandom.current();
    char[] text = new char[PREFIX.length() + ULID_LENGTH];
    PREFIX.getChars(0, PREFIX.length(), text, 0);
    encode(epochMillis, 10, text, PREFIX.length());
    encode(random.nextLong(1L << 40), 8, text, PREFIX.length() + 10);
    encode(random.nextLong(1L << 40), 8, text, PREFIX.length() + 18);
    return new RequestId(new String(text));
  }

  /** A text that no id made earlier is above, and every id made then or later is. */
  public static String lowestAt(long epochMillis) {
    char[] text = new char[PREFIX.length() + 10];
    PREFIX.getChars(0, PREFIX.length(), text, 0);
    encode(epochMillis, 10, text, PREFIX.length());
    return new String(text);
  }

  /** Milliseconds since the epoch at which this id was made. */
  public long epochMillis() {
    long millis = 0;
    for (int i = PREFIX.length(); i < PREFIX.length() + 10; i++) {
      millis = millis << 5 | CROCKFORD.indexOf(value.charAt(i));
    }
    return millis;
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
