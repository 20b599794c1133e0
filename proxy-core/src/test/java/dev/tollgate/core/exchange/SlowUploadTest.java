package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider.ProviderTimeouts;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time in which a client sends its body is neither a provider's nor ours. */
class SlowUploadTest {
  private static final Duration SLOW = Duration.ofSeconds(20);

  @Test
  void aStreamIsNotCommittedEarlyForIt() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStreamAfterUpload(SLOW);
      scenario.passSeconds(14);
      assertThat(client.isOpened()).isFalse();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));

      assertThat(client.field("X-LLM-Routing-Reason")).doesNotContain("committed=early");
      assertThat(client.field("Server-Timing")).startsWith("gw;dur=0.00, upstream;dur=14000.00");
      assertThat(scenario.record().total()).isEqualTo(Duration.ofSeconds(34));
      assertThat(scenario.served().timing().overhead()).isZero();
    }
  }

  @Test
  void aProviderHasItsWholeTimeForAPlainReply() {
    var catalog =
        TestCatalog.of(
            TestCatalog.withClocks(
                "alpha",
                usual ->
                    new ProviderTimeouts(
                        usual.connect(),
                        usual.responseHeader(),
                        usual.firstToken(),
                        usual.idle(),
                        SLOW)));
    try (var scenario = Scenario.of(catalog)) {
      RecordedClient client = scenario.askPlainAfterUpload(SLOW);
      scenario.passSeconds(19);
      scenario.link(0).send(OpenAiWire.completion("in time"));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }
}
