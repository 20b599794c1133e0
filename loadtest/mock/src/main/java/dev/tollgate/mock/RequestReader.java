package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the HTTP/1.1 requests that the mock provider receives. It expects clients that send
 * correct HTTP and detects few errors. One reader serves all connections of a loop.
 */
final class RequestReader {
  /** First byte of a TLS connection. */
  private static final byte TLS_HANDSHAKE = 0x16;

  private static final int HEAD_BYTES_MAX = 256 * 1024;
  private static final int BODY_BYTES_MAX = 256 * 1024 * 1024;

  private byte[] body = new byte[16 * 1024];
  private int bodyBytes;

  private String method = "";
  private String target = "";
  private String host = "";
  private String idempotencyKey = "";
  private boolean keepAlive;
  private boolean chunked;
  private boolean expectsContinue;
  private int contentLength;
  private int headEnd;

  /** Result of reading from the received bytes: a complete request, or its progress so far. */
  enum Progress {
    /** The request is incomplete. */
    PARTIAL,
    /** The head is complete, and the client waits for a {@code 100 Continue}. */
    AWAITS_CONTINUE,
    WHOLE,
    MALFORMED
  }

  /** Reads one request. Consumes a complete one and leaves a partial one in the buffer. */
  Progress read(ByteBuf received) {
    int start = received.readerIndex();
    if (received.isReadable() && received.getByte(start) == TLS_HANDSHAKE) {
      return Progress.MALFORMED;
    }
    headEnd = readHead(received);
    if (headEnd < 0) {
      return received.readableBytes() > HEAD_BYTES_MAX ? Progress.MALFORMED : Progress.PARTIAL;
    }
    if (contentLength < 0 || contentLength > BODY_BYTES_MAX) {
      return Progress.MALFORMED;
    }
    int end = chunked ? readChunks(received, headEnd) : readPlain(received, headEnd);
    if (end == MALFORMED_CHUNK) {
      return Progress.MALFORMED;
    }
    if (end < 0) {
      return expectsContinue && received.writerIndex() == headEnd
          ? Progress.AWAITS_CONTINUE
          : Progress.PARTIAL;
    }
    received.readerIndex(Math.max(end, start));
    return Progress.WHOLE;
  }

  /** Returns the end offset of the last head, or -1 if it was incomplete. */
  int headEnd() {
    return headEnd;
  }

  String method() {
    return method;
  }

  /** Returns the request target without its query. */
  String path() {
    int query = target.indexOf('?');
    return query < 0 ? target : target.substring(0, query);
  }

  /** Returns the query without its question mark; empty means none. */
  String query() {
    int query = target.indexOf('?');
    return query < 0 ? "" : target.substring(query + 1);
  }

  /** Returns the Idempotency-Key field; empty means none. */
  String idempotencyKey() {
    return idempotencyKey;
  }

  /** Returns the Host field. */
  String host() {
    return host;
  }

  boolean keepAlive() {
    return keepAlive;
  }

  /**
   * Returns the buffer of the body: the first {@link #bodyBytes} bytes are valid until the next
   * read.
   */
  byte[] body() {
    return body;
  }

  int bodyBytes() {
    return bodyBytes;
  }

  /** Returns the end offset of the head, or -1 if it is incomplete. */
  private int readHead(ByteBuf in) {
    chunked = false;
    expectsContinue = false;
    contentLength = 0;
    idempotencyKey = "";
    int lineStart = in.readerIndex();
    boolean first = true;
    while (true) {
      int lf = in.indexOf(lineStart, in.writerIndex(), (byte) '\n');
      if (lf < 0) {
        return -1;
      }
      int lineEnd = lf > lineStart && in.getByte(lf - 1) == '\r' ? lf - 1 : lf;
      if (first && lineEnd > lineStart) {
        readRequestLine(in.toString(lineStart, lineEnd - lineStart, ISO_8859_1));
        first = false;
      } else if (lineEnd > lineStart) {
        readField(in, lineStart, lineEnd);
      } else if (!first) {
        return lf + 1;
      }
      lineStart = lf + 1;
    }
  }

