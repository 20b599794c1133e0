package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Result of a Responses stream in an SDK's helper: a snapshot that begins with the first event and
 * to which each event adds, and which must equal the last event's response.
 */
public final class ResponsesView {
  private final List<JsonNode> events;
  private final List<String> types = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();
  private JsonNode snapshot = MissingNode.getInstance();
  private JsonNode completed = MissingNode.getInstance();
  private JsonNode error = MissingNode.getInstance();

  private ResponsesView(List<JsonNode> events) {
    this.events = events;
  }

  /** Reads a stream and checks the order of its events. */
  public static ResponsesView of(String stream) {
    ResponsesView view = new ResponsesView(ClientView.of(stream).chunks());
    for (int n = 0; n < view.events.size(); n++) {
      JsonNode event = view.events.get(n);
      assertThat(event.path("sequence_number").asInt(-1)).as(event.toString()).isEqualTo(n);
      view.event(event);
    }
    return view;
  }

  private void event(JsonNode event) {
    String type = event.path("type").asText();
    types.add(type);
    assertThat(completed.isMissingNode()).as("behind the last event").isTrue();
    switch (type) {
      case "response.created" -> {
        assertThat(types).hasSize(1);
        assertThat(event.at("/response/status").asText()).isEqualTo("in_progress");
        assertThat(event.path("response").has("usage")).isFalse();
        snapshot = event.path("response").deepCopy();
      }
      case "response.output_text.delta" -> {
        assertThat(item(event).path("id")).isEqualTo(event.path("item_id"));
        var part = (ObjectNode) part(event);
        assertThat(part.path("type").asText()).isEqualTo("output_text");
        part.put("text", part.get("text").asText() + event.get("delta").asText());
        text.append(event.get("delta").asText());
      }
      case "response.output_item.added" -> output().add(event.path("item").deepCopy());
      case "response.content_part.added" ->
          ((ArrayNode) item(event).path("content")).add(event.path("part").deepCopy());
      case "response.function_call_arguments.delta" -> {
        var call = (ObjectNode) item(event);
        assertThat(call.path("type").asText()).isEqualTo("function_call");
        call.put("arguments", call.get("arguments").asText() + event.get("delta").asText());
      }
      case "response.function_call_arguments.done" -> {
        assertThat(event.path("name")).isEqualTo(item(event).path("name"));
        assertThat(item(event).path("arguments")).isEqualTo(event.path("arguments"));
      }
      case "response.refusal.delta" -> {
        var refused = (ObjectNode) part(event);
        refused.put("refusal", refused.get("refusal").asText() + event.get("delta").asText());
      }
      case "response.output_text.done" ->
          assertThat(part(event).path("text")).isEqualTo(event.path("text"));
      case "response.refusal.done" ->
          assertThat(part(event).path("refusal")).isEqualTo(event.path("refusal"));
      case "response.content_part.done" -> assertThat(part(event)).isEqualTo(event.path("part"));
      case "response.output_item.done" ->
          output().set(event.get("output_index").asInt(), event.path("item").deepCopy());
      case "response.completed" -> {
        completed = event.path("response");
        assertThat(completed.path("status").asText()).isEqualTo("completed");
        assertThat(completed.path("id")).isEqualTo(snapshot.path("id"));
        assertThat(messageText(completed)).isEqualTo(text.toString());
      }
      case "error" -> error = event.path("error");
      default -> throw new AssertionError("an event that nobody knows: " + event);
    }
  }

  private ArrayNode output() {
    return (ArrayNode) snapshot.path("output");
  }

  private JsonNode item(JsonNode event) {
    JsonNode item = output().path(event.path("output_index").asInt(-1));
    assertThat(item.isObject()).as("missing output at index: " + event).isTrue();
    return item;
  }

  private JsonNode part(JsonNode event) {
    JsonNode part = item(event).path("content").path(event.path("content_index").asInt(-1));
    assertThat(part.isObject()).as("missing content at index: " + event).isTrue();
    return part;
  }

  /** Returns the text of a response's message, empty if there is none. */
  static String messageText(JsonNode response) {
    StringBuilder all = new StringBuilder();
    for (JsonNode item : response.path("output")) {
      for (JsonNode part : item.path("content")) {
        all.append(part.path("text").asText(""));
      }
    }
    return all.toString();
  }

  /** Returns the calls of a response's output. */
  static List<JsonNode> calls(JsonNode response) {
    List<JsonNode> calls = new ArrayList<>();
    for (JsonNode item : response.path("output")) {
      if (item.path("type").asText().equals("function_call")) {
        calls.add(item);
      }
    }
    return calls;
  }

  public List<String> types() {
    return types;
  }

  /** Returns the joined text deltas. */
  public String text() {
    return text.toString();
  }

  /** Returns the response as built from all events but the last. */
  public JsonNode snapshot() {
    return snapshot;
  }

  /** Returns the response of the last event. */
  public JsonNode completed() {
    return completed;
  }

  public JsonNode error() {
    return error;
  }
}
