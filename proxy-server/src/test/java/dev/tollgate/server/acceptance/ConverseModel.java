package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.AwsEventFrames;
import dev.tollgate.core.testkit.AwsSignature;
import dev.tollgate.core.testkit.CapturedRequest;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderSchema;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Test model of Bedrock: behaves as {@link ForeignModels}, in the format of Converse and with
 * signatures.
 */
final class ConverseModel {
  private static final String USAGE =
      "{\"inputTokens\":15,\"cacheReadInputTokens\":5,\"outputTokens\":9,\"totalTokens\":24}";

  private ConverseModel() {}

  /** True if AWS would accept the request: signed with the right key, for the right region, now. */
  private static boolean isSigned(CapturedRequest request) {
    Map<String, String> head = new HashMap<>();
    for (String line : request.headerLines()) {
      int colon = line.indexOf(':');
      head.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    assertThat(head.get("authorization"))
        .contains(
            "/eu-central-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;");
    assertThat(head).containsEntry("x-amz-security-token", "aws-session");
    return AwsSignature.isValid(
        "POST", request.target(), head, request.body(), "aws/secret+1", "bedrock");
  }

  static void answer(JsonNode request, ScriptedConnection to) {
    assertThat(isSigned(to.request())).isTrue();
    assertThat(request.properties())
        .allSatisfy(
            member ->
                assertThat(member.getKey()).isIn("messages", "toolConfig", "inferenceConfig"));
    JsonNode messages = request.path("messages");
    Map<String, String> results = new HashMap<>();
    for (JsonNode block : messages.path(2).path("content")) {
      JsonNode result = block.path("toolResult");
      String text = result.path("content").path(0).path("text").asText();
      results.put(result.path("toolUseId").asText(), text);
    }
    if (results.isEmpty()) {
      assertThat(request.at("/toolConfig/tools/0/toolSpec/name").asText()).isEqualTo("weather");
    } else {
      JsonNode call = messages.path(1).path("content").path(0).path("toolUse");
      assertThat(call.path("toolUseId").asText()).isEqualTo("toolu_1");
      assertThat(call.path("input").path("city").asText()).isEqualTo("Ulm");
    }
    List<String> calls = List.of("toolu_1", "toolu_2");
    String text = results.isEmpty() ? "It is " : ForeignModels.answerText(calls, results);
    assertThat(ProviderSchema.BEDROCK.complaints(to.request().text())).isEmpty();
    if (to.request().target().endsWith("/converse")) {
      String message = "{\"role\":\"assistant\",\"content\":[{\"text\":\"" + text + "\"}]}";
      to.send(OpenAiWire.response(200, "OK", "", answered(message)));
      return;
    }
    assertThat(to.request().target())
        .isEqualTo("/v1/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream");
    var frames = new AwsEventFrames().event("messageStart", "{\"role\":\"assistant\"}");
    if (results.isEmpty()) {
      call(0, "toolu_1", "Ulm", frames);
      call(1, "toolu_2", "Bonn", frames);
    } else {
      frames.event("contentBlockDelta", delta(0, "{\"text\":\"" + text + "\"}"));
    }
    String reason = results.isEmpty() ? "tool_use" : "end_turn";
    byte[] stream =
        frames
            .event("contentBlockStop", "{\"contentBlockIndex\":0}")
            .event("messageStop", "{\"stopReason\":\"" + reason + "\"}")
            .event("metadata", "{\"usage\":" + USAGE + "}")
            .bytes();
    to.send(
        OpenAiWire.STREAM_HEAD.replace("text/event-stream", "application/vnd.amazon.eventstream"));
    to.send(Integer.toHexString(stream.length) + "\r\n").send(stream);
    to.send("\r\n" + OpenAiWire.LAST_CHUNK);
  }

  private static void call(int index, String id, String city, AwsEventFrames frames) {
    frames
        .event(
            "contentBlockStart",
            "{\"contentBlockIndex\":%d,\"start\":{\"toolUse\":{\"toolUseId\":\"%s\",\"name\":\"weather\"}}}"
                .formatted(index, id))
        .event("contentBlockDelta", delta(index, "{\"toolUse\":{\"input\":\"{\\\"city\\\":\"}}"))
        .event(
            "contentBlockDelta",
            delta(index, "{\"toolUse\":{\"input\":\"\\\"" + city + "\\\"}\"}}"));
  }

  private static String delta(int index, String inside) {
    return "{\"contentBlockIndex\":" + index + ",\"delta\":" + inside + ",\"p\":\"abc\"}";
  }

  private static String answered(String message) {
    return "{\"output\":{\"message\":"
        + message
        + "},\"stopReason\":\"end_turn\",\"usage\":"
        + USAGE
        + "}";
  }
}
