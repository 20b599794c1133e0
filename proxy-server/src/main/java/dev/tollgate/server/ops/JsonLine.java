package dev.tollgate.server.ops;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writer of one line of JSON in UTF-8, for log lines and rows of requests. It is fast because every
 * request needs a line: names are encoded once and plain text is copied. {@link #bytes} ends a
 * line, and the writer can be reused then. Confined to one thread.
 */
final class JsonLine {
  private static final int BYTES_AT_FIRST = 2048;
  private static final int BYTES_KEPT = 16 * 1024;
  private static final int NUMBER_BYTES_MAX = 20;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[BYTES_AT_FIRST];
  private int size;
  private boolean comma;

  /** Encoded name of a JSON member. */
  static final class Name {
    private final byte[] quoted;

    private Name(String plain) {
      quoted = ('"' + plain + "\":").getBytes(StandardCharsets.US_ASCII);
    }
  }

  /**
   * @param plain name without characters that JSON escapes
   */
  static Name name(String plain) {
    return new Name(plain);
  }

  void begin(char bracket) {
    separate();
    room(1);
    bytes[size++] = (byte) bracket;
    comma = false;
  }

  void end(char bracket) {
    room(1);
    bytes[size++] = (byte) bracket;
    comma = true;
  }

  /** Writes the name of a member; the next value that is written belongs to it. */
  void member(Name name) {
    separate();
    append(name.quoted);
    comma = false;
  }

  void text(Name name, String text) {
    member(name);
    quoted(text);
    comma = true;
  }

  /** Writes a text that is known to be of plain ASCII characters, such as an id or a keyword. */
  void word(Name name, String plain) {
    member(name);
    room(plain.length() + 2);
    bytes[size++] = '"';
    ascii(plain);
    bytes[size++] = '"';
    comma = true;
  }

  /** Writes a text as an element of an array. */
  void text(String text) {
    separate();
    quoted(text);
    comma = true;
  }

  void textIfAny(Name name, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      text(name, text);
    }
  }

  void bool(Name name, boolean value) {
    member(name);
    ascii(value ? "true" : "false");
    comma = true;
  }

  void number(Name name, long number) {
    member(name);
    digits(number);
    comma = true;
  }

  /** Writes a duration in milliseconds, with three decimals. */
  void millis(Name name, long nanos) {
    member(name);
    long micros = nanos / 1_000;
    if (micros < 0) {
      room(1);
      bytes[size++] = '-';
      micros = -micros;
    }
    digits(micros / 1_000);
    room(4);
    bytes[size++] = '.';
    padded((int) (micros % 1_000), 3);
    comma = true;
  }

  /** Writes a timestamp in UTC with milliseconds, in ISO 8601. */
  void instant(Name name, long epochMillis) {
    member(name);
    long day = Math.floorDiv(epochMillis, 86_400_000L);
    int millis = (int) Math.floorMod(epochMillis, 86_400_000L);
    room(26);
    bytes[size++] = '"';
    date(day);
    bytes[size++] = 'T';
    padded(millis / 3_600_000, 2);
    bytes[size++] = ':';
    padded(millis / 60_000 % 60, 2);
    bytes[size++] = ':';
    padded(millis / 1_000 % 60, 2);
    bytes[size++] = '.';
    padded(millis % 1_000, 3);
    bytes[size++] = 'Z';
    bytes[size++] = '"';
    comma = true;
  }

  /** Returns the bytes of the line and resets the writer. */
  byte[] bytes() {
    byte[] written = Arrays.copyOf(bytes, size);
    size = 0;
    comma = false;
    if (bytes.length > BYTES_KEPT) {
      bytes = new byte[BYTES_AT_FIRST];
    }
    return written;
  }

  /** Writes one byte after the document. */
  void terminate(char terminator) {
    room(1);
    bytes[size++] = (byte) terminator;
  }

  // A day of the proleptic Gregorian calendar from its number, in eras of 400 years from March on.
  private void date(long epochDay) {
    long shifted = epochDay + 719_468;
    long era = Math.floorDiv(shifted, 146_097L);
    int dayOfEra = (int) Math.floorMod(shifted, 146_097L);
    int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int month = (5 * dayOfYear + 2) / 153;
    int day = dayOfYear - (153 * month + 2) / 5 + 1;
    int calendarMonth = month < 10 ? month + 3 : month - 9;
    padded((int) (yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0)), 4);
    bytes[size++] = '-';
    padded(calendarMonth, 2);
    bytes[size++] = '-';
    padded(day, 2);
  }

  private void padded(int number, int width) {
    int rest = number;
    for (int at = size + width - 1; at >= size; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    size += width;
  }

  private void digits(long number) {
    if (number < 0) {
      ascii(Long.toString(number));
      return;
    }
    room(NUMBER_BYTES_MAX);
    int width = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      width++;
    }
    long rest = number;
    for (int at = size + width - 1; at >= size; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    size += width;
  }

  private void quoted(String text) {
    room(text.length() + 2);
    bytes[size++] = '"';
    if (isPlain(text)) {
      ascii(text);
    } else {
      escaped(text);
    }
    room(1);
    bytes[size++] = '"';
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isPlain(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPlain(char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  }

  /**
   * Writes a text with every character beyond plain ASCII escaped, so that the line stays one line
   * for every reader. An unpaired surrogate is not a character, and a database could not parse the
   * line.
   */
  private void escaped(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = isLoneSurrogate(text, i) ? '?' : text.charAt(i);
      room(6);
      if (isPlain(c)) {
        bytes[size++] = (byte) c;
      } else {
        bytes[size++] = '\\';
        bytes[size++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) {
          bytes[size++] = HEX[c >>> shift & 0xf];
        }
      }
    }
  }

  private static boolean isLoneSurrogate(String text, int at) {
    char c = text.charAt(at);
    if (Character.isHighSurrogate(c)) {
      return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
    }
    return Character.isLowSurrogate(c)
        && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
  }

  @SuppressWarnings("deprecation") // the one that copies low bytes without a charset's coder
  private void ascii(String text) {
    room(text.length());
    text.getBytes(0, text.length(), bytes, size);
    size += text.length();
  }

  private void append(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
  }

  private void separate() {
    if (comma) {
      room(1);
      bytes[size++] = ',';
    }
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
