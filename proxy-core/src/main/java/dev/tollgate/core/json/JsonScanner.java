package dev.tollgate.core.json;

import static dev.tollgate.core.json.ByteBlocks.HIGH_BITS;
import static dev.tollgate.core.json.ByteBlocks.ONES;
import static dev.tollgate.core.json.InvalidJson.malformed;

import java.util.Set;

/**
 * Strict RFC 8259 scanner over bytes that are known to be UTF-8: it validates, finds the ends of
 * values, and allocates nothing. Each step takes an offset and returns the offset after it.
 */
final class JsonScanner {
  /** Length in bytes from which a string most likely has as many bytes again. */
  private static final int LONG_BYTES = ByteBlocks.BYTES;

  private static final byte[] NONE = {};

  private byte[] bytes = NONE;
  private int from;
  private int to;
  private int deepest;
  private boolean skippingNumberValidation;
  private Set<String> bounded = Set.of();
  private int memberStart;
  private int memberEnd;

  /**
   * If set, lists of numbers are scanned for their end and their commas only, and anything between
   * commas counts as a number. The end of a list is the same in both modes.
   */
  void skipNumberValidation(boolean skip) {
    skippingNumberValidation = skip;
  }

  /**
   * Sets the members of a root whose lists have at most {@link JsonLimits#ITEMS_MAX} items: the
   * scan ends at the first item beyond them.
   */
  void bound(Set<String> members) {
    bounded = members;
  }

  /** Sets the offsets of the name of the member that is scanned next. */
  void member(int nameStart, int nameEnd) {
    memberStart = nameStart;
    memberEnd = nameEnd;
  }

  /** Sets the document to scan; the root is the first byte that is not white space. */
  int document(byte[] newBytes, int newFrom, int newTo) throws InvalidJson {
    reset(newBytes, newFrom, newTo);
    int invalid = StrictUtf8.indexOfInvalid(bytes, from, to);
    if (invalid >= 0) {
      throw malformed(invalid - from, "not UTF-8");
    }
    int root = space(from);
    peek(root);
    return root;
  }

  /** Checks that only white space follows the root. */
  void endOfDocument(int rootEnd) throws InvalidJson {
    int at = space(rootEnd);
    if (at < to) {
      throw malformed(at - from, "content after the root value");
    }
  }

  /** Sets a range that was validated before. */
  void reset(byte[] newBytes, int newFrom, int newTo) {
    bytes = newBytes;
    from = newFrom;
    to = newTo;
  }

  InvalidJson refused(InvalidJson.Reason reason, int at, String message) {
    return new InvalidJson(reason, at - from, message);
  }

  /** Skips a value; its opening bracket, if any, makes the nesting {@code depth}. */
  int value(int at, int depth) throws InvalidJson {
    return switch (peek(at)) {
      case '"' -> string(at);
      case '{' -> object(at, depth);
      case '[' -> array(at, depth);
      case 't' -> literal(at, "true");
      case 'f' -> literal(at, "false");
      case 'n' -> literal(at, "null");
      default -> number(at);
    };
  }

  /** Skips a value like {@link #value} and records its nesting: see {@link #deepest()}. */
  int measuredValue(int at, int depth) throws InvalidJson {
    deepest = 0;
    return value(at, depth);
  }

  /** Returns the deepest nesting of the value measured last, 0 if it has no brackets. */
  int deepest() {
    return deepest;
  }

  int space(int at) {
    int next = at;
    while (next < to && isSpace(bytes[next])) {
      next++;
    }
    return next;
  }

  /** Skips a name, whose bytes between the quotes are bounded. */
  int name(int at) throws InvalidJson {
    if (peek(at) != '"') {
      throw malformed(at - from, "a name must begin with a quotation mark");
    }
    int end = string(at);
    if (end - at - 2 > JsonLimits.NAME_BYTES_MAX) {
      throw refused(InvalidJson.Reason.NAME_TOO_LONG, at, "a name is too long");
    }
    return end;
  }

  /** Skips white space, one expected byte and white space. */
  int token(int at, char expected) throws InvalidJson {
    int next = space(at);
    if (peek(next) != expected) {
      throw malformed(next - from, "'" + expected + "' is missing");
    }
    return space(next + 1);
  }

  /** Returns the byte at an offset, where the document must not have ended. */
  byte peek(int at) throws InvalidJson {
    if (at >= to) {
      throw malformed(to - from, "the document ends early");
    }
    return bytes[at];
  }

  private int object(int open, int depth) throws InvalidJson {
    enter(open, depth);
    int at = space(open + 1);
    if (peek(at) == '}') {
      return at + 1;
    }
    for (int items = 1; true; items++) {
      at = token(name(at), ':');
      at = space(value(at, depth + 1));
      if (peek(at) == '}') {
        return at + 1;
      }
      at = token(at, ',');
      if (items == JsonLimits.ITEMS_MAX) {
        checkUnbounded(at, depth);
      }
    }
  }

