package dev.tollgate.sdk;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.openai.api.OpenAiApi;
import org.springframework.ai.openai.api.ResponseFormat;
import org.springframework.ai.retry.NonTransientAiException;
import org.springframework.ai.retry.TransientAiException;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.retry.support.RetryTemplate;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.client.ResponseErrorHandler;

/** The client spring-ai-openai, as Spring Boot sets it up with retries on 429. */
final class SpringAi implements Client {
  private static final long BACKOFF_MS = 1_500;

  private final OpenAiChatModel model;

  SpringAi(Gateway gateway, int retriesMax) {
    OpenAiApi api =
        OpenAiApi.builder()
            .baseUrl(gateway.url().replaceFirst("/v1$", ""))
            .apiKey(gateway.key())
            .responseErrorHandler(new Errors())
            .build();
    RetryTemplate retries =
        RetryTemplate.builder()
            .maxAttempts(retriesMax + 1)
            .fixedBackoff(BACKOFF_MS)
            .retryOn(TransientAiException.class)
            .build();
    this.model =
        OpenAiChatModel.builder()
            .openAiApi(api)
            .defaultOptions(OpenAiChatOptions.builder().build())
            .retryTemplate(retries)
            .build();
  }

  /** As Spring Boot's with {@code spring.ai.retry.on-http-codes: 429}; by default no 4xx is one. */
  private static final class Errors implements ResponseErrorHandler {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERRORS = 500;

    @Override
    public boolean hasError(ClientHttpResponse response) throws IOException {
      return response.getStatusCode().isError();
    }

    @Override
    public void handleError(URI url, HttpMethod method, ClientHttpResponse response)
        throws IOException {
      int status = response.getStatusCode().value();
      String text =
          status + " " + new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8);
      if (status == TOO_MANY_REQUESTS || status >= SERVER_ERRORS) {
        throw new TransientAiException(text);
      }
      throw new NonTransientAiException(text);
    }
  }

  /** The tool, which the client calls itself. */
  private static final class Weather implements ToolCallback {
    @Override
    public ToolDefinition getToolDefinition() {
      return ToolDefinition.builder()
          .name(TOOL)
          .description(TOOL_DESCRIPTION)
          .inputSchema(Json.text(TOOL_SCHEMA))
          .build();
    }

    @Override
    public String call(String arguments) {
      return Json.weather(arguments);
    }
  }

  private static OpenAiChatOptions.Builder options(String name) {
    return OpenAiChatOptions.builder().model(name).streamUsage(true);
  }

  private String plain(Message message, OpenAiChatOptions.Builder options) {
    ChatResponse response = model.call(new Prompt(message, options.build()));
    return response.getResult().getOutput().getText();
  }

  private List<ChatResponse> streamed(String words, OpenAiChatOptions.Builder options) {
    Prompt prompt = new Prompt(new UserMessage(words), options.build());
    return Objects.requireNonNull(model.stream(prompt).collectList().block());
  }

  private static List<String> texts(ChatResponse response) {
    return response.getResults().stream()
        .map(one -> one.getOutput().getText())
        .filter(text -> text != null && !text.isEmpty())
        .toList();
  }

  private static String joined(List<ChatResponse> all) {
    return all.stream().flatMap(one -> texts(one).stream()).collect(Collectors.joining());
  }

  @Override
  public String ask(String name, String words) {
    return plain(new UserMessage(words), options(name));
  }

  @Override
  public Streamed stream(String name, String words) {
    List<ChatResponse> all = streamed(words, options(name));
    String finish =
        all.stream()
            .flatMap(one -> one.getResults().stream())
            .map(one -> one.getMetadata().getFinishReason())
            .filter(reason -> reason != null && !reason.isEmpty())
            .findFirst()
            .orElse("");
    int tokens = all.getLast().getMetadata().getUsage().getTotalTokens();
    return new Streamed(joined(all), tokens, finish.toLowerCase(Locale.ROOT));
  }

  @Override
  public String rounds(String name, String words, boolean isStreamed) {
    OpenAiChatOptions.Builder options = options(name).toolCallbacks(new Weather());
    return isStreamed ? joined(streamed(words, options)) : plain(new UserMessage(words), options);
  }

  @Override
  public Answer schema(String name, String words) {
    ResponseFormat.JsonSchema schema =
        ResponseFormat.JsonSchema.builder()
            .name("answer")
            .schema(ANSWER_SCHEMA)
            .strict(true)
            .build();
    ResponseFormat format =
        ResponseFormat.builder().type(ResponseFormat.Type.JSON_SCHEMA).jsonSchema(schema).build();
    return Json.answer(plain(new UserMessage(words), options(name).responseFormat(format)));
  }

  @Override
  public String picture(String name, String words) {
    ByteArrayResource png = new ByteArrayResource(Base64.getDecoder().decode(PNG));
    UserMessage message =
        UserMessage.builder().text(words).media(new Media(MimeTypeUtils.IMAGE_PNG, png)).build();
    return plain(message, options(name));
  }

  @Override
  public void read(String name, String words, Predicate<String> isNextWanted) {
    model.stream(new Prompt(new UserMessage(words), options(name).build()))
        .flatMapIterable(SpringAi::texts)
        .takeWhile(isNextWanted)
        .blockLast();
  }

  @Override
  public Class<? extends Throwable> thrownFor(int status) {
    return status == Errors.TOO_MANY_REQUESTS || status >= Errors.SERVER_ERRORS
        ? TransientAiException.class
        : NonTransientAiException.class;
  }
}
