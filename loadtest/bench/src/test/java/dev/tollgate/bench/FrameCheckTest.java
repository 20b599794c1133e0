package dev.tollgate.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Streams whose frames differ from the first stream's are counted by kind of error. */
class FrameCheckTest {
  private static final List<String> WORDS = List.of("alpha", " beta", " beta", " gam\\\"ma", " d");

  private final Tally tally = new Tally();
  private final KnownScript script = recorded();

  private static KnownScript recorded() {
    Recording recording = new Recording();
    StreamReader reader = new StreamReader(new Tally(), recording.newCheck(new Tally()), 0);
    reader.feed(Unpooled.wrappedBuffer(stream(WORDS).getBytes(UTF_8)), 1_000);
    assertThat(reader.end()).isNull();
    return recording.script();
  }

  private static String stream(List<String> words) {
    StringBuilder all = new StringBuilder(event("{\"role\":\"assistant\",\"content\":\"\"}"));
    words.forEach(word -> all.append(event("{\"content\":\"" + word + "\"}")));
    return all.append(event("{}")).append("data: [DONE]\n\n").toString();
  }

  private static String event(String delta) {
    return "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":" + delta + "}]}\n\n";
  }

  private static List<String> without(int at) {
    List<String> words = new ArrayList<>(WORDS);
    words.remove(at);
    return words;
  }

  private static List<String> with(int at, String word) {
    List<String> words = new ArrayList<>(WORDS);
    words.add(at, word);
    return words;
  }

  private Failure read(String stream) {
    StreamReader reader = new StreamReader(tally, script.newCheck(tally), 0);
    for (byte each : stream.getBytes(UTF_8)) {
      reader.feed(Unpooled.wrappedBuffer(new byte[] {each}), 2_000);
    }
    Failure failure = reader.end();
    return failure == null ? NONE : failure;
  }

  /** Placeholder for no failure; a stream never has it. */
  private static final Failure NONE = Failure.CONNECT;

  @Test
  void equalFramesAreValidAndTheirDelayIsCounted() {
    assertThat(read(stream(WORDS))).isEqualTo(NONE);
    assertThat(tally.events()).isEqualTo(8);
    assertThat(tally.eventDelay().getTotalCount()).isEqualTo(5);
    assertThat(tally.eventDelay().getMaxValue()).isEqualTo(1_000);
    assertThat(tally.firstToken().getTotalCount()).isOne();
  }

  @Test
  void aLostFrameIsAnErrorWhereverItWas() {
    for (int at = 0; at < WORDS.size(); at++) {
      assertThat(read(stream(without(at)))).isEqualTo(Failure.FRAMES);
      assertThat(tally.framesLost()).isEqualTo(at + 1);
    }
    assertThat(tally.framesRepeated() + tally.framesChanged()).isZero();
  }

  @Test
  void aRepeatedFrameIsAnError() {
    assertThat(read(stream(with(1, "alpha")))).isEqualTo(Failure.FRAMES);
    assertThat(read(stream(with(5, " d")))).isEqualTo(Failure.FRAMES);
    assertThat(read(stream(with(4, "alpha")))).isEqualTo(Failure.FRAMES);
    assertThat(tally.framesRepeated()).isEqualTo(3);
    assertThat(tally.framesLost() + tally.framesChanged()).isZero();
  }

  @Test
  void aChangedFrameAndOneTooManyAreErrors() {
    List<String> changed = without(3);
    changed.add(3, " gam\\\"mb");
    assertThat(read(stream(changed))).isEqualTo(Failure.FRAMES);
    assertThat(read(stream(with(5, " unheard")))).isEqualTo(Failure.FRAMES);
    assertThat(tally.framesChanged()).isEqualTo(2);
    assertThat(tally.framesLost() + tally.framesRepeated()).isZero();
  }

  @Test
  void aTruncatedStreamAndAnErrorEventAreErrors() {
    String whole = stream(WORDS);
    assertThat(read(whole.replace("data: [DONE]\n\n", ""))).isEqualTo(Failure.BROKEN);
    String failed = "data: {\"error\":{\"code\":\"upstream_broken\"}}\n\ndata: [DONE]\n\n";
    assertThat(read(failed)).isEqualTo(Failure.ERROR_EVENT);
    assertThat(tally.firstProblem()).contains("upstream_broken");
  }

  @Test
  void theScheduleIsTheEarliestOfTheReference() {
    StreamReader early = new StreamReader(tally, script.learning().newCheck(tally), 0);
    early.feed(Unpooled.wrappedBuffer(stream(WORDS).getBytes(UTF_8)), 600);
    assertThat(early.end()).isNull();
    Tally later = new Tally();
    StreamReader reader = new StreamReader(later, script.newCheck(later), 100);
    reader.feed(Unpooled.wrappedBuffer(stream(WORDS).getBytes(UTF_8)), 750);
    assertThat(later.eventDelay().getMaxValue()).as("650 since its start").isEqualTo(50);
  }
}
