package dev.tollgate.core.sse;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Decoder of a stream of JSON lines, in which each line that is not empty is the data of one event.
 * It is confined to one thread.
 */
public final class JsonLinesDecoder implements StreamDecoder {
  private static final byte[] FIELD = "data:".getBytes(US_ASCII);
  private static final byte[] END = {'\n'};

  private final SseDecoder decoder;
  private boolean inLine;

  /**
   * Creates a decoder at the start of a stream.
   *
   * @param lineBytesMax largest size of one line in bytes
   */
  public JsonLinesDecoder(SseSink sink, int lineBytesMax) {
    this.decoder = new SseDecoder(sink, lineBytesMax);
  }

  @Override
  public void feed(ByteBuf in) {
    while (in.isReadable()) {
      if (!inLine && isEnd(in.getByte(in.readerIndex()))) {
        in.skipBytes(1);
      } else {
        line(in);
      }
    }
  }

  /** Ends the stream; a last line without a line end counts. */
  @Override
  public void finish() {
    decoder.finish();
  }

  @Override
  public void close() {
    decoder.close();
  }

  @Override
  public boolean isMidEvent() {
    return decoder.isMidEvent();
  }

  @Override
  public int heldBytes() {
    return decoder.heldBytes();
  }

  private static boolean isEnd(byte b) {
    return b == '\n' || b == '\r';
  }

  private void line(ByteBuf in) {
    if (!inLine) {
      decoder.feed(Unpooled.wrappedBuffer(FIELD));
      inLine = true;
    }
    int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
    int length = (end < 0 ? in.writerIndex() : end + 1) - in.readerIndex();
    decoder.feed(in.readSlice(length));
    if (end >= 0) {
      decoder.feed(Unpooled.wrappedBuffer(END));
      inLine = false;
    }
  }
}
