package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tollgate.core.catalog.OpenAiQuirks.Reasoning;
import dev.tollgate.core.dialect.openai.ReasoningTranslation;
import dev.tollgate.core.sse.SseSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reasoning gets one member name, wherever a server puts it and however it is cut into pieces. */
class ReasoningTextTest {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** Text that a client adds up. */
  private static final class Received implements SseSink {
    private final List<String> events = new ArrayList<>();
    private String text = "";
    private String thought = "";

    @Override
    public void event(String name, byte[] data, int from, int to) {
      String event = new String(data, from, to - from, UTF_8);
      events.add(event);
      JsonNode delta =
          event.length() > 1 && event.startsWith("{") ? delta(event) : MAPPER.createObjectNode();
      text += delta.path("content").asText("");
      thought += delta.path("reasoning_content").asText("");
    }

    private static JsonNode delta(String event) {
      try {
        return MAPPER.readTree(event).path("choices").path(0).path("delta");
      } catch (java.io.IOException e) {
        throw new AssertionError(event, e);
      }
    }

    @Override
    public void comment() {}

    @Override
    public void oversized(int eventBytesMax) {}
  }

  private static Received streamed(Reasoning where, String... events) {
    var recorded = new Received();
    SseSink stream = new ReasoningTranslation(where).stream(recorded);
    for (String event : events) {
      byte[] padded = ("##" + event + "#").getBytes(UTF_8);
      stream.event("message", padded, 2, padded.length - 1);
    }
    return recorded;
  }

  private static String said(String text, String finish) throws Exception {
    return "{\"choices\":[{\"index\":0,\"delta\":{\"content\":"
        + MAPPER.writeValueAsString(text)
        + "},\"finish_reason\":"
        + finish
        + "}]}";
  }

  private static String whole(Reasoning where, String message) {
    byte[] body = ("{\"choices\":[{\"message\":" + message + "}],\"x\":1}").getBytes(UTF_8);
    TranslatedReply reply = new ReasoningTranslation(where).reply(body, body.length);
    String text = new String(reply.bytes(), 0, reply.length(), UTF_8);
    return text.substring(
        "{\"choices\":[{\"message\":".length(), text.length() - "}],\"x\":1}".length());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "<think>why</think>so|so|why",
        " ~<think>a < b </thin </think>~~ so|so|a < b </thin ",
        "<think></think>so|so|",
        "<think>only|``|only",
        "<think>cut</thi|``|cut</thi",
        "<thinking> is no tag|<thinking> is no tag|",
        "no <think>tag</think> at the start|no <think>tag</think> at the start|",
        "<thi|<thi|",
        "<think>\uD83D\uDE00</think>\uD83D\uDE00 <think>|\uD83D\uDE00 <think>|\uD83D\uDE00"
      })
  void aTaggedThoughtIsFoundHoweverItIsCut(String written, String text, String thought)
      throws Exception {
    String content = written.replace('~', '\n');
    for (int size = 1; size <= content.length(); size++) {
      List<String> events = new ArrayList<>();
      for (int at = 0; at < content.length(); at += size) {
        events.add(said(content.substring(at, Math.min(content.length(), at + size)), "null"));
      }
      for (String end :
          List.of("{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}", "[DONE]")) {
        List<String> all = new ArrayList<>(events);
        all.add(end);
        Received recorded = streamed(Reasoning.THINK_TAGS, all.toArray(String[]::new));
        assertThat(recorded.text).as("pieces of %s", size).isEqualTo(text);
        assertThat(recorded.thought)
            .as("pieces of %s", size)
            .isEqualTo(thought == null ? "" : thought);
      }
    }
    JsonNode message =
        MAPPER.readTree(
            whole(Reasoning.THINK_TAGS, MAPPER.writeValueAsString(Map.of("content", content))));
    assertThat(message.path("content").asText()).isEqualTo(text);
    assertThat(message.path("reasoning_content").asText(""))
        .isEqualTo(thought == null ? "" : thought);
  }

  @Test
  void blanksAreNotHeldWithoutEnd() throws Exception {
    String[] blanks = new String[100];
    Arrays.fill(blanks, said("\n", "null"));
    Received recorded = streamed(Reasoning.THINK_TAGS, blanks);
    assertThat(recorded.text.length()).isBetween(30, 100);
    assertThat(recorded.events).hasSizeGreaterThan(30);
  }

  @Test
  void behindTheTagNothingIsTouched() throws Exception {
    String later = said("  <think>x</think>", "null").replace(":", " : ");
    Received recorded = streamed(Reasoning.THINK_TAGS, said("<think>a</think>b", "null"), later);
    assertThat(recorded.events.getLast()).isEqualTo(later);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "REASONING | {\"role\":\"a\",\"reasoning\" : \"w\\u0068y\",\"x\":1}"
            + " | {\"role\":\"a\",\"reasoning_content\":\"w\\u0068y\",\"x\":1}",
        "REASONING | {\"reasoning\":\"why\",\"reasoning_content\":null}"
            + " | {\"reasoning_content\":\"why\"}",
        "REASONING | {\"reasoning\":\"why\",\"reasoning_content\":\"why\"}"
            + " | {\"reasoning\":\"why\",\"reasoning_content\":\"why\"}",
        "REASONING | {\"content\": \"x\",\"reasoning\":\"\"} | {\"content\": \"x\",\"reasoning\":\"\"}",
        "CONTENT_PARTS | {\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
            + "\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}],\"closed\":true},"
            + "{\"type\":\"text\",\"text\":\"12\"},{\"type\":\"reference\",\"reference_ids\":[1]},"
            + "{\"type\":\"text\",\"text\":\"3\"}],\"role\":\"assistant\"}"
            + " | {\"reasoning_content\":\"ab\",\"content\":\"123\",\"role\":\"assistant\"}",
        "CONTENT_PARTS | {\"content\":[{\"type\":\"thinking\",\"thinking\":\"a\"}]}"
            + " | {\"reasoning_content\":\"a\",\"content\":\"\"}",
        "CONTENT_PARTS | {\"content\": \"plain\"} | {\"content\": \"plain\"}",
        "AS_IS | {\"reasoning\":\"why\"} | {\"reasoning\":\"why\"}"
      })
  void aThoughtIsMovedAndTheRestStays(Reasoning where, String message, String expected) {
    assertThat(whole(where, message)).isEqualTo(expected);
    String chunk =
        "{ \"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":%s,\"y\":[ ]}],\"usage\":null}";
    assertThat(streamed(where, chunk.formatted(message)).events)
        .containsExactly(chunk.formatted(expected));
  }

  @Test
  void whatIsNoChunkGoesOnAsItCame() {
    String[] events = {
      "[DONE]",
      "{\"error\":{}}",
      "{",
      "[]",
      "{\"choices\":{}}",
      "{\"choices\":[1]}",
      "{\"choices\":[]}",
      "{\"choices\":[{\"index\":1,\"delta\":{\"reasoning\":\"x\"}}]}"
    };
    for (Reasoning where : Reasoning.values()) {
      assertThat(streamed(where, events).events).containsExactly(events);
      assertThat(whole(where, "7")).isEqualTo("7");
    }
  }
}
