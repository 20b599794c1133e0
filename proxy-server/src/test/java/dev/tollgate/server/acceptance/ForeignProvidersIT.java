package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The official Java SDK, the real program, and providers with other APIs than OpenAI's. */
@Tag("chaos")
class ForeignProvidersIT {
  private static final ScriptedModels PROVIDER =
      new ScriptedModels()
          .model("claude-haiku-4-5", ForeignModels::anthropic)
          .model("command-a", ForeignModels::cohere)
          .model("llama3.2", ForeignModels::ollama)
          .model("gpt-4o", ForeignModels::azure)
          .model("", ForeignModels::inTarget);
  private static final HttpServer TOKENS = tokens();
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(NODE.baseUrl().toString())
          .apiKey(SharedNode.key())
          .maxRetries(0)
          .build();

  private static ConfigBuilder setup() {
    return SharedNode.setup()
        .provider(
            "anthropic",
            Map.of("type", "anthropic", "base_url", PROVIDER.baseUrl(), "api_key", "sk-ant-1"))
        .model("anthropic/haiku", "anthropic", "claude-haiku-4-5")
        .provider(
            "gemini", Map.of("type", "gemini", "base_url", PROVIDER.baseUrl(), "api_key", "AIza-1"))
        .model("google/gemini", "gemini", "gemini-3-flash-preview")
        .provider("cohere", Map.of("type", "cohere", "base_url", root(), "api_key", "co-1"))
        .model("cohere/command", "cohere", "command-a")
        .provider("ollama", Map.of("type", "ollama", "base_url", root()))
        .model("ollama/llama", "ollama", "llama3.2")
        .provider("azure", Map.of("type", "azure", "base_url", root(), "api_key", "az-1"))
        .model("azure/gpt", "azure", "gpt-4o")
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

  /** Providers without a version in front of the paths. */
  private static String root() {
    return PROVIDER.baseUrl().replaceFirst("/v1$", "");
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
        root(),
        "service_account",
        account());
  }

  /** Token server; its requests have a test of their own. */
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

  private static ChatCompletion streamed(ChatCompletionCreateParams params) {
    var accumulator = ChatCompletionAccumulator.create();
    try (var stream = CLIENT.chat().completions().createStreaming(params)) {
      stream.stream().peek(ChatCompletionChunk::validate).forEach(accumulator::accumulate);
    }
    return accumulator.chatCompletion();
  }

  private static ChatCompletionToolMessageParam result(String call, String text) {
    return ChatCompletionToolMessageParam.builder().toolCallId(call).content(text).build();
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic/haiku, toolu_1",
    "google/gemini, g1",
    "vertex/gemini, call_r_0",
    "vertex/haiku, toolu_1",
    "bedrock/haiku, toolu_1",
    "cohere/command, weather_1",
    "ollama/llama, call_",
    "azure/gpt, az_0"
  })
  void aToolIsCalledTwiceAndItsResultsAreAnsweredInWhateverOrderTheyCome(
      String model, String idOfFirst) {
    var function = FunctionDefinition.builder().name("weather").description("Tells it.").build();
    var question =
        ChatCompletionCreateParams.builder()
            .model(model)
            .addUserMessage("How is the weather in Ulm and Bonn?")
            .addTool(ChatCompletionFunctionTool.builder().function(function).build())
            .build();

    ChatCompletion asked = streamed(question);

    var choice = asked.choices().getFirst();
    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    var calls = choice.message().toolCalls().orElseThrow();
    assertThat(calls)
        .hasSize(2)
        .allMatch(one -> one.asFunction().function().name().equals("weather"));
    var first = calls.getFirst().asFunction();
    var second = calls.getLast().asFunction();
    assertThat(first.id()).startsWith(idOfFirst).isNotEqualTo(second.id());
    assertThat(Json.tree(first.function().arguments()).path("city").asText()).isEqualTo("Ulm");
    assertThat(Json.tree(second.function().arguments()).path("city").asText()).isEqualTo("Bonn");
    assertThat(asked.usage().orElseThrow().totalTokens()).isEqualTo(29);
    ChatCompletion answered =
        streamed(
            question.toBuilder()
                .addMessage(choice.message())
                .addMessage(result(second.id(), "rain in Bonn"))
                .addMessage(result(first.id(), "sunny in Ulm"))
                .build());
    assertThat(answered.choices().getFirst().message().content())
        .contains("It is sunny in Ulm, rain in Bonn");
    assertThat(answered.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
  }

  @Test
  void aPlainReplyOfBedrockReachesTheClient() {
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