  private void readRequestLine(String line) {
    int space = line.indexOf(' ');
    int last = line.lastIndexOf(' ');
    method = space < 0 ? line : line.substring(0, space);
    target = last > space ? line.substring(space + 1, last) : "";
    keepAlive = line.endsWith("HTTP/1.1");
  }

  private void readField(ByteBuf in, int start, int end) {
    int colon = in.indexOf(start, end, (byte) ':');
    String value =
        switch (colon - start) {
          case 4 -> valueOf(in, start, "host", colon, end);
          case 6 -> valueOf(in, start, "expect", colon, end);
          case 10 -> valueOf(in, start, "connection", colon, end);
          case 14 -> valueOf(in, start, "content-length", colon, end);
          case 15 -> valueOf(in, start, "idempotency-key", colon, end);
          case 17 -> valueOf(in, start, "transfer-encoding", colon, end);
          default -> null;
        };
    if (value == null) {
      return;
    }
    switch (colon - start) {
      case 4 -> host = value;
      case 6 -> expectsContinue = value.equalsIgnoreCase("100-continue");
      case 10 ->
          keepAlive =
              value.equalsIgnoreCase("keep-alive")
                  || (keepAlive && !value.equalsIgnoreCase("close"));
      case 14 -> contentLength = value.matches("\\d{1,9}") ? Integer.parseInt(value) : -1;
      case 15 -> idempotencyKey = value;
      default -> chunked = value.equalsIgnoreCase("chunked");
    }
  }

  private static @Nullable String valueOf(ByteBuf in, int start, String name, int colon, int end) {
    for (int i = 0; i < name.length(); i++) {
      if ((in.getByte(start + i) | 0x20) != name.charAt(i)) {
        return null;
      }
    }
    return in.toString(colon + 1, end - colon - 1, ISO_8859_1).strip();
  }

  private int readPlain(ByteBuf in, int headEnd) {
    if (in.writerIndex() - headEnd < contentLength) {
      return -1;
    }
    bodyBytes = 0;
    append(in, headEnd, contentLength);
    return headEnd + contentLength;
  }

  private static final int MALFORMED_CHUNK = -2;

  /** Returns the end offset of the last chunk, or -1 if it has not arrived. */
  private int readChunks(ByteBuf in, int headEnd) {
    bodyBytes = 0;
    int at = headEnd;
    while (true) {
      int lf = in.indexOf(at, in.writerIndex(), (byte) '\n');
      if (lf < 0) {
        return -1;
      }
      String line = in.toString(at, lf - at, ISO_8859_1).strip();
      if (!line.matches("[0-9a-fA-F]{1,7}(;.*)?")) {
        return MALFORMED_CHUNK;
      }
      int size = Integer.parseInt(line.split(";", 2)[0], 16);
      at = lf + 1;
      if (size == 0) {
        return trailersEnd(in, at);
      }
      if (in.writerIndex() < at + size + 2) {
        return -1;
      }
      append(in, at, size);
      at += size + 2;
    }
  }

  private static int trailersEnd(ByteBuf in, int from) {
    int at = from;
    while (true) {
      int lf = in.indexOf(at, in.writerIndex(), (byte) '\n');
      if (lf < 0 || lf - at <= 1) {
        return lf < 0 ? -1 : lf + 1;
      }
      at = lf + 1;
    }
  }

  private void append(ByteBuf in, int from, int count) {
    if (bodyBytes + count > body.length) {
      byte[] wider = new byte[Math.max(bodyBytes + count, body.length * 2)];
      System.arraycopy(body, 0, wider, 0, bodyBytes);
      body = wider;
    }
    in.getBytes(from, body, bodyBytes, count);
    bodyBytes += count;
  }
}
