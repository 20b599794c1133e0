package dev.tollgate.core.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.dialect.openai.EmbeddingUsage;
import dev.tollgate.core.dialect.openai.OpenAiUsage;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cost that a provider reports, in micro-USD. */
class ReportedCostTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.01, 10000",
    "0.0000123, 12",
    "0.0000125, 13",
    "1.25e-05, 13",
    "1.2345E-2, 12345",
    "0.0000004999, 0",
    "0.0000005, 1",
    "12, 12000000",
    "10000, 10000000000",
    "10000.000001, 0",
    "1e400, 0",
    "1e99999999999, 0",
    "1e-99999999, 0",
    "1e999999999, 0",
    "'\"0.01\"', 0",
    "-0.01, 0",
    "null, 0",
    "true, 0",
    "'{\"total_cost\":0.01}', 0",
    "0.0100000000000000000000000000000000000000000000000000000000000000001, 0"
  })
  void onlyAnAmountThatCanBeTrueIsRead(String cost, long micro) throws Exception {
    Usage usage = read(OpenAiUsage.FORMAT, "\"completion_tokens\":3,\"cost\":" + cost);
    assertThat(usage.reportedCost()).isEqualTo(micro);
    assertThat(usage.withReportedCost(0)).isEqualTo(Usage.ofTokens(7, 3));
  }

  @Test
  void embeddingsAreReadToo() throws Exception {
    assertThat(read(EmbeddingUsage.FORMAT, "\"cost\":2e-6").reportedCost()).isEqualTo(2);
  }

  @Test
  void itIsSummedUpOverProvidersAndSurvivesABreak() {
    Usage one = Usage.ofTokens(7, 3).withReportedCost(5);
    assertThat(one.plus(one).plus(Usage.ofTokens(1, 1)).reportedCost()).isEqualTo(10);
    assertThat(one.interrupted(9).reportedCost()).isEqualTo(5);
  }

  private static Usage read(UsageFormat format, String members) throws Exception {
    byte[] json = ("{\"prompt_tokens\":7," + members + "}").getBytes(StandardCharsets.UTF_8);
    return format.read(JsonMembers.of(json, 0, json.length), 0).orElseThrow();
  }
}
