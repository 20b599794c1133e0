package dev.tollgate.core.sse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.AwsEventFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Frames are decoded alike for all splits, and damaged frames are not decoded. */
class AwsEventStreamDecoderTest {
  private static final int BYTES_MAX = 64;

  private static final byte[] STREAM =
      new AwsEventFrames()
          .event("messageStart", "{\"role\":\"assistant\"}")
          .event("delta", "{\"text\":\"é\"}")
          .event("delta", "")
          .exception("throttlingException", "{\"message\":\"slow \\\"down\\\"\"}")
          .frame(new byte[0], ":message-type", "error", ":error-code", "x", ":error-message", "m")
          .bytes();

  /** Records events, and the number of times the framing was damaged. */
  private static final class Listener extends RecordedEvents {
    private int broken;

    @Override
    public void broken() {
      broken++;
    }
  }

  private static Listener recorded(byte[] stream, int... cuts) {
    var recorded = new Listener();
    var decoder = new AwsEventStreamDecoder(recorded, BYTES_MAX);
    for (int at = 0, i = 0; at < stream.length; i++) {
      int length = Math.min(cuts[i % cuts.length], stream.length - at);
      if (i % 2 == 0) {
        decoder.feed(Unpooled.wrappedBuffer(stream, at, length));
      } else {
        ByteBuf direct = Unpooled.directBuffer(length).writeBytes(stream, at, length);
        decoder.feed(direct);
        direct.release();
      }
      at += length;
    }
    decoder.finish();
    assertThat(decoder.heldBytes()).isZero();
    return recorded;
  }

  @Test
  void framesAreDecodedAlikeForAllSplits() {
    Listener whole = recorded(STREAM, STREAM.length);
    assertThat(whole.events())
        .containsExactly(
            "messageStart|{\"role\":\"assistant\"}",
            "delta|{\"text\":\"é\"}",
            "delta|",
            "error|{\"error\":{\"type\":\"throttlingException\",\"message\":\"slow \\\"down\\\"\"}}",
            "error|{\"error\":{\"type\":\"x\",\"message\":\"m\"}}");
    assertThat(recorded(STREAM, 1).events()).isEqualTo(whole.events());
    for (int cut = 1; cut < STREAM.length; cut++) {
      assertThat(recorded(STREAM, cut, STREAM.length).events()).isEqualTo(whole.events());
    }
    for (int seed = 0; seed < 50; seed++) {
      int[] cuts = new Random(seed).ints(30, 1, 60).toArray();
      assertThat(recorded(STREAM, cuts).events()).isEqualTo(whole.events());
    }
  }

  /** Each bit is protected: one checksum covers the prelude, and one the whole frame. */
  @Test
  void aFrameWithOneWrongBitIsNotDecoded() {
    byte[] frame = new AwsEventFrames().event("a", "{\"b\":1}").bytes();
    for (int bit = 0; bit < frame.length * 8; bit++) {
      byte[] damaged = frame.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      for (int cut : new int[] {frame.length, 1, 13}) {
        Listener recorded = recorded(damaged, cut);
        assertThat(recorded.events()).as("bit %d", bit).isEmpty();
        assertThat(recorded.broken).as("bit %d", bit).isEqualTo(1);
      }
    }
  }

  @Test
  void nothingIsDecodedAfterADamagedFrame() {
    byte[] good = new AwsEventFrames().event("a", "{}").bytes();
    byte[] all = Arrays.copyOf(good, good.length * 3);
    System.arraycopy(good, 0, all, good.length, good.length);
    System.arraycopy(good, 0, all, good.length * 2, good.length);
    all[good.length + 20] ^= 1;
    assertThat(recorded(all, all.length).events()).containsExactly("a|{}");
    assertThat(recorded(all, 7).broken).isEqualTo(1);
  }

  @Test
  void anIncompleteFrameIsNotDecoded() {
    byte[] frame = new AwsEventFrames().event("a", "{}").bytes();
    for (int length = 1; length < frame.length; length++) {
      var recorded = new Listener();
      var decoder = new AwsEventStreamDecoder(recorded, BYTES_MAX);
      decoder.feed(Unpooled.wrappedBuffer(frame, 0, length));
      assertThat(decoder.isMidEvent()).isTrue();
      assertThat(decoder.heldBytes()).isPositive();
      decoder.finish();
      assertThat(decoder.isMidEvent()).isFalse();
      assertThat(recorded.events()).isEmpty();
      assertThat(recorded.broken).isZero();
    }
  }

