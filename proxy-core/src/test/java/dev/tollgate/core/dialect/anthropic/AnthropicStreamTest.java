package dev.tollgate.core.dialect.anthropic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.sse.SseDecoder;
import dev.tollgate.core.sse.SseSink;
import dev.tollgate.core.testkit.AnthropicWire;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Translation of events that no recording has, or not alone. */
class AnthropicStreamTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String START = AnthropicWire.start(5);

  /** The canonical events of a stream: the data of each, an error's behind its name. */
  private static List<String> canonical(String stream) {
    List<String> events = new ArrayList<>();
    SseSink sink =
        new SseSink() {
          @Override
          public void event(String name, byte[] data, int from, int to) {
            String text = new String(data, from, to - from, UTF_8);
            events.add(name.equals("message") ? text : name + " " + text);
          }

          @Override
          public void comment() {
            events.add(":");
          }

          @Override
          public void oversized(int eventBytesMax) {
            events.add("oversized");
          }
        };
    ChatTranslation translation = Dialects.named("anthropic").translation().orElseThrow();
    SseDecoder decoder = new SseDecoder(translation.stream(sink), 4_096);
    decoder.feed(Unpooled.copiedBuffer(stream, UTF_8));
    decoder.finish();
    return events;
  }

  /** The deltas of the chunks behind the first, as they are written. */
  private static List<String> deltas(String blocks) throws Exception {
    List<String> deltas = new ArrayList<>();
    for (String event : canonical(START + blocks).stream().skip(1).toList()) {
      deltas.add(MAPPER.readTree(event).path("choices").path(0).path("delta").toString());
    }
    return deltas;
  }

  private static String begin(int index, String block) {
    return AnthropicWire.event(
        "content_block_start", ",\"index\":" + index + ",\"content_block\":" + block);
  }

  private static String end(int index) {
    return AnthropicWire.event("content_block_stop", ",\"index\":" + index);
  }

  private static String piece(int index, String delta) {
    return AnthropicWire.event(
        "content_block_delta", ",\"index\":" + index + ",\"delta\":" + delta);
  }

  @Test
  void theFirstChunkHasTheRoleAndTheUsageSoFar() throws Exception {
    JsonNode first = MAPPER.readTree(canonical(START).getFirst());
    assertThat(first)
        .isEqualTo(
            MAPPER.readTree(
                """
                {"id":"msg_1","object":"chat.completion.chunk","model":"m","choices":[
                  {"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],
                 "usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6,
                  "prompt_tokens_details":{"cached_tokens":0},
                  "input_tokens":5,"output_tokens":1}}
                """));
  }

  @Test
  void textsAreCopiedAsTheyAreWritten() throws Exception {
    String stream =
        START
            + begin(0, "{\"type\":\"text\",\"text\":\"\"}")
            + piece(0, "{\"type\":\"text_delta\",\"text\":\"\\u00e4\\/\\n\"}");
    assertThat(canonical(stream).getLast()).contains("{\"content\":\"\\u00e4\\/\\n\"}");
    assertThat(deltas(begin(0, "{\"type\":\"text\",\"text\":\"at once\"}")))
        .containsExactly("{\"content\":\"at once\"}");
  }

  @Test
  void callsAreNumberedOnTheirOwnHoweverTheirPiecesCome() throws Exception {
    String blocks =
        begin(0, "{\"type\":\"thinking\",\"thinking\":\"\"}")
            + begin(1, "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}")
            + begin(9, "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"g\",\"input\":{}}")
            + piece(9, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\"\"}")
            + piece(1, "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}")
            + piece(9, "{\"type\":\"input_json_delta\",\"partial_json\":\":1}\"}")
            + end(1)
            + end(9);
    assertThat(deltas(blocks))
        .containsExactly(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\","
                + "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}",
            "{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"type\":\"function\","
                + "\"function\":{\"name\":\"g\",\"arguments\":\"\"}}]}",
            "{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"{\\\"x\\\"\"}}]}",
            "{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\":1}\"}}]}",
            "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}");
  }

  @Test
  void argumentsThatComeAtOnceAreNotRepeated() throws Exception {
    String block = "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{\"x\": 1}}";
    assertThat(deltas(begin(0, block) + end(0)))
        .containsExactly(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\","
                + "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\": 1}\"}}]}");
  }

  @Test
  void reasoningCanBeSentBack() throws Exception {
    String blocks =
        begin(0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
            + piece(0, "{\"type\":\"thinking_delta\",\"thinking\":\"So\"}")
            + piece(0, "{\"type\":\"signature_delta\",\"signature\":\"s=\"}")
            + end(0)
            + begin(1, "{\"type\":\"redacted_thinking\",\"data\":\"x=\"}")
            + end(1);
    assertThat(deltas(blocks))
        .containsExactly(
            "{\"reasoning_content\":\"So\",\"reasoning_details\":"
                + "[{\"type\":\"reasoning.text\",\"index\":0,\"text\":\"So\"}]}",
            "{\"reasoning_details\":"
                + "[{\"type\":\"reasoning.text\",\"index\":0,\"signature\":\"s=\"}]}",
            "{\"reasoning_details\":"
                + "[{\"type\":\"reasoning.encrypted\",\"index\":1,\"data\":\"x=\"}]}");
  }

  @Test
  void whatTheProvidersOwnToolsDoIsLeftOut() throws Exception {
    String blocks =
        begin(0, "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}}")
            + piece(0, "{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}")
            + end(0)
            + begin(1, "{\"type\":\"web_search_tool_result\",\"content\":[]}")
            + end(1)
            + piece(2, "{\"type\":\"citations_delta\",\"citation\":{}}")
            + piece(3, "{\"type\":\"delta_of_tomorrow\"}")
            + AnthropicWire.event("event_of_tomorrow", "")
            + AnthropicWire.event("ping", "");
    assertThat(deltas(blocks)).isEmpty();
  }

  @Test
  void theFinishHasBothReasonsAndTheLastCounts() throws Exception {
    String end =
        AnthropicWire.event(
            "message_delta",
            ",\"delta\":{\"stop_reason\":\"pause_turn\"},\"usage\":{\"input_tokens\":null,"
                + "\"cache_read_input_tokens\":7,\"output_tokens\":4}");
    JsonNode finish = MAPPER.readTree(canonical(START + end).getLast());
    assertThat(finish.path("choices"))
        .isEqualTo(
            MAPPER.readTree(
                """
                [{"index":0,"delta":{},"finish_reason":"stop","native_finish_reason":"pause_turn"}]
                """));
    assertThat(finish.path("usage").path("prompt_tokens").longValue()).isEqualTo(12);
    assertThat(finish.path("usage").path("completion_tokens").longValue()).isEqualTo(4);
    assertThat(finish.path("usage").path("prompt_tokens_details").path("cached_tokens").longValue())
        .isEqualTo(7);
  }

  @Test
  void countsThatAreNotSoundAreNoUsage() {
    String start =
        AnthropicWire.event("message_start", ",\"message\":{\"usage\":{\"input_tokens\":-1}}");
    String huge =
        AnthropicWire.event(
            "message_delta", ",\"usage\":{\"x\":\"" + "x".repeat(3_000) + "\",\"input_tokens\":1}");
    assertThat(canonical(start)).singleElement().asString().doesNotContain("usage");
    assertThat(canonical(start + huge.repeat(9))).hasSize(1);
  }

  @Test
  void aRefusalIsExplained() throws Exception {
    String end =
        AnthropicWire.event(
            "message_delta",
            ",\"delta\":{\"stop_reason\":\"refusal\","
                + "\"stop_details\":{\"explanation\":\"Not this.\"}}");
    JsonNode choice = MAPPER.readTree(canonical(START + end).getLast()).path("choices").path(0);
    assertThat(choice.path("finish_reason").asText()).isEqualTo("content_filter");
    assertThat(choice.path("delta").path("refusal").asText()).isEqualTo("Not this.");
  }

  @Test
  void theEndIsTheEnd() {
    String stop = AnthropicWire.event("message_stop", "");
    assertThat(canonical(START + stop)).last().isEqualTo("[DONE]");
    assertThat(canonical(START + stop + "data: {\"more\":1}\n\n")).last().isEqualTo("{\"more\":1}");
  }

  @Test
  void anErrorIsHandedOnAsItIs() {
    String body = AnthropicWire.errorBody("overloaded_error", "no");
    assertThat(canonical("event: error\ndata: " + body + "\n\n")).containsExactly("error " + body);
    assertThat(canonical("data: " + body + "\n\n")).containsExactly("error " + body);
    assertThat(canonical("event: error\ndata: oops\n\n")).containsExactly("error oops");
  }

  @Test
  void whatIsNoEventIsNoChunk() {
    String stream =
        """
        data: {broken

        data: 7

        data: {"type":"content_block_delta","index":0}

        data: {"type":"content_block_delta","index":5000,"delta":{"type":"text_delta","text":"x"}}

        data: {"type":"content_block_start","content_block":{"type":"text"}}

        data: {"type":"message_start"}

        data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}

        data: {"type":"content_block_delta","index":0,"delta":{"text":"of no type"}}

        data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x","text":"y"}}

        data: {"type":"content_block_delta","index":0,"delta":{},"delta":{"type":"text_delta","text":"y"}}

        data: {"choices":[{"delta":{"content":"not Anthropic's"}}]}

        : a comment
        """;
    assertThat(canonical(stream)).hasSize(12).endsWith(":").containsOnly("null", ":");
  }

  @Test
  void aSecondMessageBeginsAnewOnlyBeforeContent() {
    String text = AnthropicWire.text(0, "x");
    assertThat(canonical(START + START + text)).hasSize(3);
    assertThat(canonical(START + text + START))
        .hasSize(3)
        .last()
        .asString()
        .startsWith("error {\"type\":\"error\"");
  }

  @Test
  void anOversizedEventIsReported() {
    assertThat(canonical("data: " + "x".repeat(5_000))).containsExactly("oversized");
  }
}
