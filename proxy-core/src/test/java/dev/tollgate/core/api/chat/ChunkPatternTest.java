package dev.tollgate.core.api.chat;

import static dev.tollgate.core.api.Chunks.DONE;
import static dev.tollgate.core.api.Chunks.LAST;
import static dev.tollgate.core.api.Chunks.delta;
import static dev.tollgate.core.api.Chunks.finish;
import static dev.tollgate.core.api.Chunks.role;
import static dev.tollgate.core.api.Chunks.root;
import static dev.tollgate.core.api.Chunks.text;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Chunks;
import dev.tollgate.core.api.RelayedStream;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.ReplyEventStream;
import dev.tollgate.core.api.ReplyEventStream.Step;
import dev.tollgate.core.api.Samples;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunks that differ from the previous one in their text only, and chunks that only look so. */
class ChunkPatternTest {
  private static final int STREAMS = 3_000;
  private static final int EVENTS_MAX = 30;

  /**
   * Texts, some of which end a string early or are invalid; in Latin-1, so that chars are bytes.
   */
  private static final List<String> TEXTS =
      List.of(
          "a",
          " a few words",
          "",
          "\\\"said\\\"",
          "\\u00e9\\n",
          "Ã©",
          "é",
          "ÿ",
          "\\ud83d",
          "a\\",
          "\\x",
          "a\nb",
          "a\tb",
          "\"",
          "\"},\"finish_reason\":\"stop\"}],\"x\":[{\"y\":{\"z\":\"",
          "w".repeat(700),
          "w".repeat(5_000));

  /** Providers' notations of a text. */
  private static final List<Function<String, String>> SHAPES =
      List.of(
          Chunks::text,
          text -> text(text).replace("}]", "}],\"obfuscation\":\"" + text + "\""),
          text -> text(text).replace("}]", "}],\"p\":\"xy\",\"usage\":null"),
          text -> text(text).replace("}]", "}],\"obfuscation\":7"),
          text -> text(text).replace("}]", "}],\"obfuscation\":\"a\",\"obfuscation\":\"b\""),
          text -> text(text).replace("{\"id\"", "{\"obfuscation\":\"" + text + "\",\"id\""),
          text -> text(text).replace("\"c1\"", "\"c2\""),
          text -> text(text).replace("1700000000", "17000000" + (10 + text.length() % 90)),
          text -> text(text).replace("\"created\":1700000000,", ""),
          text -> text(text).replace("\"id\":\"c1\",", ""),
          text -> text(text).replace("}]", "}],\"usage\":{\"prompt_tokens\":1}"),
          text -> text(text).replace("}]", "}],\"x_llm_a\":1,\"error\":null"),
          text -> text(text).replace("{", "{ ").replace(",", " ,  "),
          text -> text(text).replace(",\"choices", ",\n\"choices").replace("\n", "\ndata: "),
          text -> delta("\"role\":\"assistant\",\"content\":\"" + text + "\""),
          text -> delta("\"content\":\"\",\"reasoning_content\":\"" + text + "\""),
          text -> delta("\"content\":\"a\",\"reasoning\":\"" + text + "\""),
          text -> delta("\"content\":\"" + text + "\",\"content\":\"" + text + "\""),
          text -> delta("\"cont\\u0065nt\":\"" + text + "\""),
          text -> delta("\"refusal\":\"" + text + "\",\"annotations\":[]"),
          _ -> delta("\"tool_calls\":[{\"index\":0,\"id\":\"x\",\"function\":{}}]"),
          text -> root("[{\"delta\":{\"content\":\"" + text + "\"}}]"),
          text -> root("[{\"index\":1,\"delta\":{\"content\":\"" + text + "\"}}]"),
          text ->
              root(
                  "[{\"index\":1,\"delta\":{}},{\"index\":0,\"delta\":{\"content\":\""
                      + text
                      + "\"},\"finish_reason\":\"\"}]"),
          text ->
              root(
                  "[{\"index\":0,\"delta\":{\"content\":\""
                      + text
                      + "\"},\"finish_reason\":\"stop\"}]"),
          _ -> role(),
          _ -> finish("stop"),
          _ -> LAST,
          _ -> "{\"usage\":null}",
          text -> text(text).replace("}]}", ""),
          text -> text(text) + "}",
          text -> text(text) + " \t",
          text -> "{\"error\":{\"message\":\"" + text + "\"}}");

