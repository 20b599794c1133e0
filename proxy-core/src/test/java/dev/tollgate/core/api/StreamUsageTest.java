package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.gemini.InterimUsage;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.money.Usage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Selection among several usage objects in a stream, whenever it is read. */
class StreamUsageTest {
  private static final String TEXT =
      "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}%s}],\"responseId\":\"r\","
          + "\"usageMetadata\":{\"promptTokenCount\":%s,\"candidatesTokenCount\":%s,"
          + "\"thoughtsTokenCount\":7,\"trafficType\":\"ON_DEMAND\"}}";

  private static String event(Object prompt, Object answer) {
    return "data: " + TEXT.formatted("", prompt, answer) + "\n\n";
  }

  private static RelayedStream gemini(String... events) {
    byte[] stream = String.join("", events).getBytes(UTF_8);
    return RelayedStream.of(
        stream, RelayedStream.Cut.WHOLE, Samples.stamp(), Samples.PRICES, Dialects.named("gemini"));
  }

  @Test
  void aBrokenStreamHasItsLastUsage() {
    RelayedStream broken = gemini(event(4, 1), event(4, 2), event(4, 3));
    assertThat(broken.isComplete()).isFalse();
    assertThat(broken.charged()).isEqualTo(usage(4, 3));
    assertThat(broken.text()).contains("Hi").doesNotContain("okenCount", InterimUsage.MEMBER);
    assertThat(broken.chat().anomalies()).isEmpty();
  }

  private static Usage usage(long prompt, long answer) {
    return new Usage(prompt, answer + 7, 0, 0, 0, 0, 7, 0, 0, false);
  }

  @Test
  void theClientGetsTheLastOneInOpenAisTerms() {
    String last = TEXT.formatted(",\"finishReason\":\"STOP\"", 4, 3);
    RelayedStream whole = gemini(event(4, 1), "data: " + last + "\n\n");
    assertThat(whole.charged()).isEqualTo(usage(4, 3));
    assertThat(whole.text())
        .contains("\"prompt_tokens\":4,\"completion_tokens\":10", "\"trafficType\":\"ON_DEMAND\"")
        .doesNotContain(InterimUsage.MEMBER);
  }

  @Test
  void theLastOneHoldsAlthoughItIsUnsound() {
    RelayedStream broken = gemini(event(4, 1), event(4, -2));
    assertThat(broken.charged().estimated()).isTrue();
    assertThat(broken.chat().anomalies()).containsExactly(ProtocolAnomaly.USAGE_UNSOUND);
    assertThat(gemini(event(-4, 1), event(4, 2)).charged()).isEqualTo(usage(4, 2));
  }

  @ParameterizedTest
  @CsvSource({"1, 2, 2, false", "2, 2, 3, true", "3, 2, 2, false"})
  void onlyUsageAfterTheFinishMustStayTheSame(int ahead, int behind, int last, boolean isOdd) {
    String counted = "\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":%d}";
    String[] chunks = {
      Chunks.text("Hi").replaceFirst("}$", "," + counted.formatted(ahead) + "}"),
      Chunks.finish("stop"),
      Chunks.root("[]," + counted.formatted(behind)),
      Chunks.root("[]," + counted.formatted(last)),
      Chunks.DONE
    };
    RelayedStream whole = RelayedStream.of(Chunks.stream(chunks));
    assertThat(whole.charged()).isEqualTo(Usage.ofTokens(4, last));
    assertThat(whole.chat().anomalies().contains(ProtocolAnomaly.USAGES_DIFFER)).isEqualTo(isOdd);
  }
}
