package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Result of the gateway's event stream in an SDK: the chunks, and the joined pieces of the choice.
 */
public final class ClientView {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String PREFIX = "data: ";

  private final List<JsonNode> chunks = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoning = new StringBuilder();
  private final StringBuilder refusal = new StringBuilder();
  private final Map<Integer, Call> calls = new TreeMap<>();
  private String finish = "";
  private JsonNode usage = MissingNode.getInstance();
  private boolean done;

  /** One tool call with its joined arguments. */
  public static final class Call {
    public String id = "";
    public String name = "";
    public String type = "";
    public final StringBuilder arguments = new StringBuilder();
  }

  private ClientView() {}

  /** Reads a stream whose every event must be exactly {@code data: <json>\n\n}. */
  public static ClientView of(String stream) {
    ClientView view = new ClientView();
    assertThat(stream).satisfiesAnyOf(s -> assertThat(s).isEmpty(), s -> endsEvent(s));
    for (String block : stream.split("\n\n", -1)) {
      if (!block.isEmpty()) {
        view.block(block);
      }
    }
    return view;
  }

  private static void endsEvent(String stream) {
    assertThat(stream).endsWith("\n\n");
  }

  private void block(String block) {
    assertThat(block).startsWith(PREFIX).doesNotContain("\n").doesNotContain("\r");
    assertThat(done).as("an event after [DONE]").isFalse();
    String data = block.substring(PREFIX.length());
    if (data.equals("[DONE]")) {
      done = true;
      return;
    }
    JsonNode chunk = tree(data);
    chunks.add(chunk);
    if (chunk.path("usage").isObject()) {
      usage = chunk.get("usage");
    }
    chunk.path("choices").forEach(this::choice);
  }

  public static JsonNode tree(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + json, e);
    }
  }

  private void choice(JsonNode choice) {
    JsonNode delta = choice.path("delta");
    content(delta.path("content"));
    reasoning.append(firstText(delta, "reasoning_content", "reasoning"));
    refusal.append(firstText(delta, "refusal"));
    delta.path("tool_calls").forEach(this::call);
    if (choice.path("finish_reason").isTextual()) {
      finish = choice.get("finish_reason").textValue();
    }
  }

  // Mistral's content can be an array of parts.
  private void content(JsonNode content) {
    if (content.isTextual()) {
      text.append(content.textValue());
    }
    for (JsonNode part : content) {
      text.append(part.path("text").asText(""));
      part.path("thinking").forEach(thought -> reasoning.append(thought.path("text").asText("")));
    }
  }

  private static String firstText(JsonNode delta, String... names) {
    for (String name : names) {
      if (delta.path(name).isTextual()) {
        return delta.get(name).textValue();
      }
    }
    return "";
  }

  private void call(JsonNode fragment) {
    Call call = calls.computeIfAbsent(fragment.path("index").intValue(), index -> new Call());
    call.id = call.id.isEmpty() ? fragment.path("id").asText("") : call.id;
    call.type = call.type.isEmpty() ? fragment.path("type").asText("") : call.type;
    JsonNode function = fragment.path("function");
    call.name = call.name.isEmpty() ? function.path("name").asText("") : call.name;
    JsonNode arguments = function.path("arguments");
    call.arguments.append(arguments.isTextual() ? arguments.textValue() : "");
  }

  public List<JsonNode> chunks() {
    return chunks;
  }

  public String text() {
    return text.toString();
  }

  public String reasoning() {
    return reasoning.toString();
  }

  public String refusal() {
    return refusal.toString();
  }

  public List<Call> calls() {
    return List.copyOf(calls.values());
  }

  /** Returns the last finish reason, empty if there is none. */
  public String finish() {
    return finish;
  }

  public JsonNode usage() {
    return usage;
  }

  public boolean done() {
    return done;
  }
}
