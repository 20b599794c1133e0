package dev.tollgate.core.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Byte range of a file that a request's {@code Range} field asks for (RFC 9110, 14.1.2). Several
 * ranges and invalid ranges count as the whole file, as a server may treat them.
 */
public sealed interface ByteRange {
  /** The request asks for the whole file. */
  record All() implements ByteRange {}

  /** The bytes from {@code first} to {@code last}, both inclusive. */
  record Between(long first, long last) implements ByteRange {}

  /** The last {@code bytes} bytes of the file. */
  record Suffix(long bytes) implements ByteRange {}

  /** Bytes that a range selects in a file of known length. */
  sealed interface Span {
    /** The whole file, without a range. */
    record Whole() implements Span {}

    /** The bytes from {@code from}, inclusive, to {@code to}, exclusive. */
    record Part(long from, long to) implements Span {}

    /** The file has no byte in the range. */
    record Unsatisfiable() implements Span {}
  }

  Pattern ONE = Pattern.compile("bytes=([0-9]{1,18})?-([0-9]{1,18})?", Pattern.CASE_INSENSITIVE);

  /**
   * Reads a request's fields. Files have no version tag, so a range conditional on a version is the
   * whole file.
   */
  static ByteRange of(Headers headers) {
    String range = headers.first("range");
    boolean isOne = headers.count("range") == 1 && !headers.has("if-range");
    return range == null || !isOne ? new All() : read(range);
  }

  private static ByteRange read(String range) {
    Matcher one = ONE.matcher(range);
    if (!one.matches()) {
      return new All();
    }
    String first = one.group(1);
    String last = one.group(2);
    if (first == null) {
      return last == null ? new All() : new Suffix(Long.parseLong(last));
    }
    long from = Long.parseLong(first);
    long to = last == null ? Long.MAX_VALUE : Long.parseLong(last);
    return to < from ? new All() : new Between(from, to);
  }

  /** Returns the span in a file of this length. */
  default Span spanIn(long length) {
    return switch (this) {
      case All _ -> new Span.Whole();
      case Between between ->
          between.first() < length
              ? new Span.Part(between.first(), Math.min(between.last(), length - 1) + 1)
              : new Span.Unsatisfiable();
      case Suffix last ->
          last.bytes() > 0 && length > 0
              ? new Span.Part(Math.max(0, length - last.bytes()), length)
              : new Span.Unsatisfiable();
    };
  }
}
