package dev.tollgate.core.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How much of a file a request asks for (RFC 9110, 14.1.2). Several ranges and what is no range at
 * all ask for the whole, as a server may take them.
 */
public sealed interface ByteRange {
  /** All of it. */
  record All() implements ByteRange {}

  /** From one byte to another, which is in it. */
  record Between(long first, long last) implements ByteRange {}

  /** So many at its end. */
  record Suffix(long bytes) implements ByteRange {}

  /** What of a file of some length that is. */
  sealed interface Span {
    /** The whole file, as such. */
    record Whole() implements Span {}

    /** From one byte to the one before another. */
    record Part(long from, long to) implements Span {}

    /** The file has nothing there. */
    record Unsatisfiable() implements Span {}
  }

  Pattern ONE = Pattern.compile("bytes=([0-9]{1,18})?-([0-9]{1,18})?", Pattern.CASE_INSENSITIVE);

  /** Reads a request's fields. Nothing tells versions of a file apart, so none can be asked for. */
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

  /** What it is of a file of this length. */
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
