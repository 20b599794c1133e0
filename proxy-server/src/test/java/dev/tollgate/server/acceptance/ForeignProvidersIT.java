package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.sun.net.httpserver.HttpServer;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.AwsSignature;
import dev.tollgate.core.testkit.CapturedRequest;
import dev.tollgate.core.testkit.Frames;
import dev.tollgate.core.testkit.ScriptedConnection;
import dev.tollgate.core.testkit.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official Java SDK, the real program, and providers that speak something else than OpenAI. */
class ForeignProvidersIT {
  private static final String USAGE =
      "{\"inputTokens\":15,\"cacheReadInputTokens\":5,\"outputTokens\":9,\"totalTokens\":24}";

  private static final ScriptedModels PROVIDER =
      new ScriptedModels()
          .model("claude-haiku-4-5", ForeignProvidersIT::answer)
          .model("", ForeignProvidersIT::google); // it is in the target there
  private static final HttpServer TOKENS = tokens();
  private static final Binary NODE = Shared.beside(setup(), List.of());
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(NODE.baseUrl().toString())
          .apiKey(Shared.key())
          .maxRetries(0)
          .build();

  private static Setup setup() {
    return Shared.setup()
        .provider(
            "anthropic",
            Map.of("type", "anthropic", "base_url", PROVIDER.baseUrl(), "api_key", "sk-ant-1"))
        .model("anthropic/haiku", "anthropic", "claude-haiku-4-5")
        .provider(
            "gemini", Map.of("type", "gemini", "base_url", PROVIDER.baseUrl(), "api_key", "AIza-1"))
        .model("google/gemini", "gemini", "gemini-3-flash-preview")
        .provider("vertex", vertex("google"))
        .model("vertex/gemini", "vertex", "gemini-2.5-flash")
        .provider("vertex-claude", vertex("anthropic"))
        .model("vertex/haiku", "vertex-claude", "claude-haiku-4-5@20251001")
        .provider(
            "bedrock",
            Map.of(
                "type",
                "bedrock",
                "region",
                "eu-central-1",
                "base_url",
                PROVIDER.baseUrl(),
                "access_key",
                "AKIDEXAMPLE",
                "secret_key",
                "aws/secret+1",
                "session_token",
                "aws-session"))
        .model("bedrock/haiku", "bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0");
  }

  private static Map<String, Object> vertex(String publisher) {
    return Map.of(
        "type",
        "vertex",
        "project",
        "p-1",
        "publisher",
        publisher,
        "base_url",
        PROVIDER.baseUrl(),
        "service_account",
        account());
  }

