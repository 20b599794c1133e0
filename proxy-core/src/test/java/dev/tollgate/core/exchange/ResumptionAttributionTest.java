package dev.tollgate.core.exchange;

import static dev.tollgate.core.exchange.ResumeTest.REJECTED;
import static dev.tollgate.core.exchange.ResumeTest.attempts;
import static dev.tollgate.core.exchange.ResumeTest.begin;
import static dev.tollgate.core.exchange.ResumeTest.catalog;
import static dev.tollgate.core.exchange.ResumeTest.requireWhole;
import static dev.tollgate.core.exchange.ResumeTest.stream;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outcomes of the attempts that continue a stream, and the provider that is recorded for it. */
class ResumptionAttributionTest {
  private static final Provider BETA = TestCatalog.prefilled("beta", Prefill.MESSAGE);

  @ParameterizedTest
  @ValueSource(strings = {"\n\n- two", "\n- two", "- two", " \n two"})
  void whiteSpaceAtTheEndIsNotHandedOverAndNotWrittenTwice(String continuation) {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client = scenario.ask(stream("prefill"));
      begin(scenario, "A list:", "\\n\\n");
      scenario.link(0).reset();
      assertThat(scenario.link(1).received()).contains("\"content\":\"A list:\"");
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(escaped(continuation)));
      String more = continuation.equals(" \n two") ? continuation : "- two";
      requireWhole(client, "A list:\n\n" + more);
    }
  }

  private static String escaped(String text) {
    return text.replace("\n", "\\n");
  }

  @Test
  void textOfWhiteSpaceAloneIsNoBeginning() {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, "\\n");
      scenario.link(0).reset();
      assertThat(scenario.link(1).received()).doesNotContain("assistant");
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("\\ntwo"));
      requireWhole(client, "\ntwo");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 413, 422})
  void aProviderThatRefusesAPrefillIsAskedForTheWholeAnswerNext(int status) {
    String refusal = OpenAiWire.error(status, "invalid_request_error", "no such thing");
    for (var catalog :
        new Catalog[] {
          catalog("alpha", BETA),
          TestCatalog.of(TestCatalog.provider("alpha"), BETA, TestCatalog.provider("gamma"))
        }) {
      try (var scenario = Scenario.of(catalog)) {
        RecordedClient client = scenario.ask(stream("auto"));
        begin(scenario, "the first ");
        scenario.link(0).reset();
        scenario.link(1).send(refusal);
        scenario
            .lastRequestLink()
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("the first ", "two"));
        requireWhole(client, "the first two");
        assertThat(attempts(scenario))
            .containsExactly("alpha interrupted ", "beta rejected prefill", "beta ok replay");
        assertThat(scenario.served().provider()).hasToString("beta");
      }
    }
  }

  @Test
  void theOnlyProviderIsAskedForAllOfItAfterItRefusedABegunAnswer() {
    try (var scenario = Scenario.of(TestCatalog.of(BETA))) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, "the first ");
      scenario.link(0).reset();
      scenario.passMillis(700);
      scenario.lastRequestLink().send(REJECTED);
      scenario
          .lastRequestLink()
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("the first ", "two"));
      requireWhole(client, "the first two");
      assertThat(attempts(scenario).getLast()).isEqualTo("beta ok replay");
    }
  }

  @Test
  void theLogNamesWhoDeliveredAndNotWhoCouldNotContinue() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.ask(stream("replay"));
      begin(scenario, "one ");
      scenario.link(0).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("other"));
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.DIVERGED);
      assertThat(scenario.served().provider()).hasToString("alpha");
    }
  }

  @Test
  void anAnswerThatWasAllDeliveredIsContinuedByItsRepetition() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ", "two");
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("one two"))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      requireWhole(client, "one two");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.CONTINUED);
      var usage = scenario.served().usage();
      assertThat(usage.completionTokens()).as("who only repeated costs nothing").isEqualTo(2);
      long cost = usage.promptTokens() + 2 * 2;
      assertThat(scenario.served().cost().value()).isEqualTo(cost);
      assertThat(client.text()).contains("\"x_llm_cost_micro\":" + cost);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"insufficient_quota", "rate_limit_exceeded"})
  void aKeyThatAStreamIsBrokenOffForIsNotUsedToContinueIt(String code) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ");
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.errorBody(code, "no more")));
      assertThat(scenario.links()).isEqualTo(2);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one ", "two"));
      requireWhole(client, "one two");
      assertThat(attempts(scenario)).containsExactly("alpha interrupted ", "beta ok replay");
    }
  }

  @Test
  void textThatWasHandedOverIsPartOfTheEstimatedPrompt() {
    String words = "x".repeat(4_000);
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      scenario.ask(stream("prefill"));
      begin(scenario, words);
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("two"))
                  + OpenAiWire.event("[DONE]"));
      assertThat(scenario.served().usage().promptTokens()).isGreaterThan(700);
    }
  }

  @Test
  void chunksWithoutTextTakeNothingFromTheBoundOfTheOutput() {
    try (var scenario = Scenario.of(catalog("alpha", BETA))) {
      RecordedClient client =
          scenario.ask(stream("prefill").replace("{\"model\"", "{\"max_tokens\":100,\"model\""));
      begin(scenario, "one", "", "", "", "", "", "", "", "", "");
      scenario.link(0).reset();
      assertThat(scenario.link(1).received()).contains("\"max_tokens\":99");
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream(" two"));
      requireWhole(client, "one two");
    }
  }

  @Test
  void theTimeOfAStreamStaysThatOfItsBeginning() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(created(5, "one "))).reset();
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(created(9, "one two"))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      requireWhole(client, "one two");
      assertThat(client.text()).contains("\"created\":5").doesNotContain("\"created\":9");
    }
  }

  private static String created(int seconds, String text) {
    return "{\"id\":\"c\",\"created\":"
        + seconds
        + ",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
        + text
        + "\"},\"finish_reason\":null}]}";
  }
}
