package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/**
 * Row U58: bytes behind a reply, which could be taken for the next reply. Whenever they arrive, the
 * connection is not reused, and the operator gets a log line.
 */
class UnsolicitedBytesTest {
  private static final String SECOND = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned";

  @Test
  void behindAPlainReplyTheyAreOddAndTheReplyIsFine() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("fine") + SECOND);
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().attempts().getFirst().anomalies())
          .containsExactly(ProtocolAnomaly.UNSOLICITED_BYTES);
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void whatComesBehindAStreamThatIsAlreadyOverIsCounted() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      String stream = OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream();
      int end = stream.length() - OpenAiWire.LAST_CHUNK.length();
      assertThat(stream).endsWith(OpenAiWire.LAST_CHUNK);
      scenario.link(0).send(stream.substring(0, end));
      assertThat(client.isAnswered()).isTrue();
      assertThat(scenario.served().attempts().getFirst().anomalies()).isEmpty();
      scenario.link(0).send(OpenAiWire.LAST_CHUNK + SECOND);
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void moreEventsBehindAStreamThatIsAlreadyOverAreCounted() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askStream();
      String stream = OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream();
      scenario.link(0).send(stream.substring(0, stream.length() - OpenAiWire.LAST_CHUNK.length()));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("late")));
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void onAnIdleConnectionTheyAreCounted() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(scenario.link(0).isOpen()).isTrue();
      scenario.link(0).send(SECOND);
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void aReplyWithNothingBehindItIsNotOdd() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("fine"));
      RecordedClient left = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream());
      assertThat(left.isAnswered()).isTrue();
      assertThat(scenario.links()).isOne();
      assertThat(surplus(scenario)).isZero();
    }
  }

  private static void requireNotUsedAgain(Scenario scenario) {
    assertThat(surplus(scenario)).isOne();
    assertThat(scenario.link(0).isOpen()).isFalse();
    RecordedClient next = scenario.askPlain();
    scenario.link(1).send(OpenAiWire.completion("mine"));
    assertThat(next.whole().body()).contains("mine").doesNotContain("poisoned");
  }

  private static long surplus(Scenario scenario) {
    return scenario.upstreams().gauges().getFirst().unsolicited();
  }
}
