package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;

/**
 * Writer of HTTP/1.1 start lines, field lines and chunk framing into a buffer. The content of a
 * line is checked, so that no text of a client can become a line of its own.
 */
public final class HeadWriter {
  private static final byte[] VERSION = ascii("HTTP/1.1 ");
  private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\n");
  private static final byte[] REQUEST_END = ascii(" HTTP/1.1\r\n");
  private static final byte[] CONTENT_LENGTH = ascii("content-length: ");
  private static final byte[] CHUNKED = ascii("transfer-encoding: chunked\r\n");
  private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");
  private static final byte[] HEX = ascii("0123456789abcdef");
  private static final int CRLF = '\r' << 8 | '\n';
  private static final int COLON_SP = ':' << 8 | ' ';

  private HeadWriter() {}

  public static void statusLine(ByteBuf out, int status) {
    if (status == 200) {
      out.writeBytes(OK);
      return;
    }
    out.writeBytes(VERSION);
    decimal(out, status);
    out.writeByte(' ');
    ByteBufUtil.writeAscii(out, HttpResponseStatus.valueOf(status).reasonPhrase());
    out.writeShort(CRLF);
  }

  /** Writes a request line; {@code target} is in origin-form, of visible ASCII only. */
  public static void requestLine(ByteBuf out, String method, String target) {
    requireVisible(method);
    requireVisible(target);
    ByteBufUtil.writeAscii(out, method);
    out.writeByte(' ');
    ByteBufUtil.writeAscii(out, target);
    out.writeBytes(REQUEST_END);
  }

  public static void field(ByteBuf out, Field field) {
    latin1(out, field.name());
    out.writeShort(COLON_SP);
    latin1(out, field.value());
    out.writeShort(CRLF);
  }

  public static void field(ByteBuf out, String name, String value) {
    field(out, new Field(name, value));
  }

  public static void contentLength(ByteBuf out, long bytes) {
    out.writeBytes(CONTENT_LENGTH);
    decimal(out, bytes);
    out.writeShort(CRLF);
  }

  public static void transferEncodingChunked(ByteBuf out) {
    out.writeBytes(CHUNKED);
  }

  /** Writes the empty line after the last field. */
  public static void end(ByteBuf out) {
    out.writeShort(CRLF);
  }

  /** Writes the line before a chunk's content; {@code contentBytes} is above zero. */
  public static void chunkStart(ByteBuf out, int contentBytes) {
    if (contentBytes <= 0) {
      throw new IllegalArgumentException("not a chunk size: " + contentBytes);
    }
    int digits = (35 - Integer.numberOfLeadingZeros(contentBytes)) / 4;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      out.writeByte(HEX[contentBytes >>> shift & 0xf]);
    }
    out.writeShort(CRLF);
  }

  /** Writes the line end after a chunk's content. */
  public static void chunkEnd(ByteBuf out) {
    out.writeShort(CRLF);
  }

  /** Writes the chunk that ends a body, without trailers. */
  public static void lastChunk(ByteBuf out) {
    out.writeBytes(LAST_CHUNK);
  }

  private static void requireVisible(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        throw new IllegalArgumentException(
            "the request line has a character that is not visible ASCII");
      }
    }
  }

  /** Writes a number that is not negative. */
  public static void decimal(ByteBuf out, long number) {
    if (number >= 10) {
      decimal(out, number / 10);
    }
    out.writeByte('0' + (int) (number % 10));
  }

  private static void latin1(ByteBuf out, String text) {
    out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