  private int array(int open, int depth) throws InvalidJson {
    enter(open, depth);
    int at = space(open + 1);
    if (peek(at) == ']') {
      return at + 1;
    }
    if (skippingNumberValidation && beginsNumber(bytes[at])) {
      int last = new NumberList(bytes, to).endFrom(at);
      if (last >= 0) {
        return last + 1;
      }
    }
    for (int items = 1; true; items++) {
      at = space(value(at, depth + 1));
      if (peek(at) == ']') {
        return at + 1;
      }
      at = token(at, ',');
      if (items == JsonLimits.ITEMS_MAX) {
        checkUnbounded(at, depth);
      }
    }
  }

  /**
   * Refuses an item beyond the bound of a list, if the list is a member of the root that has one.
   */
  private void checkUnbounded(int at, int depth) throws InvalidJson {
    if (depth == 2 && !bounded.isEmpty()) {
      String member = JsonText.decode(bytes, memberStart + 1, memberEnd - 1);
      if (bounded.contains(member)) {
        throw InvalidJson.tooManyItems(at - from, member);
      }
    }
  }

  private static boolean beginsNumber(byte b) {
    return b == '-' || isDigit(b);
  }

  private static boolean isDigit(byte b) {
    return '0' <= b && b <= '9';
  }

  private void enter(int open, int depth) throws InvalidJson {
    if (depth > JsonLimits.DEPTH_MAX) {
      throw refused(InvalidJson.Reason.TOO_DEEP, open, "nested too deeply");
    }
    deepest = Math.max(deepest, depth);
  }

  /** Skips a string whose opening quotation mark is at the offset. */
  int string(int open) throws InvalidJson {
    int at = open + 1;
    while (true) {
      at = plainText(at);
      byte next = peek(at);
      if (next == '"') {
        return at + 1;
      }
      if (next != '\\') {
        throw malformed(at - from, "an unescaped control character in a string");
      }
      at = escape(at);
    }
  }

  /** Skips characters without escapes: eight bytes at a time, and in blocks if there are many. */
  private int plainText(int from) {
    int at = plainWords(from, Math.min(to, from + LONG_BYTES));
    if (at == from + LONG_BYTES) {
      while (at + ByteBlocks.BYTES <= to && ByteBlocks.isPlainText(bytes, at)) {
        at += ByteBlocks.BYTES;
      }
      at = plainWords(at, to);
    }
    return at;
  }

  private int plainWords(int from, int end) {
    int at = from;
    while (at + Long.BYTES <= end && specials(ByteBlocks.word(bytes, at)) == 0) {
      at += Long.BYTES;
    }
    while (at < end && bytes[at] != '"' && bytes[at] != '\\' && (bytes[at] & 0xff) >= 0x20) {
      at++;
    }
    return at;
  }

  /**
   * Returns a value other than 0 if one of eight bytes is a quotation mark, a backslash or a
   * control character.
   */
  private static long specials(long eight) {
    long quote = eight ^ (ONES * '"');
    long backslash = eight ^ (ONES * '\\');
    long found = (quote - ONES) & ~quote;
    found |= (backslash - ONES) & ~backslash;
    found |= (eight - ONES * 0x20) & ~eight;
    return found & HIGH_BITS;
  }

  private int escape(int backslash) throws InvalidJson {
    return switch (peek(backslash + 1)) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> backslash + 2;
      case 'u' -> hexadecimal(backslash + 2);
      default -> throw malformed(backslash - from, "unknown escape in a string");
    };
  }

  private int hexadecimal(int start) throws InvalidJson {
    for (int i = start; i < start + 4; i++) {
      if (Character.digit(peek(i), 16) < 0) {
        throw malformed(i - from, "an escape needs four hexadecimal digits");
      }
    }
    return start + 4;
  }

  private int number(int start) throws InvalidJson {
    int at = bytes[start] == '-' ? start + 1 : start;
    at = peek(at) == '0' ? at + 1 : digits(at);
    if (at < to && bytes[at] == '.') {
      at = digits(at + 1);
    }
    if (at < to && (bytes[at] == 'e' || bytes[at] == 'E')) {
      byte sign = peek(at + 1);
      at = digits(sign == '+' || sign == '-' ? at + 2 : at + 1);
    }
    return at;
  }

  private int digits(int start) throws InvalidJson {
    int at = start;
    while (at < to && isDigit(bytes[at])) {
      at++;
    }
    if (at == start) {
      throw malformed(at - from, at < to ? "a value or digit is missing" : "ends early");
    }
    return at;
  }

  private int literal(int start, String text) throws InvalidJson {
    for (int i = 0; i < text.length(); i++) {
      if (peek(start + i) != text.charAt(i)) {
        throw malformed(start - from, "unknown literal");
      }
    }
    return start + text.length();
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}
