package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatStream;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.api.responses.ResponsesChunkWriter;
import dev.tollgate.core.api.responses.ResponsesRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.OpenAiWire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replay of all recorded chats of both dialects as responses, and of all recorded responses:
 * requested as their client did, and streamed by a chat provider in the recorded pieces.
 */
@Tag("corpus")
class WireResponsesTest {
  private static final int RANDOM_SPLITS = 2;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A family with its dialect. */
  record Spoken(WireCase one, String dialect) {
    @Override
    public String toString() {
      return one.name();
    }
  }

  static Stream<Spoken> streams() {
    return Stream.concat(spoken("openai-chat", "openai"), spoken("anthropic-messages", "anthropic"))
        .filter(spoken -> spoken.one.isStream());
  }

  private static Stream<Spoken> spoken(String family, String dialect) {
    return WireCase.family(family).stream().map(one -> new Spoken(one, dialect));
  }

  static List<WireCase> recorded() {
    return WireCase.family("openai-responses").stream()
        .filter(one -> one.expect().path("usage").isObject())
        .toList();
  }

  static List<WireCase> asked() {
    return WireCase.family("openai-responses").stream()
        .filter(one -> Files.exists(request(one)))
        .toList();
  }

  private static Path request(WireCase one) {
    return Corpora.path("wire/fixtures").resolve(one.name() + ".request.json");
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(streams()).hasSizeGreaterThan(100);
    assertThat(recorded()).hasSizeGreaterThan(12);
    assertThat(asked()).hasSizeGreaterThan(14);
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aChatBecomesTheSameResponseForAllSplits(Spoken spoken) {
    byte[] stream = spoken.one.response();
    RelayedStream whole = relayed(stream, Cut.WHOLE, spoken.dialect);
    if (whole.isComplete()) {
      ResponsesView view = ResponsesView.of(whole.text());
      ClientView chat =
          RelayedStream.of(
                  stream,
                  Cut.WHOLE,
                  Samples.stamp(),
                  Samples.PRICES,
                  Dialects.named(spoken.dialect))
              .view();
      assertThat(view.text()).isEqualTo(chat.text());
      assertSame(chat, view.completed());
    }
    assertThat(relayed(stream, Cut.BYTES, spoken.dialect).text()).isEqualTo(whole.text());
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      Cut cut = Cut.random(new Random(seed));
      assertThat(relayed(stream, cut, spoken.dialect).text()).isEqualTo(whole.text());
    }
  }

  private static void assertSame(ClientView chat, JsonNode response) {
    List<JsonNode> calls = ResponsesView.calls(response);
    assertThat(calls).hasSameSizeAs(chat.calls());
    for (int i = 0; i < calls.size(); i++) {
      ClientView.Call call = chat.calls().get(i);
      assertThat(calls.get(i).path("call_id").asText()).isEqualTo(call.id);
      assertThat(calls.get(i).path("name").asText()).isEqualTo(call.name);
      assertThat(calls.get(i).path("arguments").asText()).isEqualTo(call.arguments.toString());
    }
    JsonNode usage = response.path("usage");
    assertThat(usage.path("input_tokens")).isEqualTo(chat.usage().path("prompt_tokens"));
    assertThat(usage.path("output_tokens")).isEqualTo(chat.usage().path("completion_tokens"));
    assertThat(usage.path("total_tokens")).isEqualTo(chat.usage().path("total_tokens"));
    assertThat(usage.path("x_llm_cost_micro")).isEqualTo(chat.usage().path("x_llm_cost_micro"));
  }

  private static RelayedStream relayed(byte[] stream, Cut cut, String dialect) {
    var into =
        new ChatStream(
            Samples.stamp(),
            new StreamContinuation.None(),
            ResponsesChunkWriter.form(request("\"a\"", "")));
    return RelayedStream.of(stream, cut, into, Samples.PRICES, Dialects.named(dialect));
  }

  private static ResponsesRequest request(String input, String more) {
    byte[] body = ("{\"model\":\"acme/m1\",\"input\":" + input + more + "}").getBytes(UTF_8);
    var parsed = ResponsesRequest.parse(body, body.length, ResponseEventSet.EXTENDED);
    return ((ParseResult.Valid<ResponsesRequest>) parsed).request();
  }

