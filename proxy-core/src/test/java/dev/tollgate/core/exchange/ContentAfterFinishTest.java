package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.api.Test;

/** A provider that sends content after its finish reason. */
class ContentAfterFinishTest {
  private static final String DONE = OpenAiWire.event("[DONE]") + OpenAiWire.LAST_CHUNK;

  @Test
  void aProviderThatSaysSoInEachChunkIsReadToItsEnd() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + finished("a"));
      scenario.passSeconds(3).link(0).send(finished("b"));
      scenario.passSeconds(9).link(0).send(finished("c"));
      scenario.passSeconds(3).link(0).send(finished("d"));
      assertThat(client.isAnswered()).isFalse();
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.usage(7, 4)) + DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(ClientStream.of(client).content).hasToString("abcd");
      assertThat(client.text().split("\"finish_reason\":\"stop\"", -1)).hasSize(5);
      assertThat(scenario.served().usage().completionTokens()).isEqualTo(4);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void itIsNotCompleteWhereItBreaksOffOnceItSaidSoFalsely() {
    for (String more : new String[] {finished("b"), OpenAiWire.event(OpenAiWire.content("b"))}) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
        RecordedClient client = scenario.askStream();
        scenario.link(0).send(OpenAiWire.STREAM_HEAD + finished("a"));
        scenario.passSeconds(3).link(0).send(more);
        scenario.link(0).reset();
        assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
        assertThat(scenario.served().attempts().getFirst().outcome()).isEqualTo("interrupted");
        assertThat(scenario.served().usage().completionTokens()).isEqualTo(2);
      }
    }
  }

  @Test
  void aRepetitionThatSaysSoInEachChunkIsFollowedToItsEnd() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(ResumeTest.stream("replay"));
      ResumeTest.begin(scenario, "one ", "two ");
      scenario.link(0).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + finished("one") + finished(" two "));
      scenario.link(1).send(finished("three ") + finished("four") + DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(ClientStream.of(client).content).hasToString("one two three four");
      assertThat(ResumeTest.attempts(scenario).getLast()).isEqualTo("beta ok replay");
    }
  }

  @Test
  void aShorterAnswerThatSaysSoAtItsLastTextIsADifference() {
    for (String end : new String[] {DONE, OpenAiWire.LAST_CHUNK}) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
        RecordedClient client = scenario.ask(ResumeTest.stream("replay"));
        ResumeTest.begin(scenario, "one ", "two ");
        scenario.link(0).reset();
        scenario.link(1).send(OpenAiWire.STREAM_HEAD + finished("one") + end);
        assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
        assertThat(ResumeTest.attempts(scenario).getLast()).isEqualTo("beta diverged replay");
      }
    }
  }

  @Test
  void itIsBelievedWhereNothingFollows() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + finished("all"));
      scenario.passSeconds(5);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    }
  }

  @Test
  void aFinishWithoutContentIsBelievedAlsoTheSecondTime() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + finished("a"));
      scenario.passSeconds(4).link(0).send(OpenAiWire.event(OpenAiWire.content("b")));
      scenario.passSeconds(4).link(0).send(OpenAiWire.event(OpenAiWire.finish("stop")));
      scenario.passMillis(4_900);
      assertThat(client.isAnswered()).as("the time for the usage begins anew").isFalse();
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.usage(7, 2))).reset();
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void aFinishThatWasTakenBackIsMadeUpForAtTheEnd() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario
          .link(0)
          .send(OpenAiWire.STREAM_HEAD + finished("a") + OpenAiWire.event(OpenAiWire.content("b")));
      scenario.link(0).send(DONE);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.text().split("\"finish_reason\":\"stop\"", -1)).hasSize(3);
    }
  }

  private static String finished(String text) {
    return OpenAiWire.event(OpenAiWire.content(text).replace("null", "\"stop\""));
  }
}
