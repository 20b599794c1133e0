package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderSchema;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Test models of providers with other APIs than OpenAI's: each accepts only documented requests,
 * calls a tool for the weather of two cities at once, and then returns both results in the order of
 * its calls.
 */
final class ForeignModels {
  private static final String LINES_HEAD =
      OpenAiWire.STREAM_HEAD.replace("text/event-stream", "application/x-ndjson");
  private static final String ULM = "{\"city\":\"Ulm\"}";
  private static final String BONN = "{\"city\":\"Bonn\"}";

  private ForeignModels() {}

  private static void assertTaken(ScriptedConnection to, ProviderSchema... schemas) {
    for (ProviderSchema schema : schemas) {
      assertThat(schema.complaints(to.request().text())).as("%s", schema).isEmpty();
    }
  }

  static String answerText(List<String> calls, Map<String, String> results) {
    assertThat(results.keySet()).containsExactlyInAnyOrderElementsOf(calls);
    return "It is " + String.join(", ", calls.stream().map(results::get).toList());
  }

  private static void send(ScriptedConnection to, String head, String stream) {
    to.send(head).send(OpenAiWire.chunk(stream)).send(OpenAiWire.LAST_CHUNK);
  }

  static void anthropic(JsonNode request, ScriptedConnection to) {
    assertThat(to.request().target()).matches(".*/messages|.*:streamRawPredict");
    assertThat(to.request().text()).doesNotContain("\"tool_calls\"", "\"stream_options\"");
    assertTaken(to, ProviderSchema.ANTHROPIC);
    assertThat(request.path("stream").booleanValue()).isTrue();
    JsonNode last = request.path("messages").path(request.path("messages").size() - 1);
    assertThat(last.path("role").asText()).isEqualTo("user");
    Map<String, String> results = new HashMap<>();
    for (JsonNode block : last.path("content")) {
      if (block.path("type").asText().equals("tool_result")) {
        String text = block.path("content").path(0).path("text").asText();
        results.put(block.path("tool_use_id").asText(), text);
      }
    }
    if (results.isEmpty()) {
      assertThat(request.path("tools").path(0).path("name").asText()).isEqualTo("weather");
      String calls =
          AnthropicWire.call(0, "toolu_1", "weather", ULM)
              + AnthropicWire.call(1, "toolu_2", "weather", BONN);
      send(
          to,
          OpenAiWire.STREAM_HEAD,
          AnthropicWire.start(20) + calls + AnthropicWire.stop("tool_use", 9));
      return;
    }
    List<String> calls = new ArrayList<>();
    JsonNode asked = request.path("messages").path(1).path("content");
    asked.forEach(call -> calls.add(call.path("id").asText()));
    assertThat(asked.path(0).path("input").path("city").asText()).isEqualTo("Ulm");
    String text = AnthropicWire.text(0, answerText(calls, results));
    send(
        to,
        OpenAiWire.STREAM_HEAD,
        AnthropicWire.start(20) + text + AnthropicWire.stop("end_turn", 9));
  }

  /** Requests of Vertex, of Gemini with a key, and of Bedrock have the model in the target. */
  static void inTarget(JsonNode request, ScriptedConnection to) {
    if (to.request().target().startsWith("/v1/model/")) {
      ConverseModel.answer(request, to);
    } else {
      google(request, to);
    }
  }

  private static void google(JsonNode request, ScriptedConnection to) {
    String target = to.request().target();
    boolean isVertex = target.startsWith("/v1/projects/");
    if (isVertex) {
      assertThat(target).startsWith("/v1/projects/p-1/locations/global/publishers/");
      assertThat(to.request().text()).doesNotContain("PRIVATE");
    }
    if (target.endsWith(":streamRawPredict")) {
      assertThat(request.path("anthropic_version").asText()).isEqualTo("vertex-2023-10-16");
      anthropic(request, to);
      return;
    }
    assertThat(target).endsWith(":streamGenerateContent?alt=sse");
    assertTaken(to, ProviderSchema.GEMINI);
    if (isVertex) {
      assertTaken(to, ProviderSchema.GEMINI_2_5);
    }
    JsonNode contents = request.path("contents");
    assertThat(contents.path(0).path("role").asText()).isEqualTo("user");
    JsonNode results = contents.path(2).path("parts");
    if (results.isMissingNode()) {
      JsonNode tool = request.path("tools").path(0).path("functionDeclarations").path(0);
      assertThat(tool.path("name").asText()).isEqualTo("weather");
      String signed = "},\"thoughtSignature\":\"c2ln\"}";
      gemini(
          to,
          call(isVertex ? "" : "g1", ULM) + signed + "," + call(isVertex ? "" : "g2", BONN) + "}}");
      return;
    }
    JsonNode calls = contents.path(1).path("parts");
    assertThat(contents.path(1).path("role").asText()).isEqualTo("model");
    assertThat(calls.path(0).path("functionCall").path("args").path("city").asText())
        .isEqualTo("Ulm");
    assertThat(calls.path(0).path("thoughtSignature").asText()).isEqualTo("c2ln");
    List<String> texts = new ArrayList<>();
    for (int k = 0; k < results.size(); k++) { // the id of the call at the same index
      JsonNode result = results.path(k).path("functionResponse");
      assertThat(result.path("name").asText()).isEqualTo("weather");
      assertThat(result.path("id")).isEqualTo(calls.path(k).path("functionCall").path("id"));
      assertThat(result.has("id")).isEqualTo(!isVertex);
      texts.add(result.path("response").path("output").asText());
    }
    gemini(to, "{\"text\":\"It is " + String.join(", ", texts) + "\"}");
  }

