package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.SseException;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionChoice;
import com.openai.models.completions.CompletionCreateParams;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Text completions through the real program with the official Java SDK. */
class CompletionsIT {
  private static final OpenAIClient CLIENT =
      OpenAIOkHttpClient.builder()
          .baseUrl(SharedNode.node().baseUrl().toString())
          .apiKey(SharedNode.key())
          .maxRetries(0)
          .build();

  @AfterAll
  static void nothingIsLeftBehind() {
    CLIENT.close();
    SharedNode.node().admin().awaitIdle();
  }

  private static CompletionCreateParams.Builder ask(String model) {
    return CompletionCreateParams.builder().model(model).prompt("Once upon a time");
  }

  private static List<Completion> chunks(String model, List<Completion> into) {
    try (StreamResponse<Completion> stream =
        CLIENT.completions().createStreaming(ask(model).build())) {
      stream.stream().forEach(into::add);
    }
    return into;
  }

  private static String text(List<Completion> chunks) {
    return chunks.stream()
        .flatMap(chunk -> chunk.choices().stream())
        .map(CompletionChoice::text)
        .collect(Collectors.joining());
  }

  @Test
  void aPlainCompletionHasTextUsageAndCost() {
    Completion got = CLIENT.completions().create(ask("test/completion").build());
    got.validate();
    assertThat(got.model()).isEqualTo("test/completion");
    assertThat(got.choices()).singleElement().matches(one -> !one.text().isBlank());
    assertThat(got.usage().orElseThrow().completionTokens()).isEqualTo(12);
  }

  @Test
  void aStreamHasTheSameTextAndEndsWithUsage() {
    Completion plain = CLIENT.completions().create(ask("test/completion").build());
    List<Completion> chunks = chunks("test/completion", new ArrayList<>());
    assertThat(text(chunks)).isEqualTo(plain.choices().getFirst().text());
    assertThat(chunks).extracting(Completion::id).containsOnly(chunks.getFirst().id());
    assertThat(chunks.getLast().choices()).isEmpty();
    assertThat(chunks.getLast().usage().orElseThrow().completionTokens()).isEqualTo(12);
    assertThat(chunks.subList(0, chunks.size() - 1)).allMatch(chunk -> chunk.usage().isEmpty());
  }

  @Test
  void promptsMayBeTokensAndMissingUsageIsEstimated() {
    var tokens = ask("test/completion-no-usage").promptOfArrayOfTokens(List.of(1L, 2L, 3L));
    Completion got = CLIENT.completions().create(tokens.maxTokens(2).build());
    assertThat(got.usage().orElseThrow().promptTokens()).isEqualTo(3);
    assertThat(got.choices().getFirst().finishReason())
        .isEqualTo(CompletionChoice.FinishReason.LENGTH);
  }

  @Test
  void aBrokenStreamEndsWithAnErrorAfterItsContent() {
    List<Completion> delivered = new ArrayList<>();
    var error =
        catchThrowableOfType(SseException.class, () -> chunks("test/completion-cut", delivered));
    assertThat(error.code().orElse("")).isIn("stream_interrupted", "provider_disconnect");
    assertThat(delivered).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void invalidParametersAreNamed() {
    var several =
        catchThrowableOfType(
            BadRequestException.class,
            () -> CLIENT.completions().create(ask("test/completion").n(3).bestOf(3).build()));
    assertThat(several.param()).contains("n");
    var worse =
        catchThrowableOfType(
            BadRequestException.class,
            () -> CLIENT.completions().create(ask("test/completion").bestOf(21).build()));
    assertThat(worse.param()).contains("best_of");
    var other =
        catchThrowableOfType(
            BadRequestException.class, () -> CLIENT.completions().create(ask("test/chat").build()));
    assertThat(other.param()).contains("model");
  }
}
