package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.endpoint.Oddity;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.testkit.Wire;
import org.junit.jupiter.api.Test;

/**
 * Row U58: bytes behind a reply, which who reads on would take for the next one. Whenever they
 * come, the connection serves nobody again and its operator is told.
 */
class SurplusTest {
  private static final String SECOND = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\npoisoned";

  @Test
  void behindAPlainReplyTheyAreOddAndTheReplyIsFine() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(Wire.completion("fine") + SECOND);
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(scenario.served().attempts().getFirst().oddities())
          .containsExactly(Oddity.SURPLUS);
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void whatComesBehindAStreamThatIsAlreadyOverIsCounted() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      String stream = Wire.STREAM_HEAD + Wire.wholeStream();
      int end = stream.length() - Wire.LAST_CHUNK.length();
      assertThat(stream).endsWith(Wire.LAST_CHUNK);
      scenario.link(0).send(stream.substring(0, end));
      assertThat(client.isAnswered()).isTrue();
      assertThat(scenario.served().attempts().getFirst().oddities()).isEmpty();
      scenario.link(0).send(Wire.LAST_CHUNK + SECOND);
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void moreEventsBehindAStreamThatIsAlreadyOverAreCounted() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askStream();
      String stream = Wire.STREAM_HEAD + Wire.wholeStream();
      scenario.link(0).send(stream.substring(0, stream.length() - Wire.LAST_CHUNK.length()));
      scenario.link(0).send(Wire.event(Wire.content("late")));
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void onAConnectionThatNobodyUsesTheyAreCounted() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askPlain();
      scenario.link(0).send(Wire.completion("fine"));
      assertThat(scenario.link(0).isOpen()).isTrue();
      scenario.link(0).send(SECOND);
      requireNotUsedAgain(scenario);
    }
  }

  @Test
  void aReplyWithNothingBehindItIsNotOdd() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.askPlain();
      scenario.link(0).send(Wire.completion("fine"));
      RecordedClient left = scenario.askStream();
      scenario.link(0).send(Wire.STREAM_HEAD + Wire.wholeStream());
      assertThat(left.isAnswered()).isTrue();
      assertThat(scenario.links()).isOne();
      assertThat(surplus(scenario)).isZero();
    }
  }

  private static void requireNotUsedAgain(Scenario scenario) {
    assertThat(surplus(scenario)).isOne();
    assertThat(scenario.link(0).isOpen()).isFalse();
    RecordedClient next = scenario.askPlain();
    scenario.link(1).send(Wire.completion("mine"));
    assertThat(next.whole().body()).contains("mine").doesNotContain("poisoned");
  }

  private static long surplus(Scenario scenario) {
    return scenario.upstreams().gauges().getFirst().surplus();
  }
}
