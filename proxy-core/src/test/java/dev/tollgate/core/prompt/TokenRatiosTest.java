package dev.tollgate.core.prompt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.Usage;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many tokens a text of a model has, learned from what its providers reported. */
class TokenRatiosTest {
  private static final ModelId MODEL = ModelId.parse("acme/m1").orElseThrow();
  private static final ModelId OTHER = ModelId.parse("acme/m2").orElseThrow();

  private final TokenRatios ratios = new TokenRatios();

  private long tokensOf(long bytes) {
    return ratios.of(MODEL).tokensOf(bytes);
  }

  private void learn(int requests, long bytes, long tokens) {
    for (int n = 0; n < requests; n++) {
      ratios.learn(MODEL, bytes, tokens);
    }
  }

  @Test
  void fiftyRequestsDecideAndFewerDoNot() {
    learn(49, 3_000, 1_000);
    assertThat(tokensOf(12_000)).isEqualTo(3_000);
    learn(1, 3_000, 1_000);
    assertThat(tokensOf(12_000)).isEqualTo(4_000);
    assertThat(ratios.of(OTHER)).as("each model has its own").isEqualTo(TextRatio.USUAL);
  }

  @ParameterizedTest
  @CsvSource({"1000, 900, 500", "1000, 10, 125", "1000, 500, 500", "1000, 125, 125"})
  void aTokenHasFromTwoToEightBytes(long bytes, long reported, long tokensOfThousandBytes) {
    learn(50, bytes, reported);
    assertThat(tokensOf(1_000)).isEqualTo(tokensOfThousandBytes);
  }

  @Test
  void promptsWithMuchThatIsPassedOnUnreadTeachNothing() {
    var usage = new Usage(1_000, 1, 0, 0, 0, 0, 0, 0, 0, false);
    for (int n = 0; n < 50; n++) {
      ratios.settled(MODEL, PromptSize.ofText(3_000, 300), usage);
    }
    assertThat(ratios.of(MODEL)).isEqualTo(TextRatio.USUAL);
    for (int n = 0; n < 50; n++) {
      ratios.settled(MODEL, PromptSize.ofText(2_900, 100), usage);
    }
    assertThat(tokensOf(3_000)).isEqualTo(1_000);
  }

  @Test
  void oneLongPromptDoesNotDecideAlone() {
    learn(99, 8_000, 2_000);
    learn(1, 100_000_000, 50_000_000);
    assertThat(tokensOf(4_000)).isBetween(1_000L, 1_100L);
  }

  @Test
  void recentRequestsReplaceOldOnes() {
    learn(100_000, 8_000, 2_000);
    learn(2_000, 6_000, 2_000);
    assertThat(tokensOf(3_000)).isBetween(980L, 1_000L);
  }

  @Test
  void manyLoopsLearnAtOnce() {
    CompletableFuture<?>[] loops =
        IntStream.range(0, 4)
            .mapToObj(_ -> CompletableFuture.runAsync(() -> learn(10_000, 3_000, 1_000)))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(loops).join();
    assertThat(tokensOf(3_000_000)).isBetween(999_000L, 1_001_000L);
  }

  @Test
  void theNumberOfModelsIsBound() {
    for (int n = 0; n < TokenRatios.MODELS_MAX; n++) {
      ratios.learn(ModelId.parse("acme/other" + n).orElseThrow(), 3_000, 1_000);
    }
    learn(50, 3_000, 1_000);
    assertThat(ratios.of(MODEL)).isEqualTo(TextRatio.USUAL);
  }
}
