package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Cuts the first whole HTTP/1.1 message out of captured bytes. Reads what is well formed and fails
 * loudly on the rest; judging bad framing is the gateway's work and not the testkit's.
 */
final class WireCut {
  private final byte[] bytes;
  private final boolean ended;

  private WireCut(byte[] bytes, boolean ended) {
    this.bytes = bytes;
    this.ended = ended;
  }

  /** The request that {@code bytes} begin with, if it is all there. */
  static Optional<CapturedRequest> request(byte[] bytes) {
    WireCut cut = new WireCut(bytes, false);
    return cut.head()
        .flatMap(
            head ->
                cut.body(head, head.framedBy(false))
                    .map(
                        b ->
                            new CapturedRequest(head.start(), head.lines(), b.content(), b.raw())));
  }

  /** The head of the request that {@code bytes} begin with, its body left empty. */
  static Optional<CapturedRequest> requestHead(byte[] bytes) {
    WireCut cut = new WireCut(bytes, false);
    return cut.head()
        .map(
            head ->
                new CapturedRequest(
                    head.start(), head.lines(), new byte[0], Arrays.copyOf(bytes, head.length())));
  }

  /**
   * The response that {@code bytes} begin with, if it is all there.
   *
   * @param ended whether the peer has ended the connection behind these bytes
   * @param toHead whether it answers a HEAD request
   */
  static Optional<RawResponse> response(byte[] bytes, boolean ended, boolean toHead) {
    WireCut cut = new WireCut(bytes, ended);
    return cut.head()
        .flatMap(
            head ->
                cut.body(head, toHead || head.isBodyless() ? Framing.NONE : head.framedBy(true))
                    .map(b -> new RawResponse(head.start(), head.lines(), b.content(), b.raw())));
  }

  private Optional<Head> head() {
    int end = indexOf("\r\n\r\n", 0);
    if (end < 0) {
      return Optional.empty();
    }
    List<String> lines = new String(bytes, 0, end, ISO_8859_1).lines().toList();
    return Optional.of(new Head(lines.getFirst(), lines.subList(1, lines.size()), end + 4));
  }

  private Optional<Body> body(Head head, Framing framing) {
    return switch (framing) {
      case NONE -> upTo(head.length(), head.length());
      case CONTENT_LENGTH -> upTo(head.length(), head.length() + head.contentBytes());
      case CHUNKED -> chunked(head.length());
      case UNTIL_CLOSE -> ended ? upTo(head.length(), bytes.length) : Optional.empty();
    };
  }

  private Optional<Body> upTo(int start, int end) {
    return end > bytes.length
        ? Optional.empty()
        : Optional.of(new Body(Arrays.copyOfRange(bytes, start, end), Arrays.copyOf(bytes, end)));
  }

  private Optional<Body> chunked(int from) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    int at = from;
    while (true) {
      int lineEnd = indexOf("\r\n", at);
      if (lineEnd < 0) {
        return Optional.empty();
      }
      int size = chunkSize(new String(bytes, at, lineEnd - at, ISO_8859_1));
      int start = lineEnd + 2;
      if (size == 0) {
        return trailersEnd(start)
            .map(end -> new Body(content.toByteArray(), Arrays.copyOf(bytes, end)));
      }
      if (start + size + 2 > bytes.length) {
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
    int at = from;
    while (true) {
      int lineEnd = indexOf("\r\n", at);
      if (lineEnd < 0) {
        return Optional.empty();
      }
      if (lineEnd == at) {
        return Optional.of(lineEnd + 2);
      }
      at = lineEnd + 2;
    }
  }

  private int indexOf(String needle, int from) {
    byte[] sought = needle.getBytes(ISO_8859_1);
    for (int at = from; at + sought.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length)) {
        return at;
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

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Body(byte[] content, byte[] raw) {}
}
