package dev.tollgate.core.json;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Repair of a JSON document that was refused: bare numbers that are not finite become null, and
 * bytes in strings that are not UTF-8 become U+FFFD. Anything else stays, so the result may be
 * refused again.
 */
final class JsonRepair {
  /** Largest document that is repaired, in bytes: chunks of text are far smaller. */
  static final int BYTES_MAX = 1 << 20;

  private static final byte[] REPLACEMENT = {(byte) 0xef, (byte) 0xbf, (byte) 0xbd}; // U+FFFD
  private static final byte[] NULL = "null".getBytes(US_ASCII);
  private static final byte[][] NON_FINITE = {
    "NaN".getBytes(US_ASCII), "Infinity".getBytes(US_ASCII), "-Infinity".getBytes(US_ASCII)
  };

  private final byte[] bytes;
  private final int to;
  private final ByteArrayOutputStream out;
  private boolean inString;
  private boolean isNumberReplaced;
  private boolean isTextReplaced;

  private JsonRepair(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.to = to;
    this.out = new ByteArrayOutputStream(to - from + NULL.length);
    int at = from;
    while (at < to) {
      at = bytes[at] < 0 ? character(at) : inString ? text(at) : structure(at);
    }
  }

  /** Returns the repair of a document; null if it has no such defect, or is too large. */
  static @Nullable JsonRepair of(byte[] bytes, int from, int to) {
    if (to - from > BYTES_MAX) {
      return null;
    }
    JsonRepair repair = new JsonRepair(bytes, from, to);
    return repair.isNumberReplaced || repair.isTextReplaced ? repair : null;
  }

  byte[] repaired() {
    return out.toByteArray();
  }

  Set<JsonDefect> defects() {
    Set<JsonDefect> defects = EnumSet.noneOf(JsonDefect.class);
    if (isNumberReplaced) {
      defects.add(JsonDefect.NON_FINITE_NUMBER);
    }
    if (isTextReplaced) {
      defects.add(JsonDefect.INVALID_UTF8);
    }
    return defects;
  }

  /** Copies a character of several bytes, and replaces a sequence that is none. */
  private int character(int at) {
    int length = StrictUtf8.sequenceLength(bytes, at, to);
    if (length > 0 || !inString) {
      return copy(at, Math.max(1, length));
    }
    isTextReplaced = true;
    out.writeBytes(REPLACEMENT);
    return at + StrictUtf8.truncatedLength(bytes, at, to);
  }

  private int text(int at) {
    inString = bytes[at] != '"';
    boolean escape = bytes[at] == '\\' && at + 1 < to && bytes[at + 1] >= 0;
    return copy(at, escape ? 2 : 1);
  }

  private int structure(int at) {
    inString = bytes[at] == '"';
    for (byte[] number : NON_FINITE) {
      int end = at + number.length;
      if (end <= to && Arrays.equals(bytes, at, end, number, 0, number.length)) {
        isNumberReplaced = true;
        out.writeBytes(NULL);
        return end;
      }
    }
    return copy(at, 1);
  }

  private int copy(int at, int length) {
    out.write(bytes, at, length);
    return at + length;
  }
}
