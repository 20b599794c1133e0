package dev.tollgate.sdk;

import com.azure.ai.openai.OpenAIAsyncClient;
import com.azure.ai.openai.OpenAIClientBuilder;
import com.azure.ai.openai.models.ChatChoice;
import com.azure.ai.openai.models.ChatCompletionStreamOptions;
import com.azure.ai.openai.models.ChatCompletions;
import com.azure.ai.openai.models.ChatCompletionsFunctionToolCall;
import com.azure.ai.openai.models.ChatCompletionsFunctionToolDefinition;
import com.azure.ai.openai.models.ChatCompletionsFunctionToolDefinitionFunction;
import com.azure.ai.openai.models.ChatCompletionsJsonSchemaResponseFormat;
import com.azure.ai.openai.models.ChatCompletionsJsonSchemaResponseFormatJsonSchema;
import com.azure.ai.openai.models.ChatCompletionsOptions;
import com.azure.ai.openai.models.ChatCompletionsToolCall;
import com.azure.ai.openai.models.ChatMessageImageContentItem;
import com.azure.ai.openai.models.ChatMessageImageUrl;
import com.azure.ai.openai.models.ChatMessageTextContentItem;
import com.azure.ai.openai.models.ChatRequestAssistantMessage;
import com.azure.ai.openai.models.ChatRequestMessage;
import com.azure.ai.openai.models.ChatRequestToolMessage;
import com.azure.ai.openai.models.ChatRequestUserMessage;
import com.azure.ai.openai.models.CompletionsFinishReason;
import com.azure.ai.openai.models.CompletionsUsage;
import com.azure.ai.openai.models.FunctionCall;
import com.azure.core.credential.KeyCredential;
import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.exception.ResourceNotFoundException;
import com.azure.core.http.policy.ExponentialBackoffOptions;
import com.azure.core.http.policy.HttpPipelinePolicy;
import com.azure.core.http.policy.RetryOptions;
import com.azure.core.util.BinaryData;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;

/** The client azure-ai-openai, which takes no base address for OpenAI: a policy sets it. */
final class AzureOpenAi implements Client {
  private final OpenAIAsyncClient client;

  AzureOpenAi(Gateway gateway, int retriesMax) {
    HttpPipelinePolicy address =
        (context, next) -> {
          context.getHttpRequest().setUrl(gateway.url() + "/chat/completions");
          return next.process();
        };
    this.client =
        new OpenAIClientBuilder()
            .credential(new KeyCredential(gateway.key()))
            .addPolicy(address)
            .retryOptions(
                new RetryOptions(new ExponentialBackoffOptions().setMaxRetries(retriesMax)))
            .buildAsyncClient();
  }

  private static ChatCompletionsOptions options(ChatRequestMessage message) {
    return new ChatCompletionsOptions(List.of(message));
  }

  private static ChatCompletionsOptions options(String words) {
    return options(new ChatRequestUserMessage(words));
  }

  private ChatCompletions plain(String model, ChatCompletionsOptions options) {
    return Objects.requireNonNull(client.getChatCompletions(model, options).block());
  }

  private Flux<ChatCompletions> streamed(String model, ChatCompletionsOptions options) {
    return client.getChatCompletionsStream(
        model, options, new ChatCompletionStreamOptions().setIncludeUsage(true));
  }

  private static String text(ChatCompletions completions) {
    return completions.getChoices().getFirst().getMessage().getContent();
  }

  /** Returns a chunk's choices; the client takes an error event for a chunk without any. */
  private static List<ChatChoice> choices(ChatCompletions chunk) {
    return chunk.getChoices() == null ? List.of() : chunk.getChoices();
  }

  private static List<String> texts(ChatCompletions chunk) {
    return choices(chunk).stream()
        .map(choice -> choice.getDelta().getContent())
        .filter(text -> text != null && !text.isEmpty())
        .toList();
  }

  @Override
  public String ask(String model, String words) {
    return text(plain(model, options(words)));
  }

  @Override
  public Streamed stream(String model, String words) {
    List<ChatCompletions> chunks =
        Objects.requireNonNull(streamed(model, options(words)).collectList().block());
    String text = joined(chunks);
    String finish =
        chunks.stream()
            .flatMap(chunk -> choices(chunk).stream())
            .map(ChatChoice::getFinishReason)
            .filter(Objects::nonNull)
            .map(CompletionsFinishReason::toString)
            .findFirst()
            .orElse("");
    CompletionsUsage usage = chunks.getLast().getUsage();
    return new Streamed(text, usage == null ? 0 : usage.getTotalTokens(), finish);
  }

