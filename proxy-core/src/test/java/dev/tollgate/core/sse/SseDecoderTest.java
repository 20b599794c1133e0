package dev.tollgate.core.sse;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules of event streams, each tested whole, byte by byte and for every split. */
class SseDecoderTest {
  @Test
  void everyLineEndEndsALine() {
    for (String end : List.of("\n", "\r\n", "\r")) {
      assertThat(decoded("data: a", end, end, "data:b", end, "data", end, end))
          .containsExactly("message|a", "message|b\n");
    }
  }

  @Test
  void carriageReturnAndLineFeedAreOneLineEndEvenWhenCut() {
    assertThat(decoded("data: a\r\n", "data: b\r\n\r\n")).containsExactly("message|a\nb");
  }

  @Test
  void severalDataLinesAreJoined() {
    assertThat(decoded("data: {\"a\":\n", ": hi\n", "id: 7\n", "data: 1}\n\n"))
        .containsExactly("message|{\"a\":\n1}");
    assertThat(decoded("data\ndata\ndata:\n\n")).containsExactly("message|\n\n");
  }

  @Test
  void atMostOneSpaceBehindTheColonIsDropped() {
    assertThat(decoded("data:  a \n\ndata:\tb\n\n")).containsExactly("message| a ", "message|\tb");
  }

  @Test
  void eventsHaveTheirNamesUntilTheyEnd() {
    assertThat(decoded("event: ping\ndata: 1\n\n", "data: 2\n\n", "event: x\n\n", "data: 3\n\n"))
        .containsExactly("ping|1", "message|2", "message|3");
    assertThat(decoded("event: a\nevent:\ndata: 1\n\n", "data: 2\nevent: é\n\n"))
        .containsExactly("message|1", "é|2");
  }

  @Test
  void unknownFieldsAreIgnored() {
    assertThat(decoded("datax: 1\n", "dat: 2\n", " data: 3\n", "retry: 9\n", "id\n", "Data: 4\n\n"))
        .isEmpty();
    assertThat(decoded("eventx: 1\n", "events\n", "even: 2\n", "<html>\n", "data: 5\n\n"))
        .containsExactly("message|5");
  }

  @Test
  void withoutDataNothingIsDispatchedAndEmptyDataIs() {
    assertThat(decoded("event: ping\n\n", "id: 1\n\n", "\n\n", "data:\n\n"))
        .containsExactly("message|");
  }

  @Test
  void commentsAreCounted() {
    RecordedEvents recorded = StreamSplits.decode(": a\n\n:\ndata: 1\n: b\r\n\n");
    assertThat(recorded.comments()).isEqualTo(3);
    assertThat(recorded.events()).containsExactly("message|1");
  }

  @Test
  void aByteOrderMarkIsSkippedAtTheVeryStartOnly() {
    assertThat(decoded("\uFEFFdata: 1\n\n", "\uFEFFdata: 2\n\n")).containsExactly("message|1");
    assertThat(decoded("\uFEFF\uFEFFdata: 1\n\n", "data: 2\n\n")).containsExactly("message|2");
    assertThat(decoded("\uFEF0data: 1\n\n", "data: 2\n\n")).containsExactly("message|2");
  }

  @Test
  void aLastEventWithoutItsBlankLineCounts() {
    for (String end : List.of("", "\n", "\r", "\r\n")) {
      assertThat(decoded("data: 1\n\ndata: [DONE]" + end))
          .containsExactly("message|1", "message|[DONE]");
    }
    assertThat(decoded("event: x")).isEmpty();
    assertThat(decoded("data")).containsExactly("message|");
  }

  @Test
  void otherLineSeparatorsAreText() {
    assertThat(decoded("data: a\u2028b\u0085c\u000bd\u000ce\u0000\n\n"))
        .containsExactly("message|a\u2028b\u0085c\u000bd\u000ce\u0000");
  }

  @Test
  void bytesThatAreNotUtf8PassUnchanged() {
    byte[] stream = {'d', 'a', 't', 'a', ':', (byte) 0xff, (byte) 0xc0, '\n', '\n'};
    byte[][] got = new byte[1][];
    SseDecoder decoder =
        new SseDecoder(
            new RecordedEvents() {
              @Override
              public void event(String name, byte[] data, int from, int to) {
                got[0] = Arrays.copyOfRange(data, from, to);
              }
            },
            100);
    decoder.feed(Unpooled.wrappedBuffer(stream));
    assertThat(got[0]).containsExactly(0xff, 0xc0);
  }

  @Test
  void anEventHasBegunUntilItEnds() {
    assertThat(midEventAfter("")).isFalse();
    assertThat(midEventAfter("data: 1\n\n")).isFalse();
    assertThat(midEventAfter("data: 1\n\n: ping\n\n")).isFalse();
    assertThat(midEventAfter(": pi")).isFalse();
    assertThat(midEventAfter("id: 1")).isFalse();
    assertThat(midEventAfter("d")).isTrue();
    assertThat(midEventAfter("data: 1")).isTrue();
    assertThat(midEventAfter("data: 1\n")).isTrue();
    assertThat(midEventAfter("event: x\n")).isTrue();
  }

  @Test
  void whatIsFedAfterTheEndIsIgnored() {
    RecordedEvents recorded = new RecordedEvents();
    SseDecoder decoder = new SseDecoder(recorded, 100);
    feed(decoder, "data: 1\n\ndata: 2");
    decoder.close();
    feed(decoder, "\n\ndata: 3\n\n");
    decoder.finish();
    assertThat(recorded.events()).containsExactly("message|1");
    assertThat(decoder.isMidEvent()).isFalse();
    assertThat(decoder.heldBytes()).isZero();
  }

  @Test
  void theSinkMayCloseTheDecoderInTheMiddleOfARead() {
    SseDecoder[] decoder = new SseDecoder[1];
    RecordedEvents recorded =
        new RecordedEvents() {
          @Override
          public void event(String name, byte[] data, int from, int to) {
            super.event(name, data, from, to);
            decoder[0].close();
          }
        };
    decoder[0] = new SseDecoder(recorded, 100);
    feed(decoder[0], "data: a");
    feed(decoder[0], "b\n\ndata: c\n\n");
    assertThat(recorded.events()).containsExactly("message|ab");
  }

  @Test
  void aDecoderThatIsFedInsideAnotherOneDoesNotDisturbIt() {
    RecordedEvents inner = new RecordedEvents();
    RecordedEvents outer =
        new RecordedEvents() {
          @Override
          public void event(String name, byte[] data, int from, int to) {
            SseDecoder nested = new SseDecoder(inner, 100);
            feedDirect(nested, "data: nested\n\n");
            super.event(name, data, from, to);
          }
        };
    feedDirect(new SseDecoder(outer, 100), "data: first\n\ndata: second\n\n");
    assertThat(outer.events()).containsExactly("message|first", "message|second");
    assertThat(inner.events()).containsExactly("message|nested", "message|nested");
  }

  private static List<String> decoded(String... parts) {
    return StreamSplits.decode(String.join("", parts)).events();
  }

  private static boolean midEventAfter(String stream) {
    SseDecoder decoder = new SseDecoder(new RecordedEvents(), 100);
    feed(decoder, stream);
    return decoder.isMidEvent();
  }

  private static void feed(SseDecoder decoder, String text) {
    decoder.feed(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private static void feedDirect(SseDecoder decoder, String text) {
    ByteBuf in = Unpooled.directBuffer().writeBytes(text.getBytes(StandardCharsets.UTF_8));
    decoder.feed(in);
    in.release();
  }
}