  /** A server that gives out tokens; what it is asked with has a test of its own. */
  private static HttpServer tokens() {
    try {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/token",
          exchange -> {
            byte[] body = "{\"access_token\":\"ya29.t\",\"expires_in\":3600}".getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String account() {
    try {
      byte[] key = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate().getEncoded();
      String pem = "-----BEGIN PRIVATE KEY-----" + Base64.getEncoder().encodeToString(key);
      return "{\"client_email\":\"a@p\",\"private_key\":\"%s-----END PRIVATE KEY-----\",\"token_uri\":\"http://127.0.0.1:%d/token\"}"
          .formatted(pem, TOKENS.getAddress().getPort());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @AfterAll
  static void stop() {
    CLIENT.close();
    NODE.admin().awaitIdle();
    NODE.close();
    PROVIDER.close();
    TOKENS.stop(0);
  }

  /** It calls the tool that it is given, and says what the tool's result was. */
  private static void answer(JsonNode request, ScriptedConnection to) {
    assertThat(to.request().target()).matches(".*/messages|.*:streamRawPredict");
    assertThat(to.request().text()).doesNotContain("\"tool_calls\"", "\"stream_options\"");
    assertThat(request.path("max_tokens").isIntegralNumber()).isTrue();
    JsonNode last = request.path("messages").path(request.path("messages").size() - 1);
    assertThat(last.path("role").asText()).isEqualTo("user");
    JsonNode block = last.path("content").path(0);
    boolean isResult = block.path("type").asText().equals("tool_result");
    if (isResult) {
      JsonNode asked = request.path("messages").path(1).path("content").path(0);
      assertThat(asked.path("type").asText()).isEqualTo("tool_use");
      assertThat(asked.path("id")).isEqualTo(block.path("tool_use_id"));
      assertThat(asked.path("input").path("city").asText()).isEqualTo("Ulm");
    } else {
      assertThat(request.path("tools").path(0).path("name").asText()).isEqualTo("weather");
    }
    String content =
        isResult
            ? AnthropicWire.text(0, "It is ", block.path("content").path(0).path("text").asText())
            : AnthropicWire.call(0, "toolu_1", "weather", "{\"city\": \"Ulm\"}");
    String stream =
        AnthropicWire.start(20)
            + content
            + AnthropicWire.stop(isResult ? "end_turn" : "tool_use", 9);
    assertThat(request.path("stream").booleanValue()).isTrue();
    to.send(Wire.STREAM_HEAD).send(Wire.chunk(stream)).send(Wire.LAST_CHUNK);
  }

  /** Whether AWS would take the request: signed by the right key, for the right place, now. */
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
    return AwsSignature.isGood(
        "POST", request.target(), head, request.body(), "aws/secret+1", "bedrock");
  }

  /** The same as above in Converse's form. */
  private static void converse(JsonNode request, ScriptedConnection to) {
    assertThat(isSigned(to.request())).isTrue();
    assertThat(request.properties())
        .allSatisfy(
            member ->
                assertThat(member.getKey()).isIn("messages", "toolConfig", "inferenceConfig"));
    JsonNode messages = request.path("messages");
    JsonNode result = messages.path(2).path("content").path(0).path("toolResult");
    if (result.isMissingNode()) {
      assertThat(request.at("/toolConfig/tools/0/toolSpec/name").asText()).isEqualTo("weather");
    } else {
      JsonNode call = messages.path(1).path("content").path(0).path("toolUse");
      assertThat(call.path("toolUseId")).isEqualTo(result.path("toolUseId"));
      assertThat(call.path("input").path("city").asText()).isEqualTo("Ulm");
    }
    String said = "It is " + result.path("content").path(0).path("text").asText();
    if (to.request().target().endsWith("/converse")) {
      String message = "{\"role\":\"assistant\",\"content\":[{\"text\":\"" + said + "\"}]}";
      to.send(Wire.response(200, "OK", "", answered(message)));
      return;
    }
    assertThat(to.request().target())
        .isEqualTo("/v1/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream");
    var frames = new Frames().event("messageStart", "{\"role\":\"assistant\"}");
    if (result.isMissingNode()) {
      frames
          .event(
              "contentBlockStart",
              "{\"contentBlockIndex\":0,\"start\":{\"toolUse\":{\"toolUseId\":\"toolu_1\","
                  + "\"name\":\"weather\"}}}")
          .event("contentBlockDelta", delta("{\"toolUse\":{\"input\":\"{\\\"city\\\":\"}}"))
          .event("contentBlockDelta", delta("{\"toolUse\":{\"input\":\"\\\"Ulm\\\"}\"}}"));
    } else {
      frames.event("contentBlockDelta", delta("{\"text\":\"" + said + "\"}"));
    }
    String reason = result.isMissingNode() ? "tool_use" : "end_turn";
    byte[] stream =
        frames
            .event("contentBlockStop", "{\"contentBlockIndex\":0}")
            .event("messageStop", "{\"stopReason\":\"" + reason + "\"}")
            .event("metadata", "{\"usage\":" + USAGE + "}")
            .bytes();
    to.send(Wire.STREAM_HEAD.replace("text/event-stream", "application/vnd.amazon.eventstream"));
    to.send(Integer.toHexString(stream.length) + "\r\n").send(stream);
    to.send("\r\n" + Wire.LAST_CHUNK);
  }

  private static String delta(String inside) {
    return "{\"contentBlockIndex\":0,\"delta\":" + inside + ",\"p\":\"abc\"}";
  }

  private static String answered(String message) {
    return "{\"output\":{\"message\":"
        + message
        + "},\"stopReason\":\"end_turn\",\"usage\":"
        + USAGE
        + "}";
  }

  /** What is asked of Vertex, of Gemini with a key, and of Bedrock. */
  private static void google(JsonNode request, ScriptedConnection to) {
    String target = to.request().target();
    if (target.startsWith("/v1/model/")) {
      converse(request, to);
      return;
    }
    String host = target.startsWith("/v1/projects/") ? "vertex" : "gemini";
    if (host.equals("vertex")) {
      assertThat(target).startsWith("/v1/projects/p-1/locations/global/publishers/");
      assertThat(to.request().text()).doesNotContain("PRIVATE");
    }
    if (target.endsWith(":streamRawPredict")) {
      assertThat(request.path("anthropic_version").asText()).isEqualTo("vertex-2023-10-16");
      answer(request, to);
      return;
    }
    assertThat(target).endsWith(":streamGenerateContent?alt=sse");
    assertThat(request.properties())
        .allSatisfy(
            member ->
                assertThat(member.getKey())
                    .isIn("contents", "tools", "toolConfig", "generationConfig"));
    JsonNode contents = request.path("contents");
    assertThat(contents.path(0).path("role").asText()).isEqualTo("user");
    JsonNode result = contents.path(2).path("parts").path(0).path("functionResponse");
    String part;
    if (result.isMissingNode()) {
      JsonNode tool = request.path("tools").path(0).path("functionDeclarations").path(0);
      assertThat(tool.path("name").asText()).isEqualTo("weather");
      part =
          "{\"functionCall\":{\"name\":\"weather\",\"args\":{\"city\":\"Ulm\"}},"
              + "\"thoughtSignature\":\"c2ln\"}";
    } else {
      JsonNode call = contents.path(1).path("parts").path(0);
      assertThat(contents.path(1).path("role").asText()).isEqualTo("model");
      assertThat(call.path("functionCall").path("args").path("city").asText()).isEqualTo("Ulm");
      assertThat(call.path("thoughtSignature").asText().isEmpty() && host.equals("gemini"))
          .as("unsigned")
          .isFalse();
      assertThat(result.path("name").asText()).isEqualTo("weather");
      part = "{\"text\":\"It is " + result.path("response").path("output").asText() + "\"}";
    }
    String event =
        "data: {\"candidates\":[{\"content\":{\"parts\":["
            + part
            + "],\"role\":\"model\"},\"finishReason\":\"STOP\"}],\"usageMetadata\":"
            + "{\"promptTokenCount\":20,\"candidatesTokenCount\":9,\"totalTokenCount\":29},"
            + "\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n";
    to.send(Wire.STREAM_HEAD).send(Wire.chunk(event)).send(Wire.LAST_CHUNK);
  }

  private static ChatCompletion streamed(ChatCompletionCreateParams params) {
    var accumulator = ChatCompletionAccumulator.create();
    try (var stream = CLIENT.chat().completions().createStreaming(params)) {
      stream.stream().peek(ChatCompletionChunk::validate).forEach(accumulator::accumulate);
    }
    return accumulator.chatCompletion();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "anthropic/haiku",
        "google/gemini",
        "vertex/gemini",
        "vertex/haiku",
        "bedrock/haiku"
      })
  void aToolIsCalledAndItsResultIsAnswered(String model) {
    var function = FunctionDefinition.builder().name("weather").description("Tells it.").build();
    var question =
        ChatCompletionCreateParams.builder()
            .model(model)
            .addUserMessage("How is the weather in Ulm?")
            .addTool(ChatCompletionFunctionTool.builder().function(function).build())
            .build();

    ChatCompletion asked = streamed(question);

    var choice = asked.choices().getFirst();
    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    var call = choice.message().toolCalls().orElseThrow().getFirst().asFunction();
    assertThat(call.id()).isIn("toolu_1", "call_r_0");
    assertThat(call.function().name()).isEqualTo("weather");
    assertThat(Json.tree(call.function().arguments()).path("city").asText()).isEqualTo("Ulm");
    assertThat(asked.usage().orElseThrow().totalTokens()).isEqualTo(29);
    ChatCompletion answered =
        streamed(
            question.toBuilder()
                .addMessage(choice.message())
                .addMessage(
                    ChatCompletionToolMessageParam.builder()
                        .toolCallId(call.id())
                        .content("sunny.")
                        .build())
                .build());
    assertThat(answered.choices().getFirst().message().content()).contains("It is sunny.");
    assertThat(answered.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
  }

  @Test
  void aPlainAnswerOfBedrocksIsTheClients() {
    var question =
        ChatCompletionCreateParams.builder()
            .model("bedrock/haiku")
            .addUserMessage("How is the weather in Ulm?")
            .addTool(
                ChatCompletionFunctionTool.builder()
                    .function(FunctionDefinition.builder().name("weather").build())
                    .build())
            .build();

    ChatCompletion answered = CLIENT.chat().completions().create(question);

    answered.validate();
    assertThat(answered.choices().getFirst().message().content()).contains("It is ");
    var usage = answered.usage().orElseThrow();
    assertThat(usage.promptTokens()).isEqualTo(20);
    assertThat(usage.promptTokensDetails().orElseThrow().cachedTokens()).contains(5L);
  }
}
