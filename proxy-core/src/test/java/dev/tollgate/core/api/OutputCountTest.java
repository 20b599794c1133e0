package dev.tollgate.core.api;

import static dev.tollgate.core.api.Chunks.delta;
import static dev.tollgate.core.api.Chunks.role;
import static dev.tollgate.core.api.Chunks.stream;
import static dev.tollgate.core.api.Chunks.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The gateway's own count of a stream's output, if the stream breaks before its provider reported
 * usage.
 */
class OutputCountTest {
  private static final String WORDS = "x".repeat(500);
  private static final String OTHER = "y".repeat(480);

  @Test
  void itFollowsTheTextAndNotItsJson() {
    assertThat(count(text(WORDS))).isEqualTo(100);
    String call =
        Chunks.calls(
            "{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":"
                + "{\"name\":\"long_name_of_a_function\",\"arguments\":\"{}\"}}");
    assertThat(count(call, call)).isEqualTo(2);
    assertThat(count(role(), role())).isZero();
  }

  @Test
  void membersBesideTheTextAreNoOutput() {
    String one = delta("\"reasoning\":\" a\",\"channel\":\"analysis\",\"trace\":\"" + WORDS + "\"");
    assertThat(count(role(), one, one, one)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"reasoning\":\"%1$s\",\"reasoning_content\":\"%1$s\"",
        "\"reasoning_content\":\"%1$s\",\"reasoning\":\"%2$s\"",
        "\"reasoning\":\"%2$s\",\"reasoning_content\":\"%1$s\""
      })
  void reasoningUnderTwoNamesCountsOnce(String both) {
    String thought = delta(both.formatted(WORDS, OTHER));
    assertThat(count(thought)).isEqualTo(100);
    assertThat(count(thought, delta("\"content\":\"" + WORDS + "\""))).isEqualTo(200);
  }

  @Test
  void textAndReasoningInOneChunkAreBothOutput() {
    String both = "\"content\":\"" + WORDS + "\",\"reasoning\":\"" + WORDS + "\"";
    assertThat(count(delta(both), delta("\"refusal\":\"" + WORDS + "\""))).isEqualTo(300);
  }

  @Tag("corpus")
  @Test
  void recordedReasoningThatIsCutCountsAsItsText() {
    String[] events =
        Corpora.text("wire/fixtures/groq/stream-reasoning--gpt-oss-120b.response.sse")
            .split("(?<=\n\n)");
    String cut = String.join("", Arrays.copyOf(events, 71));
    assertThat(RelayedStream.of(cut).chat().deliveredTokens()).isEqualTo(71);
  }

  private static long count(String... chunks) {
    return RelayedStream.of(stream(chunks)).chat().deliveredTokens();
  }
}
