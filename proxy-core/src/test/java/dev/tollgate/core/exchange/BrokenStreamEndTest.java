package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.responses.ResponseEventChoice;
import dev.tollgate.core.exchange.frame.BrokenStreamEnd;
import dev.tollgate.core.exchange.frame.ExchangeOptions;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A broken stream's body is truncated behind content, so that no client takes it for whole. */
class BrokenStreamEndTest {
  @ParameterizedTest
  @EnumSource
  void behindContentTheOperatorDecides(BrokenStreamEnd end) {
    var time = Duration.ofSeconds(15);
    var options = new ExchangeOptions(time, time, 100, ResponseEventChoice.BY_CLIENT, end);
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), options)) {
      RecordedClient client = scenario.askStream();
      String begun = OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one"));
      scenario.link(0).send(begun).fin();
      assertThat(client.fault().code().wire()).isEqualTo("provider_disconnect");
      assertThat(client.isTruncated()).isEqualTo(end == BrokenStreamEnd.ABORT);
    }
  }

  @Test
  void aStreamThatOnlyHadAPingEndsAsAWholeOne() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(30);
      assertThat(client.isOpened()).isTrue();
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
      assertThat(client.isTruncated()).isFalse();
    }
  }
}
