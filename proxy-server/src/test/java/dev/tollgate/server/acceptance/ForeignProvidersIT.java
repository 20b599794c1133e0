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
import dev.tollgate.core.testkit.ScriptedConnection;
import dev.tollgate.core.testkit.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The official Java SDK, the real program, and providers that speak something else than OpenAI. */
class ForeignProvidersIT {
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
        .model("vertex/haiku", "vertex-claude", "claude-haiku-4-5@20251001");
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

  /** What is asked of Vertex, and of Gemini with a key. */
  private static void google(JsonNode request, ScriptedConnection to) {
    String target = to.request().target();
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
  @ValueSource(strings = {"anthropic/haiku", "google/gemini", "vertex/gemini", "vertex/haiku"})
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
}
