package dev.tollgate.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every recorded chat as openai-java reads it from the gateway, as a chat and as a response: each
 * object is valid, a stream adds up, and texts and calls are those of the recording.
 */
class RecordingsTest {
  private static final List<Recording> ALL = Recording.all();
  private static final OpenAiChat CHATS = new OpenAiChat(Gateway.ABORT, 0);
  private static final OpenAiResponses RESPONSES = new OpenAiResponses(Gateway.ABORT, 0);

  static List<Recording> recordings() {
    return ALL;
  }

  @AfterAll
  static void close() {
    CHATS.close();
    RESPONSES.close();
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void aRecordingIsAValidChat(Recording one) throws Throwable {
    ChatCompletionCreateParams params =
        ChatCompletionCreateParams.builder().model(one.model()).addUserMessage(one.words()).build();
    KnownFailures.check(
        "recording chat " + one,
        () -> {
          var chat = one.isStream() ? CHATS.streamed(params) : CHATS.plain(params);
          var message = chat.choices().getFirst().message();
          one.assertText(message.content().orElse(""));
          one.assertCalls(
              message.toolCalls().orElse(List.of()).stream()
                  .map(call -> call.asFunction().function().name())
                  .toList());
        });
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void aRecordingIsAValidResponse(Recording one) throws Throwable {
    ResponseCreateParams params =
        ResponseCreateParams.builder().model(one.model()).input(one.words()).build();
    KnownFailures.check(
        "recording response " + one,
        () -> {
          var response = one.isStream() ? RESPONSES.streamed(params) : RESPONSES.plain(params);
          one.assertText(OpenAiResponses.text(response));
          one.assertCalls(
              response.output().stream()
                  .flatMap(item -> item.functionCall().stream())
                  .map(ResponseFunctionToolCall::name)
                  .toList());
        });
  }

  @Test
  void everyKnownFailureOfARecordingIsACase() {
    List<String> names =
        Stream.of("chat", "response")
            .flatMap(api -> ALL.stream().map(one -> "recording " + api + " " + one))
            .toList();
    assertThat(KnownFailures.all())
        .filteredOn(row -> row.cases().startsWith("recording "))
        .filteredOn(row -> Recording.isSharedThere() || row.cases().contains(" own/"))
        .allMatch(row -> names.stream().anyMatch(row::isAbout));
  }
}
