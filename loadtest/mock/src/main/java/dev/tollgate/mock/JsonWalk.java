package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks over the members of one JSON object without reading their values: strings are skipped eight
 * bytes at a time, nested values by depth. It trusts that the JSON is well formed and stops where
 * it is not.
 */
final class JsonWalk {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long QUOTES = ONES * '"';
  private static final long BACKSLASHES = ONES * '\\';

  private final byte[] bytes;
  private final int end;
  private int at;
  private int nameStart;
  private int nameEnd;
  private int valueStart;
  private int valueEnd;

  /** A walk over the object that begins at, or behind white space after, {@code from}. */
  JsonWalk(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.end = end;
    this.at = from;
    skipSpace();
    at = peek() == '{' ? at + 1 : end;
  }

  /** Goes to the next member; false behind the last one. */
  boolean next() {
    skipSpace();
    if (peek() == ',') {
      at++;
      skipSpace();
    }
    if (peek() != '"') {
      return false;
    }
    nameStart = at + 1;
    skipString();
    nameEnd = at - 1;
    skipSpace();
    if (peek() != ':') {
      return false;
    }
    at++;
    skipSpace();
    valueStart = at;
    skipValue();
    valueEnd = at;
    return valueEnd > valueStart;
  }

  boolean isNamed(String name) {
    if (nameEnd - nameStart != name.length()) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (bytes[nameStart + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  boolean valueIs(String text) {
    return valueEnd - valueStart == text.length() && bytes[valueStart] == text.charAt(0);
  }

  boolean valueIsString() {
    return bytes[valueStart] == '"';
  }

  /** The string between its quotes as written, one character per byte. */
  String string() {
    return new String(bytes, valueStart + 1, valueEnd - valueStart - 2, ISO_8859_1);
  }

  /** The value as a whole number of at most nine digits, or what {@code otherwise} says. */
  int number(int otherwise) {
    int number = 0;
    for (int i = valueStart; i < valueEnd; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9 || valueEnd - valueStart > 9) {
        return otherwise;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  /** A walk over the value, or over the first element of it if it is an array. */
  JsonWalk inside() {
    int from = bytes[valueStart] == '[' ? valueStart + 1 : valueStart;
    return new JsonWalk(bytes, from, valueEnd);
  }

  /**
   * A number for each text that the value holds, equal where the texts are: the value is a string,
   * or an array of strings, of arrays, or of numbers that are one text together.
   */
  List<Integer> texts() {
    if (bytes[valueStart] != '[') {
      return List.of(hash(valueStart, valueEnd));
    }
    JsonWalk elements = new JsonWalk(bytes, valueEnd, valueEnd);
    elements.at = valueStart + 1;
    List<Integer> texts = new ArrayList<>();
    while (elements.nextElement(valueEnd - 1)) {
      byte first = bytes[elements.valueStart];
      if (first != '"' && first != '[') {
        return List.of(hash(valueStart, valueEnd));
      }
      texts.add(hash(elements.valueStart, elements.valueEnd));
    }
    return texts;
  }

  private boolean nextElement(int closing) {
    skipSpace();
    if (peek() == ',') {
      at++;
      skipSpace();
    }
    valueStart = at;
    if (at < closing) {
      skipValue();
    }
    valueEnd = at;
    return valueEnd > valueStart;
  }

  private int hash(int from, int to) {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }

  private int peek() {
    return at < end ? bytes[at] : -1;
  }

  private void skipSpace() {
    while (at < end && bytes[at] <= ' ' && bytes[at] >= 0) {
      at++;
    }
  }

  private void skipValue() {
    int depth = 0;
    while (at < end) {
      byte b = bytes[at];
      if (b == '"') {
        skipString();
      } else if (b == '{' || b == '[') {
        depth++;
        at++;
      } else if (b == '}' || b == ']') {
        if (depth == 0) {
          return;
        }
        depth--;
        at++;
      } else if (depth == 0 && (b == ',' || (b <= ' ' && b >= 0))) {
        return;
      } else {
        at++;
        continue;
      }
      if (depth == 0) {
        return;
      }
    }
  }

  private void skipString() {
    at++;
    while (at < end) {
      int mark = nextMark(at);
      at = mark + 1;
      if (mark >= end || bytes[mark] == '"') {
        return;
      }
      at++; // the escaped one
    }
  }

  /** The next quote or backslash, or the end. */
  private int nextMark(int from) {
    int i = from;
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      long marks = marks((long) LONGS.get(bytes, i));
      if (marks != 0) {
        return i + (Long.numberOfTrailingZeros(marks) >>> 3);
      }
    }
    while (i < end && bytes[i] != '"' && bytes[i] != '\\') {
      i++;
    }
    return i;
  }

  /**
   * The high bit of each of eight bytes that is a quote or a backslash; the lowest one is right.
   */
  private static long marks(long eight) {
    long quote = eight ^ QUOTES;
    long slash = eight ^ BACKSLASHES;
    return (((quote - ONES) & ~quote) | ((slash - ONES) & ~slash)) & HIGHS;
  }
}
