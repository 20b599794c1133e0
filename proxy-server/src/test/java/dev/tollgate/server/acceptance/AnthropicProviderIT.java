package dev.tollgate.server.acceptance;

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
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.ScriptedConnection;
import dev.tollgate.core.testkit.Wire;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The official Java SDK, the real program, and a provider that speaks Anthropic's Messages. */
class AnthropicProviderIT {
  private static final ScriptedModels PROVIDER =
      new ScriptedModels().model("claude-haiku-4-5", AnthropicProviderIT::answer);
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
        .model("anthropic/haiku", "anthropic", "claude-haiku-4-5");
  }

  @AfterAll
  static void stop() {
    CLIENT.close();
    NODE.admin().awaitIdle();
    NODE.close();
    PROVIDER.close();
  }

  /** It calls the tool that it is given, and says what the tool's result was. */
  private static void answer(JsonNode request, ScriptedConnection to) {
    assertThat(to.request().target()).endsWith("/messages");
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

  private static ChatCompletion streamed(ChatCompletionCreateParams params) {
    var accumulator = ChatCompletionAccumulator.create();
    try (var stream = CLIENT.chat().completions().createStreaming(params)) {
      stream.stream().peek(ChatCompletionChunk::validate).forEach(accumulator::accumulate);
    }
    return accumulator.chatCompletion();
  }

  @Test
  void aToolIsCalledAndItsResultIsAnswered() {
    var function = FunctionDefinition.builder().name("weather").description("Tells it.").build();
    var question =
        ChatCompletionCreateParams.builder()
            .model("anthropic/haiku")
            .addUserMessage("How is the weather in Ulm?")
            .addTool(ChatCompletionFunctionTool.builder().function(function).build())
            .build();

    ChatCompletion asked = streamed(question);

    var choice = asked.choices().getFirst();
    assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
    var call = choice.message().toolCalls().orElseThrow().getFirst().asFunction();
    assertThat(call.id()).isEqualTo("toolu_1");
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
