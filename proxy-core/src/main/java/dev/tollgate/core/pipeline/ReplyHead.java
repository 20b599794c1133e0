package dev.tollgate.core.pipeline;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.core.http.Cors;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.http.HeadWriter;
import dev.tollgate.core.pipeline.RequestProgress.Received;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writer of the head of a reply: the status line and the fields that every reply has. */
final class ReplyHead {
  /** Capacity in bytes for a usual head, so that its buffer need not grow. */
  static final int BYTES = 768;

  private static final int CRLF = '\r' << 8 | '\n';
  private static final byte[] SERVER_AND_DATE = ascii("Server: tollgate\r\nDate: ");
  private static final byte[] REQUEST_ID = ascii("\r\nX-Request-Id: ");
  private static final byte[] CLIENT_REQUEST_ID = ascii("X-Client-Request-Id: ");
  private static final byte[] CONTENT_TYPE = ascii("Content-Type: ");
  private static final byte[] EVENT_STREAM =
      ascii(
          """
          Content-Type: text/event-stream; charset=utf-8\r
          Cache-Control: no-cache, no-transform\r
          X-Accel-Buffering: no\r
          """);
  private static final byte[] UNBUFFERED = ascii("X-Accel-Buffering: no\r\n");
  private static final byte[] CLOSE = ascii("Connection: close\r\n");
  private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");

  private final HttpDate date;
  private final @Nullable Cors cors;

  ReplyHead(HttpDate date, @Nullable Cors cors) {
    this.date = date;
    this.cors = cors;
  }

  /**
   * Writes the head of a reply with a known length; a null {@code contentType} means no content.
   */
  void fixed(
      ByteBuf out,
      Received request,
      int status,
      @Nullable String contentType,
      long contentBytes,
      List<FieldLines> fields,
      boolean closes) {
    start(out, request, status);
    if (contentType != null) {
      line(out.writeBytes(CONTENT_TYPE), contentType);
      HeadWriter.contentLength(out, contentBytes);
    }
    end(out, request, fields, closes);
  }

  /** Writes the head of an event stream: chunked, or for HTTP/1.0 until the connection's end. */
  void stream(ByteBuf out, Received request, List<FieldLines> fields, boolean closes) {
    start(out, request, 200);
    out.writeBytes(EVENT_STREAM);
    endUndelimited(out, request, fields, closes);
  }

  /** Writes the head of a body of unknown length, delimited like an event stream. */
  void bytes(
      ByteBuf out, Received request, String contentType, List<FieldLines> fields, boolean closes) {
    start(out, request, 200);
    line(out.writeBytes(CONTENT_TYPE), contentType);
    out.writeBytes(UNBUFFERED);
    endUndelimited(out, request, fields, closes);
  }

  private static void endUndelimited(
      ByteBuf out, Received request, List<FieldLines> fields, boolean closes) {
    if (request.head().minorVersion() > 0) {
      HeadWriter.transferEncodingChunked(out);
    }
    end(out, request, fields, closes);
  }

  private void start(ByteBuf out, Received request, int status) {
    HeadWriter.statusLine(out, status);
    out.writeBytes(SERVER_AND_DATE).writeBytes(date.text());
    line(out.writeBytes(REQUEST_ID), request.id().value());
    if (request.clientRequestId() != null) {
      line(out.writeBytes(CLIENT_REQUEST_ID), request.clientRequestId());
    }
    if (cors != null) {
      cors.ofReplies(request.head().headers()).writeTo(out);
    }
  }

  private static void end(ByteBuf out, Received request, List<FieldLines> fields, boolean closes) {
    for (int i = 0; i < fields.size(); i++) {
      fields.get(i).writeTo(out);
    }
    if (closes) {
      out.writeBytes(CLOSE);
    } else if (request.head().minorVersion() == 0) {
      out.writeBytes(KEEP_ALIVE);
    }
    HeadWriter.end(out);
  }

  private static void line(ByteBuf out, String text) {
    out.writeCharSequence(text, ISO_8859_1);
    out.writeShort(CRLF);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
