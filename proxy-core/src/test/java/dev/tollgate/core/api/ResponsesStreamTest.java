package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.RelayedStream.Cut;
import dev.tollgate.core.api.chat.ChatStream;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.api.responses.ResponsesChunkWriter;
import dev.tollgate.core.api.responses.ResponsesRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.Seeds;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ResponsesStreamTest {
  private static final String CALLS =
      OpenAiWire.data(
              call(
                  "{'index':0,'id':'call_a','type':'function','function':{'name':'add','arguments':''}}"))
          + OpenAiWire.data(call("{'index':0,'function':{'arguments':'{\\'x\\':'}}"))
          + OpenAiWire.data(call("{'index':0,'function':{'arguments':'1}'}}"))
          + OpenAiWire.data(
              call(
                  "{'index':1,'id':'call_b','type':'function','function':{'name':'now','arguments':'{}'}}"))
          + OpenAiWire.data(OpenAiWire.finish("tool_calls"))
          + OpenAiWire.data(OpenAiWire.usage(7, 9))
          + OpenAiWire.data("[DONE]");

  private static String call(String fragment) {
    return ("{'id':'c1','choices':[{'index':0,'delta':{'tool_calls':["
            + fragment
            + "]},'finish_reason':null}]}")
        .replace('\'', '"');
  }

  private static String text(String... words) {
    StringBuilder all = new StringBuilder(OpenAiWire.data(OpenAiWire.role()));
    for (String word : words) {
      all.append(OpenAiWire.data(OpenAiWire.content(word)));
    }
    return all.toString();
  }

  private static String end(String finish) {
    return OpenAiWire.data(OpenAiWire.finish(finish))
        + OpenAiWire.data(OpenAiWire.usage(7, 2))
        + OpenAiWire.data("[DONE]");
  }

  private static RelayedStream relayed(String stream, ResponseEventSet list, Cut cut) {
    var into =
        new ChatStream(
            Samples.stamp(),
            new StreamContinuation.None(),
            ResponsesChunkWriter.form(request(list)));
    return RelayedStream.of(
        stream.getBytes(UTF_8), cut, into, Samples.PRICES, Dialects.named("openai"));
  }

  private static ResponsesRequest request(ResponseEventSet list) {
    byte[] body =
        "{\"model\":\"acme/m1\",\"input\":\"a\",\"tools\":[\r\n{\"type\":\"function\",\"name\":\"f\"}]}"
            .getBytes(UTF_8);
    var parsed = ResponsesRequest.parse(body, body.length, list);
    return ((ParseResult.Valid<ResponsesRequest>) parsed).request();
  }

  private static ResponsesView view(String stream, ResponseEventSet list) {
    return ResponsesView.of(relayed(stream, list, Cut.WHOLE).text());
  }

  @Test
  void textComesAsTheThreeEventsThatAreListed() {
    RelayedStream relayed =
        relayed(
            text("Hel", "lo \\ud83d", "\\ude00") + end("stop"), ResponseEventSet.LISTED, Cut.WHOLE);
    ResponsesView view = ResponsesView.of(relayed.text());
    assertThat(view.types())
        .containsExactly(
            "response.created",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.completed");
    assertThat(relayed.text()).endsWith("}\n\ndata: [DONE]\n\n").doesNotContain("\"error\"");
    JsonNode response = view.completed();
    assertThat(response.path("id").asText()).startsWith("resp_");
    assertThat(response.path("object").asText()).isEqualTo("response");
    assertThat(response.path("created_at").longValue()).isEqualTo(Samples.CREATED_SECONDS);
    assertThat(response.path("model").asText()).isEqualTo("acme/m1");
    assertThat(response.path("provider").asText()).isEqualTo("acme-eu");
    assertThat(response.at("/tools/0/name").asText()).isEqualTo("f");
    JsonNode message = response.at("/output/0");
    assertThat(message.path("type").asText()).isEqualTo("message");
    assertThat(message.path("role").asText()).isEqualTo("assistant");
    assertThat(message.path("status").asText()).isEqualTo("completed");
    assertThat(message.at("/content/0").toString())
        .isEqualTo("{\"type\":\"output_text\",\"text\":\"Hello 😀\",\"annotations\":[]}");
    assertThat(response.path("usage").toString())
        .isEqualTo(
            "{\"input_tokens\":7,\"input_tokens_details\":{\"cached_tokens\":0,\"cache_write_tokens\":0},"
                + "\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":0},"
                + "\"total_tokens\":9,\"x_llm_cost_micro\":38}");
  }

  @Test
  void theFirstEventHasTheMessageThatTheNextOnesAppendTo() {
    JsonNode begun =
        ClientView.of(relayed(text("a") + end("stop"), ResponseEventSet.LISTED, Cut.WHOLE).text())
            .chunks()
            .getFirst()
            .path("response");
    assertThat(begun.path("output")).hasSize(1);
    assertThat(begun.at("/output/0/status").asText()).isEqualTo("in_progress");
    assertThat(begun.at("/output/0/content/0/text").asText("-")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void callsAreCompleteInTheLastEvent(ResponseEventSet list) {
    ResponsesView view = view(OpenAiWire.data(OpenAiWire.role()) + CALLS, list);
    List<JsonNode> calls = ResponsesView.calls(view.completed());
    assertThat(view.completed().path("output")).hasSize(list == ResponseEventSet.EXTENDED ? 2 : 3);
    assertThat(calls)
        .extracting(call -> call.path("call_id").asText())
        .containsExactly("call_a", "call_b");
    assertThat(calls).extracting(call -> call.path("name").asText()).containsExactly("add", "now");
    assertThat(calls)
        .extracting(call -> call.path("arguments").asText())
        .containsExactly("{\"x\":1}", "{}");
    assertThat(calls).extracting(call -> call.path("id").asText()).doesNotHaveDuplicates();
    assertThat(view.types().contains("response.output_item.added"))
        .isEqualTo(list == ResponseEventSet.EXTENDED);
  }

  @Test
  void theMessageOfTheFirstEventStaysInTheLastOneThoughItIsEmpty() {
    RelayedStream relayed = relayed(CALLS, ResponseEventSet.LISTED, Cut.WHOLE);
    JsonNode begun = ClientView.of(relayed.text()).chunks().getFirst().at("/response/output/0");
    JsonNode kept = ResponsesView.of(relayed.text()).completed().at("/output/0");
    assertThat(kept.path("id")).isEqualTo(begun.path("id"));
    assertThat(kept.path("status").asText()).isEqualTo("completed");
    assertThat(kept.at("/content/0/text").asText("-")).isEmpty();
  }

  @Test
  void textAndACallHaveOpenAisEventsInOpenAisOrder() {
    String call =
        "{'index':0,'id':'call_a','type':'function','function':{'name':'add','arguments':'{}'}}";
    String stream = text("Let me ", "see.") + OpenAiWire.data(call(call)) + end("tool_calls");
    RelayedStream relayed = relayed(stream, ResponseEventSet.EXTENDED, Cut.WHOLE);
    JsonNode begun = ClientView.of(relayed.text()).chunks().getFirst().path("response");
    assertThat(begun.path("output").toString()).isEqualTo("[]");
    ResponsesView view = ResponsesView.of(relayed.text());
    assertThat(view.types())
        .containsExactly(
            "response.created",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed");
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
  }

  @Test
  void aCallEndsAheadOfTheNextOne() {
    ResponsesView view = view(CALLS, ResponseEventSet.EXTENDED);
    assertThat(view.types())
        .containsExactly(
            "response.created",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed");
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
  }

  @Test
  void callsWhoseArgumentsAreMixedEndWithTheResponse() {
    String stream =
        OpenAiWire.data(call("{'index':0,'function':{'name':'add','arguments':'{'}}"))
            + OpenAiWire.data(call("{'index':1,'function':{'name':'now','arguments':'{'}}"))
            + OpenAiWire.data(call("{'index':0,'function':{'arguments':'}'}}"))
            + OpenAiWire.data(call("{'index':1,'function':{'arguments':'}'}}"))
            + end("tool_calls");
    ResponsesView view = view(stream, ResponseEventSet.EXTENDED);
    assertThat(view.types().subList(0, 7))
        .doesNotContain("response.output_item.done")
        .endsWith("response.function_call_arguments.delta");
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
    assertThat(view.completed().path("output")).hasSize(2);
    assertThat(view.completed().at("/output/0/arguments").asText()).isEqualTo("{}");
    assertThat(view.completed().at("/output/1/arguments").asText()).isEqualTo("{}");
  }

  @Test
  void textBehindACallThatFollowsTextIsAMessageOfItsOwn() {
    String calls = CALLS.substring(0, CALLS.indexOf("data: {\"id\":\"c1\",\"object\""));
    String stream = text("First. ") + calls + text("Well.") + end("stop");
    ResponsesView view = view(stream, ResponseEventSet.EXTENDED);
    JsonNode output = view.completed().path("output");
    assertThat(view.snapshot().path("output")).isEqualTo(output);
    assertThat(output).hasSize(4);
    assertThat(output.at("/3/id")).isNotEqualTo(output.at("/0/id"));
    assertThat(output.at("/3/content/0/text").asText()).isEqualTo("Well.");
    assertThat(view(stream, ResponseEventSet.LISTED).text()).isEqualTo("First. Well.");
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aRefusalHasEventsOfItsOwnBesideText(boolean refusalFirst) {
    String refusal =
        OpenAiWire.data(
            "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"No.\"},\"finish_reason\":null}]}");
    String stream = refusalFirst ? refusal + text("So.") : text("So.") + refusal;
    ResponsesView view = view(stream + end("stop"), ResponseEventSet.EXTENDED);
    JsonNode content = view.completed().at("/output/0/content");
    assertThat(view.types()).contains("response.refusal.delta", "response.refusal.done");
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
    assertThat(content.path(refusalFirst ? 0 : 1).path("refusal").asText()).isEqualTo("No.");
    assertThat(content.path(refusalFirst ? 1 : 0).path("text").asText()).isEqualTo("So.");
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void withAllEventsTheSnapshotIsTheResponseBeforeTheLastOne(boolean textFirst) {
    ResponsesView view =
        view(textFirst ? text("Let me ", "see.") + CALLS : CALLS, ResponseEventSet.EXTENDED);
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
    assertThat(view.types())
        .contains(
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done");
    assertThat(view.completed().path("output")).hasSize(textFirst ? 3 : 2);
  }

  @Test
  void textBehindACallBeginsAMessageOfItsOwn() {
    String stream =
        CALLS.substring(0, CALLS.indexOf("data: {\"id\":\"c1\",\"object\""))
            + text("Well.")
            + end("stop");
    ResponsesView all = view(stream, ResponseEventSet.EXTENDED);
    assertThat(all.types()).contains("response.content_part.added");
    assertThat(all.snapshot().path("output")).isEqualTo(all.completed().path("output"));
    ResponsesView few = view(stream, ResponseEventSet.LISTED);
    assertThat(few.text()).isEqualTo("Well.");
    assertThat(few.completed().path("output")).hasSize(3);
  }

  @Test
  void aCallWithoutArgumentsHasAnEmptyObjectOfThem() {
    String call = "{'index':0,'id':'call_a','function':{'name':'add'}}";
    for (String end : List.of(end("tool_calls"), OpenAiWire.data("[DONE]"))) {
      ResponsesView view = view(OpenAiWire.data(call(call)) + end, ResponseEventSet.EXTENDED);
      assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
      assertThat(view.completed().at("/output/0/arguments").asText()).isEqualTo("{}");
    }
  }

  @Test
  void anArgumentThatComesAheadOfItsNameIsNotLost() {
    String stream =
        OpenAiWire.data(call("{'index':0,'id':'call_a','function':{'arguments':'{'}}"))
            + OpenAiWire.data(call("{'index':0,'function':{'name':'add','arguments':'}'}}"))
            + end("tool_calls");
    ResponsesView view = view(stream, ResponseEventSet.EXTENDED);
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
    assertThat(view.completed().at("/output/0/arguments").asText()).isEqualTo("{}");
  }

  @ParameterizedTest
  @CsvSource({
    "length,max_output_tokens",
    "content_filter,content_filter",
    "SAFETY,content_filter",
    "stop,''"
  })
  void theMissingPartIsReported(String finish, String reason) {
    JsonNode response = view(text("a") + end(finish), ResponseEventSet.LISTED).completed();
    assertThat(response.path("status").asText()).isEqualTo("completed");
    assertThat(response.at("/incomplete_details/reason").asText()).isEqualTo(reason);
  }

  @Test
  void theMissingPartIsReportedThoughAnEmptyChunkFollows() {
    String stream =
        text("a")
            + OpenAiWire.data(OpenAiWire.finish("length"))
            + OpenAiWire.data(OpenAiWire.role());
    JsonNode response =
        view(stream + OpenAiWire.data("[DONE]"), ResponseEventSet.LISTED).completed();
    assertThat(response.at("/incomplete_details/reason").asText()).isEqualTo("max_output_tokens");
  }

  @Test
  void thoughtsInTheListOfPartsBeginNoMessage() {
    String thought =
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[]}]}}]}";
    ResponsesView view = view(OpenAiWire.data(thought) + CALLS, ResponseEventSet.EXTENDED);
    assertThat(view.snapshot().path("output")).isEqualTo(view.completed().path("output"));
  }

  @Test
  void aRefusalIsAPartOfTheMessage() {
    String refusal =
        "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"I won't.\"},\"finish_reason\":null}]}";
    JsonNode message =
        view(OpenAiWire.data(refusal) + end("stop"), ResponseEventSet.LISTED)
            .completed()
            .at("/output/0");
    assertThat(message.path("content").toString())
        .isEqualTo("[{\"type\":\"refusal\",\"refusal\":\"I won't.\"}]");
  }

  @Test
  void reasoningIsNotSentButOpensTheStream() {
    String thought =
        "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Hm.\"},\"finish_reason\":null}]}";
    RelayedStream relayed =
        relayed(
            OpenAiWire.data(thought) + text("So.") + end("stop"),
            ResponseEventSet.LISTED,
            Cut.WHOLE);
    assertThat(relayed.text()).doesNotContain("Hm.");
    assertThat(ResponsesView.of(relayed.text()).text()).isEqualTo("So.");
  }

  @Test
  void aStreamWithATerminatorOnlyIsAnEmptyResponse() {
    String stream = OpenAiWire.data(OpenAiWire.finish("stop")) + OpenAiWire.data("[DONE]");
    ResponsesView view = view(stream, ResponseEventSet.LISTED);
    assertThat(view.types()).containsExactly("response.created", "response.completed");
    assertThat(view.completed().at("/output/0/content/0/text").asText("-")).isEmpty();
    assertThat(view.completed().at("/usage/x_llm_usage_estimated").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void theClientGetsTheSameHoweverItIsCut(ResponseEventSet list) {
    String stream = text("Let me ", "see \u4f60\u597d.") + CALLS;
    String whole = relayed(stream, list, Cut.WHOLE).text();
    assertThat(relayed(stream, list, Cut.BYTES).text()).isEqualTo(whole);
    Seeds.forEach(
        20,
        random -> assertThat(relayed(stream, list, Cut.random(random)).text()).isEqualTo(whole));
  }
}