  @ParameterizedTest
  @MethodSource("asked")
  void theClientsRequestIsAcceptedUnlessItNeedsAMissingFeature(WireCase one) throws Exception {
    var body = (ObjectNode) MAPPER.readTree(Corpora.bytes(request(one)));
    body.put("model", "acme/m1");
    byte[] bytes = MAPPER.writeValueAsBytes(body);
    switch (ResponsesRequest.parse(bytes, bytes.length, ResponseEventSet.LISTED)) {
      case ParseResult.Valid<ResponsesRequest> valid ->
          assertThat(valid.request().isStream()).isEqualTo(one.isStream());
      case ParseResult.Refused<ResponsesRequest> refused ->
          assertThat(refused.fault().param())
              .isIn("previous_response_id", "store", "tools[0].type", "input[1].type");
    }
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void aRecordedResponseIsRepeatedAndChargedTheSame(WireCase one) {
    byte[] chat = chat(one.expectedChoice(), one.expect().path("usage")).getBytes(UTF_8);
    RelayedStream whole = charged(one, chat, Cut.WHOLE);
    ResponsesView view = ResponsesView.of(whole.text());
    WireExpectation.assertText(view.text(), one.expectedChoice().path("text"));
    JsonNode usage = one.expect().path("usage");
    assertThat(view.completed().at("/usage/input_tokens").longValue())
        .isEqualTo(usage.path("prompt_tokens").longValue());
    assertThat(view.completed().at("/usage/output_tokens").longValue())
        .isEqualTo(usage.path("completion_tokens").longValue());
    WireExpectation.assertCharge(
        one,
        whole.charged(),
        whole.cost(WireExpectation.prices(one)),
        view.completed().path("usage"));
    JsonNode calls = one.expectedChoice().path("tool_calls");
    assertThat(ResponsesView.calls(view.completed())).hasSameSizeAs(calls);
    for (int i = 0; i < calls.size(); i++) {
      JsonNode call = ResponsesView.calls(view.completed()).get(i);
      assertThat(call.path("call_id")).isEqualTo(calls.get(i).path("id"));
      assertThat(call.path("name")).isEqualTo(calls.get(i).path("name"));
      assertThat(call.path("arguments")).isEqualTo(calls.get(i).path("arguments"));
    }
    assertThat(charged(one, chat, Cut.BYTES).text()).isEqualTo(whole.text());
    assertThat(charged(one, chat, Cut.random(new Random(7))).text()).isEqualTo(whole.text());
  }

  private static RelayedStream charged(WireCase one, byte[] chat, Cut cut) {
    var into =
        new ChatStream(
            Samples.stamp(),
            new StreamContinuation.None(),
            ResponsesChunkWriter.form(request("\"a\"", "")));
    return RelayedStream.of(chat, cut, into, WireExpectation.prices(one), Dialects.named("openai"));
  }

  /** Returns the chunks of a chat provider with the same content. */
  private static String chat(JsonNode choice, JsonNode usage) {
    StringBuilder all = new StringBuilder(OpenAiWire.data(OpenAiWire.role()));
    String text = choice.path("text").asText("");
    for (int at = 0; at < text.length(); at += 3) {
      delta(all, "content", text.substring(at, Math.min(text.length(), at + 3)));
    }
    JsonNode calls = choice.path("tool_calls");
    for (int i = 0; i < calls.size(); i++) {
      ObjectNode call = MAPPER.createObjectNode().put("index", i).put("type", "function");
      call.set("id", calls.get(i).path("id"));
      call.putObject("function")
          .put("name", calls.get(i).path("name").asText())
          .put("arguments", calls.get(i).path("arguments").asText());
      all.append(
          OpenAiWire.data(
              "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[" + call + "]}}]}"));
    }
    ObjectNode reported = MAPPER.createObjectNode();
    reported.set("prompt_tokens", usage.path("prompt_tokens"));
    reported.set("completion_tokens", usage.path("completion_tokens"));
    reported
        .putObject("prompt_tokens_details")
        .set("cached_tokens", number(usage, "cached_tokens"));
    reported
        .putObject("completion_tokens_details")
        .set("reasoning_tokens", number(usage, "reasoning_tokens"));
    return all.append(OpenAiWire.data(OpenAiWire.finish(calls.isEmpty() ? "stop" : "tool_calls")))
        .append(OpenAiWire.data("{\"choices\":[],\"usage\":" + reported + "}"))
        .append(OpenAiWire.data("[DONE]"))
        .toString();
  }

  private static JsonNode number(JsonNode usage, String name) {
    return MAPPER.getNodeFactory().numberNode(usage.path(name).asLong());
  }

  private static void delta(StringBuilder all, String name, String text) {
    ObjectNode delta = MAPPER.createObjectNode().put(name, text);
    all.append(OpenAiWire.data("{\"choices\":[{\"index\":0,\"delta\":" + delta + "}]}"));
  }
}
