package dev.tollgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parsing and checking of assertions. */
class AssertionTest {
  private static final Map<String, Map<String, Double>> FIGURES =
      Map.of(
          "plain", Map.of("p99", 4e6, "errors", 0.0, "rss", 300.0 * 1024 * 1024),
          "stream", Map.of("p99", 6e6, "errors", 2.0, "first_token_p99.9", 1e6));

  private static boolean holds(String text) {
    return AssertionParser.parse(text).stream().allMatch(each -> each.judge(FIGURES).held());
  }

  @Test
  void aListIsReadWithItsUnits() {
    List<Assertion> read =
        AssertionParser.parse("p99<=5ms, stream.first_token_p99.9 < 1.5s ,rss>=2MiB,errors=0");
    assertThat(read).extracting(Assertion::value).containsExactly(5e6, 1.5e9, 2_097_152.0, 0.0);
    assertThat(read)
        .extracting(Assertion::metric)
        .containsExactly("p99", "first_token_p99.9", "rss", "errors");
    assertThat(read).extracting(Assertion::scenario).containsExactly(null, "stream", null, null);
    assertThat(read.get(1).text()).isEqualTo("stream.first_token_p99.9 < 1.5s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "p99<=6ms; true",
        "p99<=5ms; false",
        "plain.p99<=5ms; true",
        "plain.p99<4ms; false",
        "plain.p99<=4000us; true",
        "errors=0; false",
        "plain.errors=0; true",
        "errors<=2; true",
        "stream.errors>1; true",
        "rss<=300MiB; true",
        "rss>=1GiB; false",
        "first_token_p99.9<=1ms; true",
        "plain.p99<=5ms,errors=0; false"
      })
  void metricsAreCompared(String text, boolean held) {
    assertThat(holds(text)).isEqualTo(held);
  }

  @Test
  void anUnmeasuredMetricMisses() {
    Assertion assertion = AssertionParser.parse("plain.first_token_p50<=1s").getFirst();
    assertThat(assertion.judge(FIGURES).held()).isFalse();
    assertThat(assertion.judge(FIGURES).found()).isEqualTo("not measured");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; 1; expected the name",
        "p98<=5ms; 1; there is no metric 'p98'",
        "errors=0,p98<=5ms; 10; there is no metric 'p98'",
        "plain.p98<=5ms; 7; there is no metric 'p98'",
        "fast.p99<=5ms; 1; there is no scenario 'fast'",
        "p99<=5; 7; expected us, ms or s",
        "p99<=5MiB; 7; expected us, ms or s",
        "p99<=5msec; 7; expected us, ms or s",
        "errors=0ms; 9; expected nothing",
        "rss<=5ms; 7; expected KiB, MiB or GiB",
        "p99; 4; expected one of",
        "p99!=5ms; 4; expected one of",
        "p99==5ms; 5; expected a number",
        "p99<=; 6; expected a number",
        "p99<=-5ms; 6; expected a number",
        "p99<=5.ms; 8; expected a digit",
        "p99<=.5ms; 6; expected a number",
        "errors=0,; 10; expected the name",
        "errors=0 errors=0; 10; expected a comma",
        "P99<=5ms; 1; expected the name"
      })
  void syntaxErrorsNameTheirPosition(String text, int position, String why) {
    assertThatThrownBy(() -> AssertionParser.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("position " + position + ": " + why);
  }

  @Test
  void everyMetricCanBeAsserted() {
    BenchMetrics.all()
        .forEach(
            (name, unit) -> {
              String suffix =
                  switch (unit) {
                    case TIME -> "ms";
                    case SIZE -> "MiB";
                    case COUNT -> "";
                  };
              assertThat(AssertionParser.parse(name + "<=1" + suffix))
                  .singleElement()
                  .satisfies(each -> assertThat(each.scenario()).isNull());
            });
  }
}