  private static String joined(List<ChatCompletions> chunks) {
    return chunks.stream().flatMap(chunk -> texts(chunk).stream()).collect(Collectors.joining());
  }

  @Override
  public String rounds(String model, String words, boolean isStreamed) {
    var function =
        new ChatCompletionsFunctionToolDefinitionFunction(TOOL)
            .setDescription(TOOL_DESCRIPTION)
            .setParameters(BinaryData.fromObject(TOOL_SCHEMA));
    List<ChatRequestMessage> messages = new ArrayList<>(List.of(new ChatRequestUserMessage(words)));
    for (int round = 0; round < ROUNDS_MAX; round++) {
      ChatCompletionsOptions options =
          new ChatCompletionsOptions(messages)
              .setTools(List.of(new ChatCompletionsFunctionToolDefinition(function)));
      List<ChatCompletions> said =
          isStreamed
              ? Objects.requireNonNull(streamed(model, options).collectList().block())
              : List.of(plain(model, options));
      List<ChatCompletionsFunctionToolCall> calls = isStreamed ? added(said) : callsOf(said);
      if (calls.isEmpty()) {
        return isStreamed ? joined(said) : text(said.getFirst());
      }
      messages.add(new ChatRequestAssistantMessage("").setToolCalls(new ArrayList<>(calls)));
      for (ChatCompletionsFunctionToolCall call : calls) {
        String result = Json.weather(call.getFunction().getArguments());
        messages.add(new ChatRequestToolMessage(result, call.getId()));
      }
    }
    throw new AssertionError("the calls do not end");
  }

  private static List<ChatCompletionsFunctionToolCall> callsOf(List<ChatCompletions> said) {
    List<ChatCompletionsToolCall> calls =
        said.getFirst().getChoices().getFirst().getMessage().getToolCalls();
    return calls == null
        ? List.of()
        : calls.stream().map(ChatCompletionsFunctionToolCall.class::cast).toList();
  }

  /** The client leaves it to its user to add up the fragments; one with an id begins a call. */
  private static List<ChatCompletionsFunctionToolCall> added(List<ChatCompletions> chunks) {
    List<ChatCompletionsFunctionToolCall> calls = new ArrayList<>();
    for (ChatCompletions chunk : chunks) {
      for (ChatChoice choice : choices(chunk)) {
        List<ChatCompletionsToolCall> fragments = choice.getDelta().getToolCalls();
        for (ChatCompletionsToolCall each :
            fragments == null ? List.<ChatCompletionsToolCall>of() : fragments) {
          var fragment = (ChatCompletionsFunctionToolCall) each;
          boolean isNew = fragment.getId() != null && !fragment.getId().isEmpty();
          var begun = isNew ? fragment : calls.removeLast();
          String before = isNew ? "" : begun.getFunction().getArguments();
          calls.add(
              new ChatCompletionsFunctionToolCall(
                  begun.getId(),
                  new FunctionCall(
                      begun.getFunction().getName(),
                      before + fragment.getFunction().getArguments())));
        }
      }
    }
    return calls;
  }

  @Override
  public Answer schema(String model, String words) {
    var schema =
        new ChatCompletionsJsonSchemaResponseFormatJsonSchema("answer")
            .setStrict(true)
            .setSchema(BinaryData.fromObject(ANSWER_SCHEMA));
    var format = new ChatCompletionsJsonSchemaResponseFormat(schema);
    return Json.answer(text(plain(model, options(words).setResponseFormat(format))));
  }

  @Override
  public String picture(String model, String words) {
    var image = new ChatMessageImageUrl("data:image/png;base64," + PNG);
    var message =
        new ChatRequestUserMessage(
            List.of(new ChatMessageTextContentItem(words), new ChatMessageImageContentItem(image)));
    return text(plain(model, options(message)));
  }

  @Override
  public void read(String model, String words, Predicate<String> isNextWanted) {
    streamed(model, options(words))
        .flatMapIterable(AzureOpenAi::texts)
        .takeWhile(isNextWanted)
        .blockLast();
  }

  @Override
  public Class<? extends Throwable> thrownFor(int status) {
    return switch (status) {
      case 400, 429, 503 -> HttpResponseException.class;
      case 401 -> ClientAuthenticationException.class;
      case 404 -> ResourceNotFoundException.class;
      default -> throw new IllegalArgumentException("status " + status);
    };
  }
}
