package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** The process-wide budget of bytes in memory has no room (docs/decisions/streaming.md#memory). */
class MemoryBudgetTest {
  private static final long BUDGET = 150_000;

  @Test
  void aPlainReplyWithoutRoomIsRefusedWithoutAnotherTry() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"), BUDGET)) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("x".repeat(200_000)));
      assertThat(client.fault().code().wire()).isEqualTo("service_unavailable");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void anEventWithoutRoomEndsTheStreamInside() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), BUDGET)) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      String event = OpenAiWire.event(OpenAiWire.content("x".repeat(200_000)));
      for (int at = 0; at < event.length() && !client.isAnswered(); at += 16_384) {
        scenario.link(0).send(event.substring(at, Math.min(event.length(), at + 16_384)));
      }
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(client.text()).contains("one");
    }
  }

  @Test
  void aLargeEventWithRoomPassesAndGivesItsBytesBack() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      String event = OpenAiWire.event(OpenAiWire.content("x".repeat(200_000)));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD);
      for (int at = 0; at < event.length(); at += 16_384) {
        scenario.link(0).send(event.substring(at, Math.min(event.length(), at + 16_384)));
        assertThat(scenario.inflight().held()).isLessThan(600_000);
      }
      scenario.link(0).send(OpenAiWire.wholeStream());
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.text()).contains("x".repeat(200_000));
    }
  }

  @Test
  void twoRequestsShareTheBudget() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), BUDGET)) {
      RecordedClient first = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("x".repeat(110_000)).substring(0, 90_000));
      RecordedClient second = scenario.askPlain();
      scenario.link(1).send(OpenAiWire.completion("y".repeat(80_000)));
      assertThat(second.fault().code().wire()).isEqualTo("service_unavailable");
      assertThat(first.isAnswered()).isFalse();
      scenario.link(0).fin();
      scenario.passSeconds(1);
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(first.whole().status()).isEqualTo(200);
    }
  }

  @Test
  void aPlainReplyCountsUntilItsClientHasReadIt() {
    String text = "x".repeat(200_000);
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      client.holdsBodies(true);
      scenario.link(0).send(OpenAiWire.completion(text));
      assertThat(client.whole().body()).contains(text);
      assertThat(scenario.inflight().held()).isBetween(200_000L, 201_000L);
      client.holdsBodies(false);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  @Test
  void aTranslatedRequestWithoutRoomIsRefusedUnsent() {
    for (String dialect : new String[] {"anthropic", "bedrock", "cohere", "gemini", "ollama"}) {
      Catalog catalog = TestCatalog.of(TestCatalog.ofDialect(dialect, "alpha"));
      try (var scenario = Scenario.of(catalog, BUDGET)) {
        RecordedClient client = scenario.ask(large(90_000));
        assertThat(client.fault().code().wire()).isEqualTo("service_unavailable");
        assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.SHED);
        assertThat(scenario.link(0).received()).isEmpty();
        assertThat(scenario.inflight().held()).isZero();
      }
      try (var scenario = Scenario.of(catalog, BUDGET)) {
        RecordedClient client = scenario.ask(large(30_000));
        assertThat(client.isAnswered()).isFalse();
        assertThat(scenario.link(0).received()).contains("x".repeat(30_000));
        assertThat(scenario.inflight().held()).as("it is written").isLessThan(31_000);
        scenario.link(0).send(OpenAiWire.error(400, "invalid_request_error", "no"));
      }
    }
  }

  /** What is not translated is the request's own array, which counts already. */
  @Test
  void aRequestThatIsPassedOnCountsOnce() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), BUDGET)) {
      RecordedClient client = scenario.ask(large(90_000));
      scenario.link(0).send(OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
    }
  }

  private static String large(int chars) {
    return "{\"model\":\"acme/one\",\"messages\":[{\"role\":\"user\",\"content\":\""
        + "x".repeat(chars)
        + "\"}]}";
  }
}