  private static String call(String id, String arguments) {
    String named = id.isEmpty() ? "" : "\"id\":\"" + id + "\",";
    return "{\"functionCall\":{" + named + "\"name\":\"weather\",\"args\":" + arguments;
  }

  private static void gemini(ScriptedConnection to, String parts) {
    send(
        to,
        OpenAiWire.STREAM_HEAD,
        "data: {\"candidates\":[{\"content\":{\"parts\":["
            + parts
            + "],\"role\":\"model\"},\"finishReason\":\"STOP\"}],\"usageMetadata\":"
            + "{\"promptTokenCount\":20,\"candidatesTokenCount\":9,\"totalTokenCount\":29},"
            + "\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n");
  }

  /** Returns the tool calls of a conversation in OpenAI's format, or a similar one. */
  private static List<String> calls(JsonNode request) {
    List<String> calls = new ArrayList<>();
    JsonNode asked = request.path("messages").path(1).path("tool_calls");
    asked.forEach(call -> calls.add(call.path("id").asText()));
    return calls;
  }

  private static Map<String, String> results(JsonNode request) {
    Map<String, String> results = new HashMap<>();
    for (JsonNode message : request.path("messages")) {
      if (message.path("role").asText().equals("tool")) {
        results.put(message.path("tool_call_id").asText(), message.path("content").asText());
      }
    }
    return results;
  }

  static void cohere(JsonNode request, ScriptedConnection to) {
    assertThat(to.request().target()).isEqualTo("/v2/chat");
    assertTaken(to, ProviderSchema.COHERE);
    Map<String, String> results = results(request);
    String content;
    if (results.isEmpty()) {
      content = cohereCall(0, "weather_1", ULM) + cohereCall(1, "weather_2", BONN);
    } else {
      content =
          cohere("content-start", "\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}")
              + cohere(
                  "content-delta",
                  "\"message\":{\"content\":{\"text\":\""
                      + answerText(calls(request), results)
                      + "\"}}");
    }
    String reason = results.isEmpty() ? "TOOL_CALL" : "COMPLETE";
    send(
        to,
        OpenAiWire.STREAM_HEAD,
        cohere("message-start", "\"message\":{\"role\":\"assistant\"}")
            + content
            + cohere(
                "message-end",
                "\"finish_reason\":\""
                    + reason
                    + "\",\"usage\":{\"tokens\":{\"input_tokens\":20,\"output_tokens\":9}}"));
  }

  private static String cohereCall(int index, String id, String arguments) {
    String quoted = arguments.replace("\"", "\\\"");
    return cohere(
            "tool-call-start",
            "\"message\":{\"tool_calls\":{\"id\":\""
                + id
                + "\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"\"}}}",
            index)
        + cohere(
            "tool-call-delta",
            "\"message\":{\"tool_calls\":{\"function\":{\"arguments\":\"" + quoted + "\"}}}",
            index);
  }

  private static String cohere(String type, String delta) {
    return cohere(type, delta, 0);
  }

  private static String cohere(String type, String delta, int index) {
    return "event: %s\ndata: {\"id\":\"c\",\"type\":\"%s\",\"index\":%d,\"delta\":{%s}}\n\n"
        .formatted(type, type, index, delta);
  }

  static void ollama(JsonNode request, ScriptedConnection to) {
    assertThat(to.request().target()).isEqualTo("/api/chat");
    assertTaken(to, ProviderSchema.OLLAMA);
    Map<String, String> results = results(request);
    String answerText = results.isEmpty() ? "" : answerText(calls(request), results);
    String calls =
        results.isEmpty()
            ? ",\"tool_calls\":[{\"function\":{\"name\":\"weather\",\"arguments\":%s}},{\"function\":{\"name\":\"weather\",\"arguments\":%s}}]"
                .formatted(ULM, BONN)
            : "";
    send(
        to,
        LINES_HEAD,
        ollama(
                "{\"role\":\"assistant\",\"content\":\""
                    + answerText
                    + "\""
                    + calls
                    + "},\"done\":false")
            + ollama(
                "{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","
                    + "\"prompt_eval_count\":20,\"eval_count\":9"));
  }

  private static String ollama(String message) {
    return "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":"
        + message
        + "}\n";
  }

  static void azure(JsonNode request, ScriptedConnection to) {
    assertThat(to.request().target())
        .isEqualTo("/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21");
    Map<String, String> results = results(request);
    String delta =
        results.isEmpty()
            ? "\"content\":null,\"tool_calls\":[" + azure(0, ULM) + "," + azure(1, BONN) + "]"
            : "\"content\":\"" + answerText(calls(request), results) + "\"";
    String reason = results.isEmpty() ? "tool_calls" : "stop";
    send(
        to,
        OpenAiWire.STREAM_HEAD,
        "data: {\"choices\":[],\"id\":\"\",\"model\":\"\",\"object\":\"\",\"created\":0,"
            + "\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n"
            + azure("{\"role\":\"assistant\"," + delta + "}", "null")
            + azure("{}", "\"" + reason + "\"")
            + "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,"
            + "\"model\":\"gpt-4o\",\"choices\":[],\"usage\":{\"prompt_tokens\":20,"
            + "\"completion_tokens\":9,\"total_tokens\":29}}\n\ndata: [DONE]\n\n");
  }

  private static String azure(int index, String arguments) {
    return "{\"index\":%d,\"id\":\"az_%d\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"%s\"}}"
        .formatted(index, index, arguments.replace("\"", "\\\""));
  }

  private static String azure(String delta, String finish) {
    return "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-4o\","
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + finish
        + ",\"content_filter_results\":{}}]}\n\n";
  }
}