  @Test
  void aChunkThatIsLikeTheOneBeforeIsWrittenWithoutBeingTakenApart() {
    var chat = new ChatStream(Samples.stamp());
    ByteBuf out = Unpooled.buffer();
    assertThat(repeats(chat, text("one"), out)).isFalse();
    take(chat, text("one"), out);
    assertThat(repeats(chat, text("two"), out)).as("the first has the role before it").isFalse();
    take(chat, text("two"), out);
    out.clear();
    assertThat(repeats(chat, text("thr\\\"ee"), out)).isTrue();
    assertThat(out.toString(UTF_8))
        .isEqualTo(
            "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
                + "\"model\":\"acme/m1\",\"provider\":\"acme-eu\",\"choices\":[{\"index\":0,"
                + "\"delta\":{\"content\":\"thr\\\"ee\"},\"finish_reason\":null}]}\n\n");
    assertThat(repeats(chat, text("four").replace("c1", "c2"), out)).isFalse();
    assertThat(repeats(chat, text("five"), out)).as("nothing is known behind another").isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"obfuscation", "p"})
  void paddingMayBeAnotherOneInEachChunk(String name) {
    var chat = new ChatStream(Samples.stamp());
    ByteBuf out = Unpooled.buffer();
    for (String padding : List.of("a", "bc")) {
      take(chat, padded(name, padding), out);
    }
    out.clear();
    assertThat(repeats(chat, padded(name, "def"), out)).isTrue();
    assertThat(out.toString(UTF_8)).contains("\"text\"").doesNotContain("\"" + name + "\":", "def");
  }

  private static String padded(String name, String padding) {
    return text("text").replace("}]", "}],\"" + name + "\":\"" + padding + "\"");
  }

  @Test
  void whatIsWrittenIsTheSameAsIfEachWereTakenApart() {
    for (int seed = 0; seed < STREAMS; seed++) {
      List<String> events = events(new Random(seed));
      // White space before a chunk is ignored by clients, and not part of a pattern.
      RelayedStream expected =
          relayed(events.stream().map(ChunkPatternTest::behindSpace).toList(), seed);
      RelayedStream got = relayed(events, seed);
      assertThat(got.text()).as("seed %d", seed).isEqualTo(expected.text());
      assertThat(got.steps()).as("seed %d", seed).isEqualTo(expected.steps());
      assertThat(state(got.chat())).as("seed %d", seed).isEqualTo(state(expected.chat()));
      assertThat(got.charged()).as("seed %d", seed).isEqualTo(expected.charged());
    }
  }

  private static String behindSpace(String event) {
    return event.startsWith("{") ? " " + event : event;
  }

  private static List<Object> state(ReplyEventStream chat) {
    return List.of(
        chat.deliveredTokens(),
        chat.contentSeen(),
        chat.isWritten(),
        chat.finished(),
        chat.badEvents(),
        chat.anomalies());
  }

  /** Returns runs of one shape, as providers make them, and sometimes another one. */
  private static List<String> events(Random random) {
    List<String> events = new ArrayList<>();
    Function<String, String> shape = SHAPES.getFirst();
    for (int left = random.nextInt(EVENTS_MAX); left > 0; left--) {
      if (random.nextInt(4) == 0) {
        shape = SHAPES.get(random.nextInt(SHAPES.size()));
      }
      // The first texts are valid: few streams survive three invalid chunks.
      String text = TEXTS.get(random.nextInt(random.nextInt(4) == 0 ? TEXTS.size() : 2));
      events.add(shape.apply(text));
    }
    events.add(DONE);
    return events;
  }

  private static RelayedStream relayed(List<String> events, int seed) {
    byte[] stream = Chunks.stream(events.toArray(String[]::new)).getBytes(ISO_8859_1);
    return RelayedStream.of(stream, seed % 2 == 0 ? Cut.WHOLE : Cut.random(new Random(seed)));
  }

  private static boolean repeats(ChatStream chat, String chunk, ByteBuf out) {
    byte[] data = chunk.getBytes(UTF_8);
    return chat.writeRepeated(data, 0, data.length, out);
  }

  private static void take(ChatStream chat, String chunk, ByteBuf out) {
    byte[] data = chunk.getBytes(UTF_8);
    assertThat(chat.event(data, 0, data.length, out)).isEqualTo(Step.WROTE);
  }
}
