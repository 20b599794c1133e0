package dev.tollgate.core.sse;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonValue;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Writer of the SSE streams that the gateway sends to clients (docs/decisions/streaming.md#chunks):
 * events, the terminator and pings.
 */
public final class SseWriter {
  private static final byte[] DATA = ascii("data: ");
  private static final byte[] END = ascii("\n\n");
  private static final byte[] DONE = ascii("data: [DONE]\n\n");
  private static final byte[] PING = ascii(": ping\n\n");

  private SseWriter() {}

  /** Writes an event whose data is one JSON value. */
  public static void data(ByteBuf out, JsonValue json) {
    out.writeBytes(DATA);
    int start = out.writerIndex();
    new JsonWriter(out).raw(json);
    flatten(out, start, (byte) '\n');
    flatten(out, start, (byte) '\r');
    out.writeBytes(END);
  }

  /** Begins an event whose data the caller writes: JSON without line breaks. */
  public static void begin(ByteBuf out) {
    out.writeBytes(DATA);
  }

  /** Ends an event that was begun. */
  public static void end(ByteBuf out) {
    out.writeBytes(END);
  }

  /** Writes an event whose data is the JSON value in these bytes. */
  public static void data(ByteBuf out, byte[] bytes, int from, int to) {
    data(out, JsonBytes.raw(bytes, from, to));
  }

  public static void done(ByteBuf out) {
    out.writeBytes(DONE);
  }

  /** Writes a comment that keeps the connection alive; allowed only between events. */
  public static void ping(ByteBuf out) {
    out.writeBytes(PING);
  }

  /** Removes line breaks, which in JSON are only white space and in an event would end the data. */
  private static void flatten(ByteBuf out, int start, byte lineBreak) {
    int at = out.indexOf(start, out.writerIndex(), lineBreak);
    while (at >= 0) {
      out.setByte(at, ' ');
      at = out.indexOf(at + 1, out.writerIndex(), lineBreak);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
