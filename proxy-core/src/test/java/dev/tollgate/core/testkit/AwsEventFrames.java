package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32;

/** Writer of frames of a binary event stream as AWS sends it. */
public final class AwsEventFrames {
  private final ByteBuf out = Unpooled.buffer();

  /** An event in JSON. */
  public AwsEventFrames event(String type, String json) {
    return frame(
        json.getBytes(UTF_8),
        ":event-type",
        type,
        ":content-type",
        "application/json",
        ":message-type",
        "event");
  }

  /** Exception frame with a type. */
  public AwsEventFrames exception(String type, String json) {
    return frame(json.getBytes(UTF_8), ":exception-type", type, ":message-type", "exception");
  }

  /** Frame with any payload and headers: names and values in turn. */
  public AwsEventFrames frame(byte[] payload, String... headers) {
    ByteBuf all = Unpooled.buffer();
    for (int i = 0; i < headers.length; i += 2) {
      byte[] name = headers[i].getBytes(UTF_8);
      byte[] value = headers[i + 1].getBytes(UTF_8);
      all.writeByte(name.length).writeBytes(name);
      all.writeByte(7).writeShort(value.length).writeBytes(value);
    }
    return framed(ByteBufUtil.getBytes(all), payload);
  }

  /** Frame with any payload and headers as bytes. */
  public AwsEventFrames framed(byte[] headers, byte[] payload) {
    ByteBuf frame = Unpooled.buffer();
    frame.writeInt(headers.length + payload.length + 16).writeInt(headers.length);
    frame.writeInt(sum(frame));
    frame.writeBytes(headers).writeBytes(payload);
    out.writeBytes(frame.duplicate()).writeInt(sum(frame));
    return this;
  }

  private static int sum(ByteBuf bytes) {
    var sum = new CRC32();
    sum.update(ByteBufUtil.getBytes(bytes));
    return (int) sum.getValue();
  }

  public byte[] bytes() {
    return ByteBufUtil.getBytes(out);
  }
}