  @Test
  void aPayloadThatIsTooLongIsRefusedByItsPrelude() {
    byte[] most = new AwsEventFrames().event("a", "x".repeat(BYTES_MAX)).bytes();
    assertThat(recorded(most, 5).events()).hasSize(1);
    byte[] more = new AwsEventFrames().event("a", "x".repeat(BYTES_MAX + 1)).bytes();
    assertThat(recorded(Arrays.copyOf(more, 12), 1).oversized()).isEqualTo(1);
    assertThat(recorded(more, more.length).events()).isEmpty();
  }

  @Test
  void headersThatAreTooLongOrNoneAreRefused() {
    byte[] long1 = new AwsEventFrames().frame(new byte[0], "a", "x".repeat(9_000)).bytes();
    assertThat(recorded(Arrays.copyOf(long1, 12), 12).broken).isEqualTo(1);
    for (byte[] headers :
        new byte[][] {
          {}, // no type of message
          {0, 7, 0, 0}, // no name
          {1, 'a'},
          {1, 'a', 7, 0},
          {1, 'a', 7, 0, 2, 'x'},
          {1, 'a', 10, 0, 0},
          {1, 'a', -1},
          {(byte) 255, 'a', 0}
        }) {
      byte[] frame = new AwsEventFrames().framed(headers, "{}".getBytes(UTF_8)).bytes();
      Listener recorded = recorded(frame, frame.length);
      assertThat(recorded.events()).isEmpty();
      assertThat(recorded.broken).as(Arrays.toString(headers)).isEqualTo(1);
    }
  }

  /** Headers of all types are skipped. */
  @Test
  void headersOfEveryKindAreRead() {
    var headers = Unpooled.buffer();
    int[] lengths = {0, 0, 1, 2, 4, 8, 3, 3, 8, 16};
    for (int kind = 0; kind < lengths.length; kind++) {
      headers.writeByte(1).writeByte('a' + kind).writeByte(kind);
      if (kind == 6 || kind == 7) {
        headers.writeShort(3);
      }
      headers.writeZero(lengths[kind]);
    }
    headers.writeByte(13).writeBytes(":message-type".getBytes(UTF_8));
    headers.writeByte(7).writeShort(5).writeBytes("event".getBytes(UTF_8));
    byte[] all = Arrays.copyOf(headers.array(), headers.writerIndex());
    assertThat(recorded(new AwsEventFrames().framed(all, "{}".getBytes(UTF_8)).bytes(), 3).events())
        .containsExactly("|{}");
  }

  @Test
  void aFrameIsNotOfTheKindOfTheOneBefore() {
    byte[] two =
        new AwsEventFrames()
            .event("delta", "{}")
            .frame("{}".getBytes(UTF_8), ":message-type", "event")
            .event("delta", "{}")
            .exception("someException", "{\"Message\":\"m\"}")
            .frame(new byte[0], ":message-type", "exception")
            .bytes();
    assertThat(recorded(two, 9).events())
        .containsExactly(
            "delta|{}",
            "|{}",
            "delta|{}",
            "error|{\"error\":{\"type\":\"someException\",\"message\":\"m\"}}",
            "error|{\"error\":{\"type\":\"\",\"message\":\"\"}}");
  }

  @Test
  void itsSinkMayCloseIt() {
    byte[] two = new AwsEventFrames().event("a", "{}").event("b", "{}").bytes();
    for (int cut : new int[] {two.length, 1, 11}) {
      var decoder = new AwsEventStreamDecoder[1];
      var recorded =
          new RecordedEvents() {
            @Override
            public void event(String name, byte[] data, int from, int to) {
              super.event(name, data, from, to);
              decoder[0].close();
            }
          };
      decoder[0] = new AwsEventStreamDecoder(recorded, BYTES_MAX);
      for (int at = 0; at < two.length; at += cut) {
        decoder[0].feed(Unpooled.wrappedBuffer(two, at, Math.min(cut, two.length - at)));
      }
      assertThat(recorded.events()).containsExactly("a|{}");
      assertThat(decoder[0].heldBytes()).isZero();
    }
  }
}
