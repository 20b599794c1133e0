package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIServiceException;
import com.openai.errors.RateLimitException;
import com.openai.errors.SseException;
import com.openai.errors.UnauthorizedException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.models.Model;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The official Java SDK against the real program, as applications use it. */
class OpenAiJavaSdkIT {
  private static final OpenAIClient CLIENT = client(SharedNode.key());

  @AfterAll
  static void nothingIsLeftBehind() {
    CLIENT.close();
    SharedNode.node().admin().awaitIdle();
  }

  private static OpenAIClient client(String key) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(SharedNode.node().baseUrl().toString())
        .apiKey(key)
        .maxRetries(0)
        .build();
  }

  private static ChatCompletionCreateParams ask(String model) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage("Say hello.").build();
  }

  @Test
  void aPlainChatIsAnswered() {
    ChatCompletion completion = CLIENT.chat().completions().create(ask("test/chat"));

    completion.validate();
    assertThat(completion.model()).isEqualTo("test/chat");
    assertThat(completion.choices()).hasSize(1);
    assertThat(completion.choices().getFirst().message().content().orElseThrow()).isNotBlank();
    assertThat(completion.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
    var usage = completion.usage().orElseThrow();
    assertThat(usage.totalTokens()).isEqualTo(usage.promptTokens() + usage.completionTokens());
    var raw = Json.of(completion);
    assertThat(raw.path("provider").asText()).isEqualTo("mock");
    assertThat(raw.path("usage").path("x_llm_cost_micro").longValue()).isPositive();
  }

  @Test
  void everyChunkOfAStreamIsValidAndTheyAddUpToTheCompletion() {
    List<ChatCompletionChunk> chunks = chunks("test/chat");

    chunks.forEach(ChatCompletionChunk::validate);
    var accumulator = ChatCompletionAccumulator.create();
    chunks.forEach(accumulator::accumulate);
    ChatCompletion added = accumulator.chatCompletion();
    ChatCompletion plain = CLIENT.chat().completions().create(ask("test/chat"));
    assertThat(added.choices().getFirst().message().content())
        .isEqualTo(plain.choices().getFirst().message().content());
    assertThat(added.usage().orElseThrow().completionTokens())
        .isEqualTo(plain.usage().orElseThrow().completionTokens());
    assertThat(chunks.getLast().choices()).isEmpty();
    assertThat(chunks.getLast().usage()).isPresent();
    assertThat(chunks).extracting(ChatCompletionChunk::id).containsOnly(chunks.getFirst().id());
  }

  @Test
  void aProviderThatReportsNoUsageStillEndsWithAnEstimate() {
    List<ChatCompletionChunk> chunks = chunks("test/no-usage");

    var usage = chunks.getLast().usage().orElseThrow();
    assertThat(usage.completionTokens()).isPositive();
    assertThat(Json.of(usage).path("x_llm_usage_estimated").booleanValue()).isTrue();
  }

  @Test
  void aToolIsCalledPlainAndStreamed() {
    var function = FunctionDefinition.builder().name("weather").description("Tells it.").build();
    var params =
        ask("test/tool").toBuilder()
            .addTool(ChatCompletionFunctionTool.builder().function(function).build())
            .build();

    ChatCompletion plain = CLIENT.chat().completions().create(params);
    var accumulator = ChatCompletionAccumulator.create();
    try (var stream = CLIENT.chat().completions().createStreaming(params)) {
      stream.stream().peek(ChatCompletionChunk::validate).forEach(accumulator::accumulate);
    }

    for (ChatCompletion each : List.of(plain, accumulator.chatCompletion())) {
      var choice = each.choices().getFirst();
      assertThat(choice.finishReason()).isEqualTo(ChatCompletion.Choice.FinishReason.TOOL_CALLS);
      var call = choice.message().toolCalls().orElseThrow().getFirst().asFunction();
      assertThat(call.id()).isNotEmpty();
      assertThat(call.function().name()).isEqualTo("weather");
      assertThat(Json.tree(call.function().arguments()).isObject()).isTrue();
    }
  }

  @Test
  void modelsAreListedAndRetrieved() {
    List<Model> models = CLIENT.models().list().data();
    assertThat(models).extracting(Model::id).contains("test/chat", "acme/m1");
    models.forEach(Model::validate);

    assertThat(CLIENT.models().retrieve("test/chat").id()).isEqualTo("test/chat");
    var absent = refused(NotFoundException.class, () -> CLIENT.models().retrieve("test/none"));
    assertThat(absent.code()).contains("not_found");
  }

  @Test
  void errorsArriveAsTheirTypesWithTheRequestId() {
    var unknown = refused(NotFoundException.class, () -> create("test/none"));
    assertThat(unknown.code()).contains("model_not_found");
    var context = refused(BadRequestException.class, () -> create("test/context"));
    assertThat(context.code()).contains("validation_failed");
    assertThat(context.param()).contains("messages");
    var limited = refused(RateLimitException.class, () -> create("test/rate-limited"));
    assertThat(limited.code()).contains("provider_rate_limited");
    assertThat(limited.headers().values("retry-after")).containsExactly("9");
    var refusedKey = refused(InternalServerException.class, () -> create("test/unauthorized"));
    assertThat(refusedKey.statusCode()).isEqualTo(502);
    assertThat(refusedKey.headers().values("x-should-retry")).containsExactly("false");
    var broken = refused(InternalServerException.class, () -> create("test/broken"));
    assertThat(broken.statusCode()).isEqualTo(503);
    assertThat(broken.code()).contains("provider_unavailable");
  }

  @Test
  void aWrongParameterIsNamed() {
    var params = ask("test/chat").toBuilder().temperature(7).build();

    var wrong =
        refused(BadRequestException.class, () -> CLIENT.chat().completions().create(params));

    assertThat(wrong.code()).contains("validation_failed");
    assertThat(wrong.param()).contains("temperature");
  }

  @Test
  void anUnknownKeyIsUnauthorized() {
    OpenAIClient stranger = client("sk-llm-" + "A".repeat(46));
    var error =
        refused(
            UnauthorizedException.class,
            () -> stranger.chat().completions().create(ask("test/chat")));
    assertThat(error.code()).contains("invalid_api_key");
    stranger.close();
  }

  @Test
  void anErrorInAStreamIsThrownAfterItsContent() {
    List<ChatCompletionChunk> delivered = new ArrayList<>();

    var error =
        catchThrowableOfType(SseException.class, () -> stream("test/error-midway", delivered));

    assertThat(error.statusCode()).isEqualTo(200);
    assertThat(error.code()).contains("stream_interrupted");
    assertThat(delivered).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void aStreamThatTheProviderBreaksOffIsAnErrorToo() {
    var error =
        catchThrowableOfType(SseException.class, () -> stream("test/cut", new ArrayList<>()));

    assertThat(error.code().orElse("")).isIn("stream_interrupted", "provider_disconnect");
  }

  private static void create(String model) {
    CLIENT.chat().completions().create(ask(model));
  }

  private static List<ChatCompletionChunk> chunks(String model) {
    List<ChatCompletionChunk> chunks = new ArrayList<>();
    stream(model, chunks);
    return chunks;
  }

  private static void stream(String model, List<ChatCompletionChunk> into) {
    try (StreamResponse<ChatCompletionChunk> stream =
        CLIENT.chat().completions().createStreaming(ask(model))) {
      stream.stream().forEach(into::add);
    }
  }

  private static <E extends OpenAIServiceException> E refused(Class<E> type, Runnable call) {
    E error = catchThrowableOfType(type, call::run);
    assertThat(error).as("a %s", type.getSimpleName()).isNotNull();
    assertThat(error.headers().values("x-request-id")).hasSize(1);
    assertThat(error.headers().values("x-request-id").getFirst()).startsWith("req_");
    return error;
  }
}
