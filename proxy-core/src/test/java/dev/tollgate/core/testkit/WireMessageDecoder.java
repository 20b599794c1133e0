package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decoder of one whole HTTP/1.1 message from growing bytes; reads each byte once. Accepts
 * well-formed messages and fails loudly on others; judging bad framing is the gateway's work and
 * not the testkit's.
 */
final class WireMessageDecoder<M extends WireMessage> {
  private static final String DONE = "data: [DONE]\n\n";

  private final Kind<M> kind;
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private @Nullable Head head;
  private int at;
  private byte[] bytes = new byte[0];
  private int length;

  private WireMessageDecoder(Kind<M> kind) {
    this.kind = kind;
  }

  /** Returns a decoder of requests. */
  static WireMessageDecoder<CapturedRequest> request() {
    return new WireMessageDecoder<>(new Kind<>(CapturedRequest::new, head -> head.framedBy(false)));
  }

  /** Returns a decoder of heads of requests, without the body. */
  static WireMessageDecoder<CapturedRequest> requestHead() {
    return new WireMessageDecoder<>(new Kind<>(CapturedRequest::new, head -> Framing.NONE));
  }

  /** Returns a decoder of responses; one to a HEAD request has no body. */
  static WireMessageDecoder<RawResponse> response(boolean toHead) {
    return new WireMessageDecoder<>(
        new Kind<>(
            RawResponse::new,
            head -> toHead || head.isBodyless() ? Framing.NONE : head.framedBy(true)));
  }

  /**
   * Returns the message, if it is complete.
   *
   * @param all begins with the message; must not have changed since the last call
   * @param count the number of valid bytes in {@code all}
   * @param ended whether the peer has ended the connection after these bytes
   */
  Optional<M> decode(byte[] all, int count, boolean ended) {
    bytes = all;
    length = count;
    if (head == null) {
      int end = indexOf("\r\n\r\n", Math.max(0, at - 3));
      at = end < 0 ? length : end + 4;
      if (end < 0) {
        return Optional.empty();
      }
      List<String> lines = new String(bytes, 0, end, ISO_8859_1).lines().toList();
      head = new Head(lines.getFirst(), lines.subList(1, lines.size()), end + 4);
    }
    return body(head, ended);
  }

  /** Returns the message if its event stream is over, but its last chunk missing. */
  Optional<M> truncated() {
    Head whole = head;
    return whole != null && at == length && content.toString(ISO_8859_1).endsWith(DONE)
        ? Optional.of(message(whole, at))
        : Optional.empty();
  }

  private Optional<M> body(Head whole, boolean ended) {
    int start = whole.length();
    return switch (kind.framing().apply(whole)) {
      case NONE -> upTo(whole, start);
      case CONTENT_LENGTH -> upTo(whole, start + whole.contentBytes());
      case CHUNKED -> chunked(whole);
      case UNTIL_CLOSE -> ended ? upTo(whole, length) : Optional.empty();
    };
  }

  private Optional<M> upTo(Head whole, int end) {
    if (end > length) {
      return Optional.empty();
    }
    content.write(bytes, whole.length(), end - whole.length());
    return Optional.of(message(whole, end));
  }

  private M message(Head whole, int end) {
    return kind.make()
        .of(whole.start(), whole.lines(), content.toByteArray(), Arrays.copyOf(bytes, end));
  }

  private Optional<M> chunked(Head whole) {
    while (true) {
      int lineEnd = indexOf("\r\n", at);
      if (lineEnd < 0) {
        return Optional.empty();
      }
      int size = chunkSize(new String(bytes, at, lineEnd - at, ISO_8859_1));
      int start = lineEnd + 2;
      if (size == 0) {
        return trailersEnd(start).map(end -> message(whole, end));
      }
      if (start + size + 2 > length) {
        return Optional.empty();
      }
      content.write(bytes, start, size);
      at = start + size + 2;
    }
  }

  private static int chunkSize(String line) {
    try {
      return Integer.parseInt(line.split(";", 2)[0].strip(), 16);
    } catch (NumberFormatException _) {
      throw new AssertionError("not a chunk size: " + line);
    }
  }

  private Optional<Integer> trailersEnd(int from) {
    int lineStart = from;
    while (true) {
      int lineEnd = indexOf("\r\n", lineStart);
      if (lineEnd < 0) {
        return Optional.empty();
      }
      if (lineEnd == lineStart) {
        return Optional.of(lineEnd + 2);
      }
      lineStart = lineEnd + 2;
    }
  }

  private int indexOf(String needle, int from) {
    byte[] sought = needle.getBytes(ISO_8859_1);
    for (int i = from; i + sought.length <= length; i++) {
      if (Arrays.equals(bytes, i, i + sought.length, sought, 0, sought.length)) {
        return i;
      }
    }
    return -1;
  }

  private enum Framing {
    NONE,
    CONTENT_LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  private record Head(String start, List<String> lines, int length) {
    Framing framedBy(boolean isResponse) {
      List<String> codings = WireMessage.valuesOf(lines, "transfer-encoding");
      if (codings.stream().anyMatch(c -> c.toLowerCase(Locale.ROOT).endsWith("chunked"))) {
        return Framing.CHUNKED;
      }
      if (!WireMessage.valuesOf(lines, "content-length").isEmpty()) {
        return Framing.CONTENT_LENGTH;
      }
      return isResponse ? Framing.UNTIL_CLOSE : Framing.NONE;
    }

    int contentBytes() {
      return Integer.parseInt(WireMessage.valuesOf(lines, "content-length").getFirst());
    }

    boolean isBodyless() {
      return start.matches("HTTP/1\\.[01] (1\\d\\d|204|304)( .*)?");
    }
  }

  /** Kind of message, and how its body is delimited. */
  private record Kind<M>(Maker<M> make, Function<Head, Framing> framing) {}

  private interface Maker<M> {
    M of(String startLine, List<String> headerLines, byte[] body, byte[] raw);
  }
}
