package dev.tollgate.core.http;

import static dev.tollgate.core.http.Grammar.CR;
import static dev.tollgate.core.http.Grammar.LF;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Incremental reader of one HTTP head or trailer section, which collects its lines in an array and
 * checks each byte. Lines end with CRLF, no other control character occurs, every field is {@code
 * token ":" text}, and every limit holds. The result does not depend on how the bytes were split.
 */
final class HeadReader {
  /** Part of the head that was found in the input. */
  enum Found {
    /** Neither a start line nor the end was found, and all input was consumed. */
    NOTHING,
    /** A start line was found, which is checked before any field is read. */
    START_LINE,
    /** The empty line that ends the head was found. */
    END
  }

  private static final int FIRST_BYTES = 512;

  /** Heads on one connection have similar sizes. */
  private static final int SPARE_BYTES = 32;

  private static final int FIRST_FIELDS = 16;
  private static final byte[] NO_BYTES = {};

  private final HeadLimits limits;
  private int likelyBytes = FIRST_BYTES;
  private byte[] bytes = NO_BYTES;
  private int[] ranges = new int[FIRST_FIELDS * Headers.RANGE];
  private int length;
  private int lineStart;
  private int startLineEnd;
  private int fields;
  private int blankLines;

  HeadReader(HeadLimits limits) {
    this.limits = limits;
    reset();
  }

  /** Forgets the last head, whose bytes belong to its receiver. */
  void reset() {
    bytes = NO_BYTES;
    likelyBytes = length == 0 ? FIRST_BYTES : Math.min(length + SPARE_BYTES, 4 * FIRST_BYTES);
    length = 0;
    lineStart = 0;
    startLineEnd = limits.startLineBytesMax() == 0 ? 0 : -1;
    fields = 0;
    blankLines = 0;
  }

  /** True if a part of a head was read and its end was not. */
  boolean isUnderway() {
    return length > 0;
  }

  /** Consumes bytes up to the end of the start line, or of the head. */
  Found read(ByteBuf in) throws MalformedHttp {
    while (in.isReadable()) {
      int from = length;
      take(in);
      check(from);
      if (bytes[length - 1] == LF) {
        Found found = endLine(length - 2);
        if (found != Found.NOTHING) {
          return found;
        }
      }
    }
    return Found.NOTHING;
  }

  /** Returns the array of the head; the start line begins at 0. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns the offset of the start line's CR. */
  int startLineEnd() {
    return startLineEnd;
  }

  Headers headers() {
    return new Headers(bytes, Arrays.copyOf(ranges, fields * Headers.RANGE));
  }

  private void take(ByteBuf in) throws MalformedHttp {
    int max = startLineEnd < 0 ? limits.startLineBytesMax() : limits.headBytesMax();
    int room = Math.min(in.readableBytes(), max - length);
    if (room == 0) {
      throw MalformedHttp.tooLarge(startLineEnd < 0 ? "start line too long" : "header too large");
    }
    int start = in.readerIndex();
    int lineFeed = in.indexOf(start, start + room, LF);
    int count = lineFeed < 0 ? room : lineFeed + 1 - start;
    reserve(length + count);
    in.readBytes(bytes, length, count);
    length += count;
  }

  private void reserve(int needed) {
    if (needed > bytes.length) {
      int guess = bytes.length == 0 ? likelyBytes : 2 * bytes.length;
      bytes = Arrays.copyOf(bytes, Math.max(guess, needed));
    }
  }

  private void check(int from) throws MalformedHttp {
    if (from > lineStart && bytes[from - 1] == CR && bytes[from] != LF) {
      throw MalformedHttp.syntax("bare CR");
    }
    for (int i = from; i < length; i++) {
      byte b = bytes[i];
      if (Grammar.isText(b)) {
        continue;
      }
      if (b == CR) {
        if (i + 1 < length && bytes[i + 1] != LF) {
          throw MalformedHttp.syntax("bare CR");
        }
      } else if (b != LF) {
        throw MalformedHttp.syntax("control character");
      } else if (i == lineStart || bytes[i - 1] != CR) {
        throw MalformedHttp.syntax("bare LF");
      }
    }
  }

  private Found endLine(int end) throws MalformedHttp {
    if (startLineEnd < 0) {
      return startLine(end);
    }
    if (end == lineStart) {
      return Found.END;
    }
    field(end);
    lineStart = length;
    return Found.NOTHING;
  }

  private Found startLine(int end) throws MalformedHttp {
    if (end > 0) {
      startLineEnd = end;
      lineStart = length;
      return Found.START_LINE;
    }
    if (++blankLines > limits.leadingBlankLinesMax()) {
      throw MalformedHttp.syntax("empty lines before the start line");
    }
    length = 0;
    return Found.NOTHING;
  }

  private void field(int end) throws MalformedHttp {
    if (fields == limits.fieldsMax()) {
      throw MalformedHttp.tooLarge("too many header fields");
    }
    int colon = lineStart;
    while (colon < end && Grammar.isToken(bytes[colon])) {
      colon++;
    }
    if (colon == lineStart || colon == end || bytes[colon] != ':') {
      throw MalformedHttp.syntax("malformed header field");
    }
    int from = colon + 1;
    int to = end;
    while (from < to && Grammar.isSpace(bytes[from])) {
      from++;
    }
    while (to > from && Grammar.isSpace(bytes[to - 1])) {
      to--;
    }
    addRange(colon, from, to);
  }

  private void addRange(int nameEnd, int valueStart, int valueEnd) {
    int at = fields * Headers.RANGE;
    if (at == ranges.length) {
      ranges = Arrays.copyOf(ranges, 2 * ranges.length);
    }
    ranges[at] = lineStart;
    ranges[at + 1] = nameEnd;
    ranges[at + 2] = valueStart;
    ranges[at + 3] = valueEnd;
    fields++;
  }
}
