package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Feeder of one stream in many splits, which checks that all are decoded alike. */
final class StreamSplits {
  static final int EVENT_BYTES_MAX = 32 << 20;
  private static final int EVERY_CUT_BYTES_MAX = 8_192;
  private static final int DIRECT_CUTS = 100;

  private StreamSplits() {}

  /** Decodes whole, byte by byte, and split in two at every position, on and off the heap. */
  static RecordedEvents decodeAllWays(byte[] stream) {
    RecordedEvents whole = decode(stream, stream.length, false);
    assertSame(decode(stream, stream.length, true), whole);
    assertSame(decode(stream, 1, false), whole);
    assertSame(decode(stream, 1, true), whole);
    int step = stream.length <= EVERY_CUT_BYTES_MAX ? 1 : 97;
    for (int cut = 1; cut < stream.length; cut += step) {
      assertSame(decodeCut(stream, cut, false), whole);
    }
    step = Math.max(1, stream.length / DIRECT_CUTS);
    for (int cut = 1; cut < stream.length; cut += step) {
      assertSame(decodeCut(stream, cut, true), whole);
    }
    return whole;
  }

  /** Decodes in pieces of one size. */
  static RecordedEvents decode(byte[] stream, int piece, boolean direct) {
    RecordedEvents recorded = new RecordedEvents();
    SseDecoder decoder = new SseDecoder(recorded, EVENT_BYTES_MAX);
    for (int at = 0; at < stream.length; at += piece) {
      feed(decoder, stream, at, Math.min(stream.length, at + piece), direct);
    }
    decoder.finish();
    return recorded;
  }

  private static RecordedEvents decodeCut(byte[] stream, int cut, boolean direct) {
    RecordedEvents recorded = new RecordedEvents();
    SseDecoder decoder = new SseDecoder(recorded, EVENT_BYTES_MAX);
    feed(decoder, stream, 0, cut, direct);
    feed(decoder, stream, cut, stream.length, direct);
    decoder.finish();
    return recorded;
  }

  static RecordedEvents decode(String stream) {
    return decodeAllWays(stream.getBytes(StandardCharsets.UTF_8));
  }

  static void feed(SseDecoder decoder, byte[] stream, int from, int to, boolean direct) {
    ByteBuf in = Unpooled.wrappedBuffer(stream, from, to - from);
    if (direct) {
      in = Unpooled.directBuffer(to - from).writeBytes(in);
    }
    try {
      decoder.feed(in);
      assertThat(in.isReadable()).isFalse();
      assertThat(in.refCnt()).isEqualTo(1);
    } finally {
      in.release();
    }
  }

  private static void assertSame(RecordedEvents recorded, RecordedEvents whole) {
    assertThat(recorded.events()).isEqualTo(whole.events());
    assertThat(recorded.comments()).isEqualTo(whole.comments());
    assertThat(recorded.oversized()).isEqualTo(whole.oversized());
  }
}
