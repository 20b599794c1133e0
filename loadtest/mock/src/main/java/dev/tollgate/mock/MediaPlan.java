package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.mock.media.MediaReply;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Encodes a {@link MediaReply} as frames to send. Large files are sent in chunks. */
final class MediaPlan {
  private static final int CHUNKED_BYTES_MIN = 1 << 20;

  private MediaPlan() {}

  static ReplyPlan of(MediaReply reply, boolean keepAlive) {
    return switch (reply) {
      case MediaReply.Json json -> json(json, keepAlive);
      case MediaReply.File file -> file(file, keepAlive);
      case MediaReply.Closed _ -> plan(new byte[0], new int[0], new long[0], ReplyEnding.FIN);
      case MediaReply.NoResponse _ -> plan(new byte[0], new int[0], new long[0], ReplyEnding.HANG);
    };
  }

  private static ReplyPlan json(MediaReply.Json json, boolean keepAlive) {
    byte[] body = json.body().getBytes(UTF_8);
    var out = new ByteArrayOutputStream();
    out.writeBytes(
        head(json.status() + " Mock", "application/json", "Content-Length: " + body.length));
    out.writeBytes(body);
    byte[] bytes = out.toByteArray();
    return plan(bytes, new int[] {bytes.length}, new long[1], ending(keepAlive));
  }

  private static ReplyPlan file(MediaReply.File file, boolean keepAlive) {
    int sent = file.sentBytes();
    int length = file.bytes().limit();
    boolean isCut = sent < length;
    boolean isChunked = sent >= CHUNKED_BYTES_MIN && !isCut;
    String transfer =
        isChunked ? "Transfer-Encoding: chunked" : "Content-Length: " + Math.max(sent, length);
    byte[] all = Arrays.copyOf(file.bytes().array(), sent);
    var out = new ByteArrayOutputStream(sent + 1024);
    out.writeBytes(head("200 OK", file.contentType(), transfer));
    int pieces = Math.ceilDiv(sent, file.pieceBytes());
    int[] ends = new int[pieces];
    long[] dueNanos = new long[pieces];
    for (int n = 0; n < pieces; n++) {
      int from = n * file.pieceBytes();
      int count = Math.min(file.pieceBytes(), sent - from);
      if (isChunked) {
        out.writeBytes((Integer.toHexString(count) + "\r\n").getBytes(ISO_8859_1));
      }
      out.write(all, from, count);
      if (isChunked) {
        out.writeBytes((n == pieces - 1 ? "\r\n0\r\n\r\n" : "\r\n").getBytes(ISO_8859_1));
      }
      ends[n] = out.size();
      dueNanos[n] = n * file.pause().toNanos();
    }
    return plan(out.toByteArray(), ends, dueNanos, isCut ? ReplyEnding.FIN : ending(keepAlive));
  }

  private static byte[] head(String status, String type, String transfer) {
    return "HTTP/1.1 %s\r\nContent-Type: %s\r\n%s\r\n\r\n"
        .formatted(status, type, transfer)
        .getBytes(ISO_8859_1);
  }

  private static ReplyEnding ending(boolean keepAlive) {
    return keepAlive ? ReplyEnding.KEEP_ALIVE : ReplyEnding.FIN;
  }

  private static ReplyPlan plan(byte[] bytes, int[] ends, long[] dueNanos, ReplyEnding ending) {
    int piecesPerWrite = 1;
    return new ReplyPlan(
        Unpooled.wrappedBuffer(bytes),
        ends,
        dueNanos,
        new int[ends.length],
        piecesPerWrite,
        ending,
        0,
        0);
  }
}
