package dev.tollgate.sdk;

import com.openai.client.OpenAIClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseInputImage;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ResponseStreamEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The client openai-java over responses; every object that it gets is validated. */
final class OpenAiResponses implements Client {
  private final OpenAIClient client;

  OpenAiResponses(Gateway gateway, int retriesMax) {
    this.client = OpenAiJava.client(gateway, retriesMax);
  }

  private static ResponseCreateParams.Builder params(String model, String words) {
    return ResponseCreateParams.builder().model(model).input(words);
  }

  Response plain(ResponseCreateParams params) {
    return client.responses().create(params).validate();
  }

  Response streamed(ResponseCreateParams params) {
    ResponseAccumulator accumulator = ResponseAccumulator.create();
    try (StreamResponse<ResponseStreamEvent> events = client.responses().createStreaming(params)) {
      events.stream().forEach(event -> accumulator.accumulate(event.validate()));
    }
    return accumulator.response().validate();
  }

  static String text(Response response) {
    return response.output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .flatMap(part -> part.outputText().stream())
        .map(text -> text.text())
        .collect(Collectors.joining());
  }

  @Override
  public String ask(String model, String words) {
    return text(plain(params(model, words).build()));
  }

  @Override
  public Streamed stream(String model, String words) {
    Response whole = streamed(params(model, words).build());
    String status = whole.status().orElseThrow().asString();
    return new Streamed(
        text(whole),
        whole.usage().orElseThrow().totalTokens(),
        status.equals("completed") ? "stop" : status);
  }

  @Override
  public String rounds(String model, String words, boolean isStreamed) {
    FunctionTool.Parameters.Builder schema = FunctionTool.Parameters.builder();
    TOOL_SCHEMA.forEach((name, value) -> schema.putAdditionalProperty(name, JsonValue.from(value)));
    FunctionTool tool =
        FunctionTool.builder()
            .name(TOOL)
            .description(TOOL_DESCRIPTION)
            .parameters(schema.build())
            .strict(false)
            .build();
    List<ResponseInputItem> input =
        new ArrayList<>(List.of(ResponseInputItem.ofMessage(message(words).build())));
    for (int round = 0; round < ROUNDS_MAX; round++) {
      ResponseCreateParams params =
          ResponseCreateParams.builder().model(model).inputOfResponse(input).addTool(tool).build();
      Response said = isStreamed ? streamed(params) : plain(params);
      List<ResponseFunctionToolCall> calls =
          said.output().stream()
              .filter(ResponseOutputItem::isFunctionCall)
              .map(ResponseOutputItem::asFunctionCall)
              .toList();
      if (calls.isEmpty()) {
        return text(said);
      }
      calls.forEach(call -> input.add(ResponseInputItem.ofFunctionCall(call)));
      calls.forEach(call -> input.add(result(call)));
    }
    throw new AssertionError("the calls do not end");
  }

  private static ResponseInputItem result(ResponseFunctionToolCall call) {
    return ResponseInputItem.ofFunctionCallOutput(
        ResponseInputItem.FunctionCallOutput.builder()
            .callId(call.callId())
            .output(Json.weather(call.arguments()))
            .build());
  }

  private static ResponseInputItem.Message.Builder message(String words) {
    return ResponseInputItem.Message.builder()
        .role(ResponseInputItem.Message.Role.USER)
        .addInputTextContent(words);
  }

  @Override
  public Answer schema(String model, String words) {
    var params = params(model, words).text(OpenAiJava.Weather.class).build();
    return client.responses().create(params).output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .flatMap(part -> part.outputText().stream())
        .findFirst()
        .orElseThrow()
        .answer();
  }

  @Override
  public String picture(String model, String words) {
    ResponseInputImage image =
        ResponseInputImage.builder()
            .imageUrl(OpenAiJava.PICTURE)
            .detail(ResponseInputImage.Detail.AUTO)
            .build();
    ResponseInputItem message =
        ResponseInputItem.ofMessage(message(words).addContent(image).build());
    return text(
        plain(
            ResponseCreateParams.builder().model(model).inputOfResponse(List.of(message)).build()));
  }

  @Override
  public void read(String model, String words, Predicate<String> isNextWanted) {
    try (StreamResponse<ResponseStreamEvent> events =
        client.responses().createStreaming(params(model, words).build())) {
      events.stream()
          .flatMap(event -> event.validate().outputTextDelta().stream())
          .map(delta -> delta.delta())
          .allMatch(isNextWanted);
    }
  }

  @Override
  public Class<? extends Throwable> thrownFor(int status) {
    return OpenAiJava.thrownFor(status);
  }

  @Override
  public String textOf(Throwable refusal) {
    return OpenAiJava.codeOf(refusal);
  }

  @Override
  public void close() {
    client.close();
  }
}
