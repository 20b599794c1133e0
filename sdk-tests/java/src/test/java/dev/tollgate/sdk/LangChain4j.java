package dev.tollgate.sdk;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.exception.RateLimitException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** The client langchain4j-open-ai. */
final class LangChain4j implements Client {
  private final Gateway gateway;
  private final int retriesMax;

  LangChain4j(Gateway gateway, int retriesMax) {
    this.gateway = gateway;
    this.retriesMax = retriesMax;
  }

  private ChatResponse plain(String model, ChatRequest request) {
    return OpenAiChatModel.builder()
        .baseUrl(gateway.url())
        .apiKey(gateway.key())
        .modelName(model)
        .maxRetries(retriesMax)
        .strictJsonSchema(true)
        .build()
        .chat(request);
  }

  private ChatResponse streamed(String model, ChatRequest request, Predicate<String> isNextWanted) {
    CompletableFuture<ChatResponse> whole = new CompletableFuture<>();
    OpenAiStreamingChatModel.builder()
        .baseUrl(gateway.url())
        .apiKey(gateway.key())
        .modelName(model)
        .build()
        .chat(request, new Handler(whole, isNextWanted));
    return whole.join();
  }

  /** Passes on texts until one is not wanted, then cancels. */
  private record Handler(CompletableFuture<ChatResponse> whole, Predicate<String> isNextWanted)
      implements StreamingChatResponseHandler {
    @Override
    public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
      if (!isNextWanted.test(part.text())) {
        context.streamingHandle().cancel();
        whole.complete(ChatResponse.builder().aiMessage(AiMessage.from("")).build());
      }
    }

    @Override
    public void onCompleteResponse(ChatResponse response) {
      whole.complete(response);
    }

    @Override
    public void onError(Throwable error) {
      whole.completeExceptionally(error);
    }
  }

  private static ChatRequest.Builder request(String words) {
    return ChatRequest.builder().messages(UserMessage.from(words));
  }

  @Override
  public String ask(String model, String words) {
    return plain(model, request(words).build()).aiMessage().text();
  }

  @Override
  public Streamed stream(String model, String words) {
    ChatResponse response = streamed(model, request(words).build(), _ -> true);
    return new Streamed(
        response.aiMessage().text(),
        response.tokenUsage().totalTokenCount(),
        response.finishReason() == null
            ? ""
            : response.finishReason().name().toLowerCase(Locale.ROOT));
  }

  @Override
  public String rounds(String model, String words, boolean isStreamed) {
    ToolSpecification tool =
        ToolSpecification.builder()
            .name(TOOL)
            .description(TOOL_DESCRIPTION)
            .parameters(
                JsonObjectSchema.builder().addStringProperty("city").required("city").build())
            .build();
    List<ChatMessage> messages = new ArrayList<>(List.of(UserMessage.from(words)));
    for (int round = 0; round < ROUNDS_MAX; round++) {
      ChatRequest request =
          ChatRequest.builder().messages(messages).toolSpecifications(tool).build();
      AiMessage said =
          (isStreamed ? streamed(model, request, _ -> true) : plain(model, request)).aiMessage();
      if (!said.hasToolExecutionRequests()) {
        return said.text();
      }
      messages.add(said);
      for (ToolExecutionRequest call : said.toolExecutionRequests()) {
        messages.add(ToolExecutionResultMessage.from(call, Json.weather(call.arguments())));
      }
    }
    throw new AssertionError("the calls do not end");
  }

  @Override
  public Answer schema(String model, String words) {
    JsonSchema schema =
        JsonSchema.builder()
            .name("answer")
            .rootElement(
                JsonObjectSchema.builder()
                    .addStringProperty("city")
                    .addNumberProperty("celsius")
                    .required("city", "celsius")
                    .build())
            .build();
    ResponseFormat format =
        ResponseFormat.builder().type(ResponseFormatType.JSON).jsonSchema(schema).build();
    ChatRequest request = request(words).responseFormat(format).build();
    return Json.answer(plain(model, request).aiMessage().text());
  }

  @Override
  public String picture(String model, String words) {
    UserMessage message =
        UserMessage.from(TextContent.from(words), ImageContent.from(PNG, "image/png"));
    return plain(model, ChatRequest.builder().messages(message).build()).aiMessage().text();
  }

  @Override
  public void read(String model, String words, Predicate<String> isNextWanted) {
    streamed(model, request(words).build(), isNextWanted);
  }

  @Override
  public Class<? extends Throwable> thrownFor(int status) {
    return switch (status) {
      case 400 -> InvalidRequestException.class;
      case 401 -> AuthenticationException.class;
      case 404 -> ModelNotFoundException.class;
      case 429 -> RateLimitException.class;
      case 503 -> InternalServerException.class;
      default -> throw new IllegalArgumentException("status " + status);
    };
  }
}
