package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.SseException;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.responses.EasyInputMessage;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ResponseStatus;
import com.openai.models.responses.ResponseStreamEvent;
import dev.tollgate.core.testkit.RawClient;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Responses through the real program with the official Java SDK. */
class ResponsesIT {
  private static final FunctionTool WEATHER =
      FunctionTool.builder()
          .name("weather")
          .parameters(
              FunctionTool.Parameters.builder()
                  .putAdditionalProperty("type", JsonValue.from("object"))
                  .build())
          .strict(false)
          .build();
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(SharedNode.node().baseUrl().toString())
          .apiKey(SharedNode.key())
          .maxRetries(0)
          .build();

  @AfterAll
  static void nothingIsLeftBehind() {
    CLIENT.close();
    SharedNode.node().admin().awaitIdle();
  }

  private static ResponseCreateParams.Builder ask(String model) {
    return ResponseCreateParams.builder().model(model).input("Say hello.");
  }

  private static List<ResponseStreamEvent> events(
      ResponseCreateParams params, List<ResponseStreamEvent> into) {
    try (StreamResponse<ResponseStreamEvent> stream = CLIENT.responses().createStreaming(params)) {
      stream.stream().forEach(into::add);
    }
    return into;
  }

  private static String text(Response response) {
    return response.output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .map(part -> part.asOutputText().text())
        .collect(Collectors.joining());
  }

  @Test
  void aPlainResponseHasTextUsageAndCost() {
    Response got = CLIENT.responses().create(ask("test/chat").instructions("Be kind.").build());
    got.validate();
    assertThat(got.id()).startsWith("resp_");
    assertThat(got.status()).contains(ResponseStatus.COMPLETED);
    assertThat(text(got)).isNotBlank();
    var usage = got.usage().orElseThrow();
    assertThat(usage.totalTokens()).isEqualTo(usage.inputTokens() + usage.outputTokens());
    assertThat(Json.of(got).path("provider").asText()).isEqualTo("mock");
    assertThat(Json.of(got).at("/usage/x_llm_cost_micro").longValue()).isPositive();
  }

  @Test
  void everyEventOfAStreamIsValidAndTheyAddUpToTheResponse() {
    List<ResponseStreamEvent> events = events(ask("test/chat").build(), new ArrayList<>());
    events.forEach(ResponseStreamEvent::validate);
    var accumulator = ResponseAccumulator.create();
    events.forEach(accumulator::accumulate);
    Response plain = CLIENT.responses().create(ask("test/chat").build());
    String deltas =
        events.stream()
            .flatMap(event -> event.outputTextDelta().stream())
            .map(delta -> delta.delta())
            .collect(Collectors.joining());
    assertThat(text(accumulator.response())).isEqualTo(text(plain)).isEqualTo(deltas);
    assertThat(accumulator.response().usage().orElseThrow().outputTokens())
        .isEqualTo(plain.usage().orElseThrow().outputTokens());
  }

  @Test
  void whichEventsComeDependsOnTheClientsSoftware() {
    String listed = "data: {\"type\":\"response.output_text.delta\"";
    String ofOpenAi = "data: {\"type\":\"response.output_item.added\"";
    assertThat(streamTo("User-Agent: curl/8.5.0").get(1)).startsWith(listed);
    assertThat(streamTo("X-Stainless-Lang: js").get(1)).startsWith(ofOpenAi);
    assertThat(streamTo("User-Agent: ai-sdk/openai/2.0.88").get(1)).startsWith(ofOpenAi);
    assertThat(streamTo("originator: codex_cli_rs").get(1)).startsWith(ofOpenAi);
  }

  private static List<String> streamTo(String header) {
    try (RawClient client = SharedNode.node().connect()) {
      return client
          .post(
              "/v1/responses",
              "{\"model\":\"test/chat\",\"input\":\"Say hello.\",\"stream\":true}",
              SharedNode.authorization(),
              header)
          .readResponse()
          .events();
    }
  }

  @Test
  void aToolIsCalledAndItsResultTakenPlainAndStreamed() {
    var params = ask("test/tool").addTool(WEATHER).build();
    var accumulator = ResponseAccumulator.create();
    events(params, new ArrayList<>()).forEach(accumulator::accumulate);

    for (Response each : List.of(CLIENT.responses().create(params), accumulator.response())) {
      each.validate();
      ResponseFunctionToolCall call =
          each.output().stream()
              .flatMap(item -> item.functionCall().stream())
              .findFirst()
              .orElseThrow();
      assertThat(call.name()).isEqualTo("weather");
      assertThat(Json.tree(call.arguments()).isObject()).isTrue();
      assertThat(text(CLIENT.responses().create(withResult(each, call)))).isNotBlank();
    }
  }

  private static ResponseCreateParams withResult(Response response, ResponseFunctionToolCall call) {
    List<ResponseInputItem> input = new ArrayList<>();
    input.add(
        ResponseInputItem.ofEasyInputMessage(
            EasyInputMessage.builder()
                .role(EasyInputMessage.Role.USER)
                .content("Say hello.")
                .build()));
    response.output().stream()
        .flatMap((ResponseOutputItem item) -> item.functionCall().stream())
        .forEach(each -> input.add(ResponseInputItem.ofFunctionCall(each)));
    input.add(
        ResponseInputItem.ofFunctionCallOutput(
            ResponseInputItem.FunctionCallOutput.builder()
                .callId(call.callId())
                .output("{\"celsius\":21}")
                .build()));
    return ResponseCreateParams.builder().model("test/chat").inputOfResponse(input).build();
  }

  @Test
  void anErrorInAStreamIsThrownAfterItsContent() {
    List<ResponseStreamEvent> delivered = new ArrayList<>();
    var error =
        catchThrowableOfType(
            SseException.class, () -> events(ask("test/error-midway").build(), delivered));
    assertThat(error.code()).contains("stream_interrupted");
    assertThat(delivered).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void unsupportedParametersAreRefusedByName() {
    var stored =
        catchThrowableOfType(
            BadRequestException.class,
            () -> CLIENT.responses().create(ask("test/chat").store(true).build()));
    assertThat(stored.param()).contains("store");
    var other =
        catchThrowableOfType(
            BadRequestException.class,
            () -> CLIENT.responses().create(ask("test/embedding").build()));
    assertThat(other.param()).contains("model");
  }
}
