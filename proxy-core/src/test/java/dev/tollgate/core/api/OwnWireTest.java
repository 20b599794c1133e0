package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.RelayedStream.Cut;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hand-written streams, one for each quirk of a provider: {@code provider.sse} is its stream,
 * {@code client.sse} the client's, to the byte, for all splits and line ends.
 */
class OwnWireTest {
  private static final int RANDOM_SPLITS = 20;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bare-chunks",
        "cumulative-usage-without-done",
        "error-event-midway",
        "filter-results-first",
        "no-finish-but-done",
        "other-finish-and-token-ids",
        "plain-text",
        "reasoning-beside-the-completion",
        "thinking-in-arrays",
        "tools-in-fragments",
        "tools-whole-without-index",
        "usage-in-a-vendor-field",
        "usage-with-a-choice"
      })
  void theClientGetsExactlyWhatIsWrittenDown(String name) {
    byte[] sent = bytes(name + "/provider.sse");
    String expected = new String(bytes(name + "/client.sse"), StandardCharsets.UTF_8);
    RelayedStream whole = RelayedStream.of(sent, Cut.WHOLE);
    String fallbackId = Samples.stamp().fallbackId();
    assertThat(whole.text().replace(fallbackId, "chatcmpl-REQUEST")).isEqualTo(expected);
    assertThat(AcceptedChunks.unruly(whole.view().chunks(), whole.isComplete())).isEmpty();
    assertThat(RelayedStream.of(sent, Cut.BYTES).text()).isEqualTo(whole.text());
    String carriage = new String(sent, StandardCharsets.UTF_8).replace("\n", "\r\n");
    assertThat(RelayedStream.of(carriage).text()).isEqualTo(whole.text());
    for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
      assertThat(RelayedStream.of(sent, Cut.random(new Random(seed))).text())
          .isEqualTo(whole.text());
    }
  }

  private static byte[] bytes(String file) {
    try (InputStream in = OwnWireTest.class.getResourceAsStream("/wire/openai/" + file)) {
      assertThat(in).as(file).isNotNull();
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
