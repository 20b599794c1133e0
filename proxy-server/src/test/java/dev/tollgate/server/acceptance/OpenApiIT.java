package dev.tollgate.server.acceptance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.cli.ApiDocument;
import dev.tollgate.server.cli.ApiDocument.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of the real program match the OpenAPI document. */
class OpenApiIT {
  private static final ApiDocument DOCUMENT = ApiDocument.own();
  private static final String SPEECH = "/v1/audio/speech";
  private static final String TRANSCRIPTIONS = "/v1/audio/transcriptions";

  /** Endpoints with a direct response; {@link JobsOverHttpIT} has the others. */
  static Stream<Arguments> examples() {
    return DOCUMENT.operations().stream()
        .filter(one -> one.has(200))
        .flatMap(one -> one.examples().stream().map(body -> Arguments.of(one, body)));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void everyExampleIsAnsweredAsDocumented(Operation operation, JsonNode example) {
    ObjectNode body = example.deepCopy();
    body.put("model", body.get("model").asText().replace("tollgate/demo-", "test/"));
    RawResponse reply = asked(operation, body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    String type = requireNonNull(reply.header("content-type"));
    if (body.path("stream").asBoolean()) {
      requireEvents(operation, reply);
    } else if (type.startsWith("audio/") || type.startsWith("text/")) {
      String kind = type.substring(0, type.indexOf('/')) + "/*";
      assertThat(operation.node().at("/responses/200/content").has(kind)).as(type).isTrue();
      assertThat(reply.body()).isNotEmpty();
    } else {
      JsonNode answer = Json.tree(reply.text());
      assertThat(operation.answer("application/json", answer)).as(reply.text()).isEmpty();
    }
  }

  private static RawResponse asked(Operation operation, ObjectNode body) {
    if (body.has("image")) {
      return ImageRequests.edit(body.get("model").asText(), SharedNode.key(), "size=64x64");
    }
    if (!operation.path().equals(TRANSCRIPTIONS)) {
      return post(operation.path(), body.toString());
    }
    String model = body.get("model").asText().replace("transcription", "hearing");
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : body.without(List.of("model", "file")).properties()) {
      JsonNode value = field.getValue();
      Iterable<JsonNode> items = value.isArray() ? value : List.of(value);
      items.forEach(item -> fields.add(field.getKey() + "=" + item.asText()));
    }
    byte[] form = AudioRequests.form(model, 48_000, fields.toArray(String[]::new));
    return AudioRequests.transcribe(SharedNode.node(), form, SharedNode.key());
  }

  private static void requireEvents(Operation operation, RawResponse reply) {
    List<String> events = events(reply);
    assertThat(events).hasSizeGreaterThan(2);
    assertThat(events.getLast()).isEqualTo("[DONE]");
    for (String event : events.subList(0, events.size() - 1)) {
      assertThat(operation.answer("text/event-stream", Json.tree(event))).as(event).isEmpty();
    }
  }

  @Test
  void speechEventsAreAsDocumented() {
    RawResponse reply =
        AudioRequests.speech("test/speech", ",\"stream_format\":\"sse\"", SharedNode.key());
    requireEvents(DOCUMENT.operation(SPEECH), reply);
  }

  @Test
  void transcriptsAreAsDocumented() {
    Operation operation = DOCUMENT.operation(TRANSCRIPTIONS);
    RawResponse whole = AudioRequests.transcribe("test/hearing", SharedNode.key());
    assertThat(operation.answer("application/json", Json.tree(whole.text()))).isEmpty();
    byte[] form = AudioRequests.form("test/hearing", 1_000, "stream=true");
    requireEvents(operation, AudioRequests.transcribe(SharedNode.node(), form, SharedNode.key()));
  }

  @Test
  void toolCallsAreAsDocumented() {
    Operation operation = DOCUMENT.operation("/v1/responses");
    for (boolean stream : new boolean[] {false, true}) {
      RawResponse reply =
          post(
              operation.path(),
              "{\"model\":\"test/tool\",\"input\":\"a\",\"stream\":%s}".formatted(stream));
      JsonNode last =
          stream ? Json.tree(lastButOne(reply)).path("response") : Json.tree(reply.text());
      assertThat(last.toString()).contains("function_call");
      assertThat(operation.answer("application/json", last)).as(last.toString()).isEmpty();
    }
  }

  @Test
  void brokenStreamsEndWithADocumentedEvent() {
    Operation operation = DOCUMENT.operation("/v1/responses");
    RawResponse reply =
        post(operation.path(), "{\"model\":\"test/error-midway\",\"input\":\"a\",\"stream\":true}");
    String error = lastButOne(reply);
    assertThat(error).startsWith("{\"type\":\"error\",\"sequence_number\":");
    assertThat(operation.answer("text/event-stream", Json.tree(error))).as(error).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/models", "/v1/key", "/v1/credits"})
  void queriesAreAnsweredAsDocumented(String path) {
    JsonNode answer = Json.tree(get(path, SharedNode.authorization()).text());
    assertThat(DOCUMENT.operation(path).answer("application/json", answer)).isEmpty();
  }

  @Test
  void modelsAreDescribedAsDocumented() {
    JsonNode answer = Json.tree(get("/v1/models/test/chat", SharedNode.authorization()).text());
    Operation operation = DOCUMENT.operation("/v1/models/{vendor}/{name}");
    assertThat(operation.answer("application/json", answer)).isEmpty();
  }

  @Test
  void errorsHaveTheEnvelope() {
    for (RawResponse refused :
        List.of(
            get("/v1/models", "Authorization: Bearer nobody"),
            get("/v1/nothing", SharedNode.authorization()),
            post("/v1/responses", "{}"),
            post("/v1/responses", "{"),
            post("/v1/chat/completions", ChatRequests.body("test/rate-limited", false)),
            post("/v1/chat/completions", ChatRequests.body("test/broken", false)))) {
      assertThat(refused.status()).isGreaterThanOrEqualTo(400);
      assertThat(DOCUMENT.error(Json.tree(refused.text()))).as(refused.text()).isEmpty();
    }
  }

  private static List<String> events(RawResponse reply) {
    return reply.events().stream().map(event -> event.substring("data: ".length())).toList();
  }

  private static String lastButOne(RawResponse reply) {
    List<String> events = events(reply);
    return events.get(events.size() - 2);
  }

  private static RawResponse post(String path, String body) {
    try (RawClient client = SharedNode.node().connect()) {
      return client.post(path, body, SharedNode.authorization()).readResponse();
    }
  }

  private static RawResponse get(String path, String authorization) {
    try (RawClient client = SharedNode.node().connect()) {
      return client.get(path, authorization).readResponse();
    }
  }
}
