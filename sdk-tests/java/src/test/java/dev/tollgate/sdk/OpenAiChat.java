package dev.tollgate.sdk;

import com.openai.client.OpenAIClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionMessageToolCall;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import java.util.List;
import java.util.function.Predicate;

/** The client openai-java over chats; every object that it gets is validated. */
final class OpenAiChat implements Client {
  private final OpenAIClient client;

  OpenAiChat(Gateway gateway, int retriesMax) {
    this.client = OpenAiJava.client(gateway, retriesMax);
  }

  private static ChatCompletionCreateParams.Builder params(String model, String words) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage(words);
  }

  ChatCompletion plain(ChatCompletionCreateParams params) {
    return client.chat().completions().create(params).validate();
  }

  ChatCompletion streamed(ChatCompletionCreateParams params) {
    ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
    try (StreamResponse<ChatCompletionChunk> chunks =
        client.chat().completions().createStreaming(params)) {
      chunks.stream().forEach(chunk -> accumulator.accumulate(chunk.validate()));
    }
    return accumulator.chatCompletion().validate();
  }

  private static String text(ChatCompletion completion) {
    return completion.choices().getFirst().message().content().orElseThrow();
  }

  @Override
  public String ask(String model, String words) {
    return text(plain(params(model, words).build()));
  }

  @Override
  public Streamed stream(String model, String words) {
    ChatCompletion whole = streamed(params(model, words).build());
    return new Streamed(
        text(whole),
        whole.usage().orElseThrow().totalTokens(),
        whole.choices().getFirst().finishReason().asString());
  }

  @Override
  public String rounds(String model, String words, boolean isStreamed) {
    FunctionParameters.Builder schema = FunctionParameters.builder();
    TOOL_SCHEMA.forEach((name, value) -> schema.putAdditionalProperty(name, JsonValue.from(value)));
    FunctionDefinition function =
        FunctionDefinition.builder()
            .name(TOOL)
            .description(TOOL_DESCRIPTION)
            .parameters(schema.build())
            .build();
    ChatCompletionCreateParams.Builder params =
        params(model, words)
            .addTool(ChatCompletionFunctionTool.builder().function(function).build());
    for (int round = 0; round < ROUNDS_MAX; round++) {
      ChatCompletion said = isStreamed ? streamed(params.build()) : plain(params.build());
      List<ChatCompletionMessageToolCall> calls =
          said.choices().getFirst().message().toolCalls().orElse(List.of());
      if (calls.isEmpty()) {
        return text(said);
      }
      params.addMessage(said.choices().getFirst().message());
      calls.forEach(call -> params.addMessage(result(call.asFunction())));
    }
    throw new AssertionError("the calls do not end");
  }

  private static ChatCompletionToolMessageParam result(ChatCompletionMessageFunctionToolCall call) {
    return ChatCompletionToolMessageParam.builder()
        .toolCallId(call.id())
        .content(Json.weather(call.function().arguments()))
        .build();
  }

  @Override
  public Answer schema(String model, String words) {
    var params = params(model, words).responseFormat(OpenAiJava.Weather.class).build();
    var completion = client.chat().completions().create(params);
    return completion.choices().getFirst().message().content().orElseThrow().answer();
  }

  @Override
  public String picture(String model, String words) {
    var url = ChatCompletionContentPartImage.ImageUrl.builder().url(OpenAiJava.PICTURE).build();
    var image = ChatCompletionContentPartImage.builder().imageUrl(url).build();
    var text = ChatCompletionContentPartText.builder().text(words).build();
    var params =
        ChatCompletionCreateParams.builder()
            .model(model)
            .addUserMessageOfArrayOfContentParts(
                List.of(
                    ChatCompletionContentPart.ofText(text),
                    ChatCompletionContentPart.ofImageUrl(image)));
    return text(plain(params.build()));
  }

  @Override
  public void read(String model, String words, Predicate<String> isNextWanted) {
    try (StreamResponse<ChatCompletionChunk> chunks =
        client.chat().completions().createStreaming(params(model, words).build())) {
      chunks.stream()
          .flatMap(chunk -> chunk.validate().choices().stream())
          .flatMap(choice -> choice.delta().content().stream())
          .filter(text -> !text.isEmpty())
          .allMatch(isNextWanted);
    }
  }

  @Override
  public Class<? extends Throwable> thrownFor(int status) {
    return OpenAiJava.thrownFor(status);
  }

  @Override
  public String textOf(Throwable refusal) {
    return OpenAiJava.codeOf(refusal);
  }

  @Override
  public void close() {
    client.close();
  }
}
