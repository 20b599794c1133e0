package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What may be wrong with a plain reply (U73): nothing was sent yet, so all of it may fail over. */
@Tag("corpus")
class PlainFaultsTest {
  static Stream<List<String>> brokenPlainReplies() {
    String fine = OpenAiWire.completionBody("hello");
    return Stream.of(
        List.of("truncated", head(fine.length() + 9) + fine, "provider_disconnect"),
        List.of("invalid", OpenAiWire.response(200, "OK", "", "{\"choices\":"), "provider_error"),
        List.of("too large", head(1 << 20) + "{\"x\":\"" + "y".repeat(300_000), "provider_error"),
        List.of(
            "no choices", OpenAiWire.response(200, "OK", "", "{\"id\":\"x\"}"), "provider_error"));
  }

  private static String head(int length) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
        + length
        + "\r\n\r\n";
  }

  @ParameterizedTest
  @MethodSource("brokenPlainReplies")
  void aBrokenPlainReplyMayAlwaysFailOver(List<String> broken) {
    FaultRow row = FaultRow.of("U73");
    assertThat(row.clientSees()).contains(broken.get(2));
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(broken.get(1)).fin();
      scenario.link(1).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().body()).contains("fine", "\"provider\":\"beta\"");
    }
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      for (int n = 0; !client.isAnswered(); n++) {
        scenario.link(n).send(broken.get(1)).fin();
        scenario.passMillis(600);
      }
      assertThat(client.fault().code().wire()).isEqualTo(broken.get(2));
      assertThat(scenario.served().cost().value()).isZero();
    }
  }

  @Test
  void aPlainReplyWithoutUsageIsEstimated() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      String body = OpenAiWire.completionBody("hello").replaceAll(",\"usage\":\\{[^}]*}", "");
      scenario.link(0).send(OpenAiWire.response(200, "OK", "", body));
      assertThat(client.whole().body()).contains("\"x_llm_usage_estimated\":true");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }
}
