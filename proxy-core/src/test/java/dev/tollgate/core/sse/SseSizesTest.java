package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Long events pass, oversized ones are reported once, and memory follows the pending bytes. */
class SseSizesTest {
  private static final int READ_BYTES = 16 * 1024;

  @Test
  void longLinesPassUnchanged() {
    for (int length : new int[] {(64 << 10) + 1, (1 << 20) + 1, 16 << 20}) {
      Measured measured = new Measured();
      SseDecoder decoder = new SseDecoder(measured, 32 << 20);
      feed(decoder, event(length), READ_BYTES);
      assertThat(measured.events).isEqualTo(1);
      assertThat(measured.dataBytes).isEqualTo(length);
      assertThat(measured.intact).isTrue();
      assertThat(decoder.heldBytes()).isLessThanOrEqualTo(1_024);
    }
  }

  @Test
  void memoryStaysNearTheCapWhileALongEventIsCollected() {
    int cap = 5 << 20;
    SseDecoder decoder = new SseDecoder(new Measured(), cap);
    byte[] stream = event(cap);
    int highest = 0;
    for (int at = 0; at < stream.length; at += READ_BYTES) {
      int to = Math.min(stream.length, at + READ_BYTES);
      decoder.feed(Unpooled.wrappedBuffer(stream, at, to - at));
      highest = Math.max(highest, decoder.heldBytes());
    }
    assertThat(highest).isBetween(cap, cap + (64 << 10));
    assertThat(decoder.heldBytes()).isZero();
  }

  @Test
  void whatIsHeldIsWithItsHeaderAPowerOfTwo() {
    SseDecoder decoder = new SseDecoder(new Measured(), 32 << 20);
    byte[] stream = event(450 << 10);
    decoder.feed(Unpooled.wrappedBuffer(stream, 0, 100));
    assertThat(decoder.heldBytes()).isEqualTo(256 - 16);
    decoder.feed(Unpooled.wrappedBuffer(stream, 100, stream.length - 200));
    assertThat(decoder.heldBytes()).isEqualTo((512 << 10) - 16);
  }

  @Test
  void anEventOfExactlyTheCapPassesAndOneMoreByteDoesNot() {
    int cap = 10_000;
    for (int read : new int[] {1, 7, 4_096, 1 << 20}) {
      assertThat(measured(event(cap), cap, read).events).as("read %d", read).isEqualTo(1);
      assertThat(measured(event(cap), cap, read).oversized).isZero();
      Measured above = measured(event(cap + 1), cap, read);
      assertThat(above.events).as("read %d", read).isZero();
      assertThat(above.oversized).isEqualTo(1);
    }
  }

  @Test
  void linesOfOneEventCountTogether() {
    byte[] stream = "data: 1234\ndata: 567\n\n".getBytes(StandardCharsets.UTF_8);
    for (int read = 1; read <= stream.length; read++) {
      assertThat(measured(stream, 8, read).events).isEqualTo(1);
      assertThat(measured(stream, 7, read).oversized).isEqualTo(1);
    }
  }

  @Test
  void nothingIsDecodedAfterAnOversizedEvent() {
    Measured measured = new Measured();
    SseDecoder decoder = new SseDecoder(measured, 100);
    feed(decoder, event(101), 64);
    feed(decoder, event(5), 64);
    feed(decoder, event(101), 64);
    decoder.finish();
    assertThat(measured.oversized).isEqualTo(1);
    assertThat(measured.events).isZero();
    assertThat(decoder.heldBytes()).isZero();
  }

  @Test
  void commentsAndUnknownFieldsMayBeLongAndAreNotKept() {
    for (String start : new String[] {":", "id: ", "x", "retry: ", "dat", "events: "}) {
      Measured measured = new Measured();
      SseDecoder decoder = new SseDecoder(measured, 1_000);
      byte[] line = (start + "y".repeat(300_000)).getBytes(StandardCharsets.UTF_8);
      feed(decoder, line, READ_BYTES);
      assertThat(decoder.heldBytes()).as(start).isLessThanOrEqualTo(1_024);
      feed(decoder, "\ndata: z\n\n".getBytes(StandardCharsets.UTF_8), 3);
      assertThat(measured.oversized).isZero();
      assertThat(measured.events).isEqualTo(1);
    }
  }

  @Test
  void aNameOfUnreasonableLengthIsOversized() {
    byte[] line = ("event: " + "y".repeat(2_000) + "\n").getBytes(StandardCharsets.UTF_8);
    assertThat(measured(line, 1 << 20, 100).oversized).isEqualTo(1);
    assertThat(measured(line, 1 << 20, line.length).oversized).isEqualTo(1);
  }

  @Test
  void aStreamAtRestHoldsNextToNothing() {
    SseDecoder decoder = new SseDecoder(new Measured(), 32 << 20);
    for (int i = 0; i < 50; i++) {
      feed(decoder, event(200 * i), 777);
      assertThat(decoder.heldBytes()).isLessThanOrEqualTo(1_024);
    }
  }

  @Test
  void readsOutsideTheHeapMayBeLongerThanTheScratch() {
    Measured measured = new Measured();
    SseDecoder decoder = new SseDecoder(measured, 1 << 20);
    byte[] stream = event(300_000);
    ByteBuf in = Unpooled.directBuffer(stream.length).writeBytes(stream);
    decoder.feed(in);
    in.release();
    assertThat(measured.dataBytes).isEqualTo(300_000);
    assertThat(measured.intact).isTrue();
  }

  private static Measured measured(byte[] stream, int cap, int read) {
    Measured measured = new Measured();
    SseDecoder decoder = new SseDecoder(measured, cap);
    feed(decoder, stream, read);
    decoder.finish();
    return measured;
  }

  private static byte[] event(int length) {
    byte[] event = new byte[length + 8];
    Arrays.fill(event, (byte) 'y');
    System.arraycopy("data: ".getBytes(StandardCharsets.US_ASCII), 0, event, 0, 6);
    event[length + 6] = '\n';
    event[length + 7] = '\n';
    return event;
  }

  private static void feed(SseDecoder decoder, byte[] stream, int read) {
    for (int at = 0; at < stream.length; at += read) {
      decoder.feed(Unpooled.wrappedBuffer(stream, at, Math.min(read, stream.length - at)));
    }
  }

  /** Sink that counts, and checks that data is all {@code y}. */
  private static final class Measured implements SseSink {
    private int events;
    private int oversized;
    private int dataBytes;
    private boolean intact = true;

    @Override
    public void event(String name, byte[] data, int from, int to) {
      events++;
      dataBytes = to - from;
      for (int i = from; i < to; i++) {
        intact &= data[i] == 'y';
      }
    }

    @Override
    public void comment() {}

    @Override
    public void oversized(int eventBytesMax) {
      oversized++;
    }
  }
}
