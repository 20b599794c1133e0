package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** A client that does not keep up stops its provider, and the clocks with it. */
class BackpressureTest {
  @Test
  void nothingIsReadFromTheProviderWhileTheClientIsNotWritable() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      ProviderLink provider = scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      client.writable(false);
      provider.send(OpenAiWire.event(OpenAiWire.content("one")));
      int reads = provider.reads();
      provider
          .send(OpenAiWire.event(OpenAiWire.content("two")))
          .send(OpenAiWire.event(OpenAiWire.content("three")));
      scenario.passSeconds(3_600);
      assertThat(provider.reads()).isEqualTo(reads);
      assertThat(client.text()).contains("one").doesNotContain("two");

      client.writable(true);
      scenario.run();
      assertThat(client.text()).contains("two", "three");
      provider.send(OpenAiWire.wholeStream("four"));
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
  }

  @Test
  void theIdleTimeoutContinuesWithTheRemainingTime() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      pausedAt(scenario, client, OpenAiWire.event(OpenAiWire.content("one")), 1_000);
      scenario.passMillis(29_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
    }
  }

  @Test
  void theFirstTokenTimeoutContinuesWithTheRemainingTime() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.passSeconds(20); // opened early
      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      scenario.passSeconds(10);
      pausedAt(scenario, client, OpenAiWire.chunk(": thinking\n\n"), 500);
      scenario.passMillis(49_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
    }
  }

  @Test
  void theUsageIsStillAwaitedForFiveSecondsAfterAPause() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      pausedAt(scenario, client, OpenAiWire.event(OpenAiWire.finish("stop")), 100);
      scenario.passMillis(4_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
  }

  @Test
  void theTimeForOneEventStandsStillToo() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      scenario.link(0).send(OpenAiWire.chunk("data: {"));
      scenario.passSeconds(20);
      pausedAt(scenario, client, OpenAiWire.chunk(" "), 1_000);
      for (int n = 0; n < 39; n++) {
        scenario.passSeconds(1).link(0).send(OpenAiWire.chunk(" "));
      }
      assertThat(client.isAnswered()).isFalse();
      scenario.passSeconds(1);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
    }
  }

  @Test
  void aPlainReplyIsNotForgottenBehindAClientThatReadsSlowly() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      client.writable(false);
      scenario.link(0).send(OpenAiWire.completion("hello").substring(0, 200));
      scenario.passSeconds(100);
      client.writable(true);
      scenario.passSeconds(30);
      assertThat(client.fault().code().wire()).isEqualTo("provider_timeout");
    }
  }

  /** The client blocks when {@code bytes} come, for so long. */
  private static void pausedAt(
      Scenario scenario, RecordedClient client, String bytes, long seconds) {
    client.writable(false);
    scenario.link(0).send(bytes);
    scenario.passSeconds(seconds);
    assertThat(client.isAnswered()).isFalse();
    client.writable(true);
    scenario.run();
  }

  @Test
  void eachReadIsAskedForOnce() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      ProviderLink provider = scenario.link(0);
      assertThat(provider.reads()).isOne();
      provider.send(OpenAiWire.STREAM_HEAD);
      for (int n = 0; n < 10; n++) {
        provider.send(OpenAiWire.event(OpenAiWire.content("w")));
        assertThat(provider.reads()).isEqualTo(n + 3);
      }
      provider.send(OpenAiWire.wholeStream());
      assertThat(client.pieces()).as("one write for each read").hasSize(12);
    }
  }
}
