package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.InMemoryLedger.Charged;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.RecordedClient.Answer;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stream that broke off behind content is continued by another provider
 * (docs/decisions/retries.md#resume).
 */
class ResumeTest {
  static final String REJECTED = OpenAiWire.error(400, "invalid_request_error", "no prefill");
  private static final String TOOL =
      "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
          + "\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]},"
          + "\"finish_reason\":null}]}";

  enum Break {
    FIN,
    RST,
    STALL,
    ERROR,
    GARBAGE
  }

  @ParameterizedTest
  @EnumSource
  void afterAnyInterruptionAnotherProviderRepeatsAndContinuesTheStream(Break how) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ", "two ");
      breakOff(scenario, how);
      ProviderLink beta = scenario.link(1);
      assertThat(beta.received()).contains("Say something.").doesNotContain("assistant", "resume");
      beta.send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one t", "wo thr", "ee"));
      requireWhole(client, "one two three");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.CONTINUED);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK_ESTIMATED);
      assertThat(attempts(scenario).getLast()).isEqualTo("beta ok replay");
      assertThat(client.field("X-LLM-Routing-Reason")).endsWith(" resume=replay");
    }
  }

  private static void breakOff(Scenario scenario, Break how) {
    ProviderLink link = scenario.link(0);
    switch (how) {
      case FIN -> link.fin();
      case RST -> link.reset();
      case STALL -> scenario.passSeconds(31);
      case ERROR -> link.send(OpenAiWire.event(OpenAiWire.errorBody("server_error", "oops")));
      case GARBAGE ->
          link.send(OpenAiWire.event("{") + OpenAiWire.event("{") + OpenAiWire.event("{"));
    }
    scenario.run();
  }

  @ParameterizedTest
  @CsvSource({"prefill, MESSAGE", "auto, PREFIX", "auto, CONTINUE_FINAL_MESSAGE"})
  void aProviderThatCanIsHandedTheBeginningOfTheAnswer(String resume, Prefill style) {
    try (var scenario = Scenario.of(catalog("alpha", TestCatalog.prefilled("beta", style)))) {
      RecordedClient client =
          scenario.ask(stream(resume).replace("{\"model\"", "{\"max_tokens\":100,\"model\""));
      begin(scenario, "No. one \\\"", "\u00e9 ");
      scenario.link(0).fin();
      String asked = scenario.link(1).received();
      assertThat(asked)
          .contains(",{\"role\":\"assistant\",\"content\":\"No. one \\\"\u00c3\u00a9\"")
          .contains("\"max_tokens\":97");
      assertThat(asked.contains("\"prefix\":true")).isEqualTo(style == Prefill.PREFIX);
      assertThat(asked.contains("\"continue_final_message\":true,\"add_generation_prompt\":false"))
          .isEqualTo(style == Prefill.CONTINUE_FINAL_MESSAGE);
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("three"));
      requireWhole(client, "No. one \"\u00e9 three");
      assertThat(attempts(scenario)).containsExactly("alpha disconnected ", "beta ok prefill");
    }
  }

  @Test
  void anAnswerThatTheClientBeganItselfIsRepeated() {
    var beta = TestCatalog.prefilled("beta", Prefill.MESSAGE);
    try (var scenario = Scenario.of(catalog("alpha", beta))) {
      RecordedClient client =
          scenario.ask(
              stream("auto").replace("}]}", "},{\"role\":\"assistant\",\"content\":\"So\"}]}"));
      begin(scenario, "one, two, ");
      scenario.link(0).reset();
      assertThat(scenario.link(1).received()).containsOnlyOnce("assistant");
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one, two, ", "three"));
      requireWhole(client, "one, two, three");
    }
  }

  @Test
  void theUsageIsTheSumOfBothInOneCharge() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.usage(7, 0))
                  + OpenAiWire.event(OpenAiWire.content("one ")))
          .fin();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one ", "two"));
      requireWhole(client, "one two");
      var usage = scenario.served().usage();
      assertThat(usage.promptTokens()).isEqualTo(14);
      assertThat(usage.completionTokens()).isEqualTo(3);
      assertThat(scenario.ledger().charged())
          .singleElement()
          .satisfies(charge -> assertThat(charge.cost()).isEqualTo(new MicroUsd(14 + 2 * 3)));
      assertThat(ClientStream.of(client).usages)
          .containsExactly(
              "{\"prompt_tokens\":14,\"completion_tokens\":3,\"total_tokens\":17,"
                  + "\"x_llm_cost_micro\":20,\"x_llm_usage_estimated\":true}");
    }
  }

  @Test
  void theFirstDifferenceEndsTheStreamWithTheFaultOfTheOneThatBrokeOff() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ", "two ");
      scenario.link(0).fin();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one ", "too "));
      assertThat(client.fault().code().wire()).isEqualTo("provider_disconnect");
      assertThat(client.fault().provider()).hasToString("alpha");
      assertThat(ClientStream.of(client).content).hasToString("one two ");
      assertThat(client.fault().details().get("attempts"))
          .asString()
          .contains("diverged", "replay");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.DIVERGED);
      assertThat(scenario.links()).isEqualTo(2);
      requireOnlyTheFirstIsCharged(scenario);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"one ", "one tw"})
  void anAnswerThatEndsBeforeWhatWasDeliveredIsADifference(String shorter) {
    for (String end :
        List.of(OpenAiWire.event(OpenAiWire.finish("stop")), OpenAiWire.event("[DONE]"))) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
        RecordedClient client = scenario.ask(stream("replay"));
        begin(scenario, "one ", "two ");
        scenario.link(0).fin();
        scenario
            .link(1)
            .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content(shorter)) + end);
        assertThat(client.fault().code().wire()).isEqualTo("provider_disconnect");
        assertThat(ClientStream.of(client).finishes).isEmpty();
      }
    }
  }

  @Test
  void aRejectedPrefillHidesNothingAndTheSameProviderMayRepeat() {
    var beta = TestCatalog.prefilled("beta", Prefill.MESSAGE);
    try (var scenario = Scenario.of(catalog("alpha", beta))) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, "one, two, ");
      scenario.link(0).reset();
      scenario.link(1).send(REJECTED);
      scenario.passMillis(700);
      assertThat(scenario.requests()).isEqualTo(3);
      scenario
          .lastRequestLink()
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one, two, ", "three"));
      requireWhole(client, "one, two, three");
    }
    try (var scenario = Scenario.of(catalog("alpha", beta))) {
      RecordedClient client = scenario.ask(stream("prefill"));
      begin(scenario, "one ");
      scenario.link(0).reset();
      scenario.link(1).send(REJECTED);
      scenario.passSeconds(2);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(client.fault().provider()).hasToString("alpha");
      assertThat(client.fault().details().get("attempts")).asString().contains("rejected");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.FAILED);
      requireOnlyTheFirstIsCharged(scenario);
    }
  }

  @Test
  void withPrefillAloneOnlyCapableProvidersAreAsked() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("prefill"));
      begin(scenario, "one ");
      scenario.link(0).reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.links()).isOne();
      requireOnlyTheFirstIsCharged(scenario);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"routing\":{\"resume\":\"off\"}",
        "\"routing\":{}",
        "\"routing\":{\"resume\":\"auto\"},\"logprobs\":true",
        "\"routing\":{\"resume\":\"auto\"},\"modalities\":[\"text\",\"audio\"]"
      })
  void whatIsNotAskedForOrHasMoreThanTextIsNotContinued(String fields) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(request(fields));
      begin(scenario, "one ");
      scenario.link(0).reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.links()).isOne();
    }
  }

  @Test
  void aToolCallThatBeganIsNeverContinued() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, "one ");
      scenario.link(0).send(OpenAiWire.event(TOOL)).reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.links()).isOne();
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.UNSUPPORTED);
    }
  }

  @Test
  void aContinuationMayCallATool() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ");
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.content("one "))
                  + OpenAiWire.event(TOOL)
                  + OpenAiWire.event(OpenAiWire.finish("tool_calls"))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      assertThat(client.answer()).isEqualTo(new Answer.Streamed());
      assertThat(client.text()).containsOnlyOnce("\"name\":\"f\"");
      assertThat(ClientStream.of(client).content).hasToString("one ");
    }
  }

  @Test
  void aTextLongerThanItsBoundIsNotContinued() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, "x".repeat(100_000));
      for (int n = 0; n < 10; n++) {
        scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("x".repeat(100_000))));
      }
      scenario.link(0).reset();
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.links()).isOne();
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.TOO_LONG);
    }
  }

  @Test
  void withoutRoomInTheBudgetNothingIsKeptAndTheStreamContinues() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"), 70_000)) {
      RecordedClient client = scenario.ask(stream("auto"));
      begin(scenario, "x".repeat(100_000));
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("y"))).reset();
      assertThat(ClientStream.of(client).content).hasSize(100_001);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.served().resumed()).isEqualTo(ResumeOutcome.TOO_LONG);
    }
  }

  @Test
  void aProviderThatFailsBeforeItContinuesIsFollowedByTheNext() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ", "two ");
      scenario.link(0).reset();
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")))
          .reset();
      scenario.link(2).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one two ", "three"));
      requireWhole(client, "one two three");
      assertThat(attempts(scenario))
          .containsExactly("alpha interrupted ", "beta interrupted replay", "gamma ok replay");
      // beta brought nothing that the client has
      assertThat(scenario.served().usage().completionTokens()).isEqualTo(2 + 2);
    }
  }

  @Test
  void noOneMayContinueBeyondWhatWasSetAside() {
    String request = stream("replay").replace("{\"model\"", "{\"max_tokens\":1000,\"model\"");
    String most = "a".repeat(4_900);
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta", "gamma"))) {
      RecordedClient client = scenario.ask(request);
      begin(scenario, most);
      scenario.link(0).fin();
      scenario
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content(most + "b")));
      scenario.link(1).fin();
      scenario.run();
      assertThat(scenario.links()).isEqualTo(2);
      assertThat(client.fault().code().wire()).isEqualTo("provider_disconnect");
      Charged charge = scenario.ledger().charged().getFirst();
      assertThat(charge.cost().value()).isBetween(3_900L, charge.reserved().value());
    }
  }

  @Test
  void aClientThatLeavesBetweenTwoProvidersPaysForWhatItGot() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ", "two ");
      scenario.link(0).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one ")));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.run();
      assertThat(scenario.link(1).isOpen()).isFalse();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      requireOnlyTheFirstIsCharged(scenario);
    }
  }

  @Test
  void aSilentProviderIsNotAskedToContinueItself() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ");
      scenario.passSeconds(31);
      assertThat(client.fault().code().wire()).isEqualTo("stream_interrupted");
      assertThat(scenario.requests()).isOne();
    }
  }

  @Test
  void theOnlyProviderRepeatsItselfAfterABackoff() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "one ");
      scenario.link(0).fin();
      assertThat(scenario.requests()).isOne();
      scenario
          .passMillis(600)
          .link(1)
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one ", "two"));
      requireWhole(client, "one two");
    }
  }

  @Test
  void pingsFillTheTimeInWhichTextIsHeldBack() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.ask(stream("replay"));
      begin(scenario, "a", "b", "c", "d");
      scenario.link(0).reset();
      scenario.link(1).send(OpenAiWire.STREAM_HEAD);
      for (String word : List.of("a", "b", "c", "d")) {
        scenario.link(1).send(OpenAiWire.event(OpenAiWire.content(word)));
        scenario.passSeconds(25); // longer than first_token in all
      }
      assertThat(client.text()).contains(": ping\n\n");
      scenario
          .link(1)
          .send(
              OpenAiWire.event(OpenAiWire.content("e"))
                  + OpenAiWire.event("[DONE]")
                  + OpenAiWire.LAST_CHUNK);
      requireWhole(client, "abcde");
    }
  }

  static void begin(Scenario scenario, String... words) {
    StringBuilder events =
        new StringBuilder(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
    for (String word : words) {
      events.append(OpenAiWire.event(OpenAiWire.content(word)));
    }
    scenario.link(0).send(events.toString());
  }

  static void requireWhole(RecordedClient client, String text) {
    assertThat(client.answer()).isEqualTo(new Answer.Streamed());
    ClientStream seen = ClientStream.of(client);
    assertThat(seen.content).hasToString(text);
    assertThat(seen.ids).hasSize(1);
    assertThat(seen.roles).isOne();
    assertThat(seen.finishes).containsExactly("stop");
    assertThat(seen.usages).hasSize(1);
    assertThat(seen.done).isTrue();
  }

  static void requireOnlyTheFirstIsCharged(Scenario scenario) {
    var served = scenario.served();
    assertThat(served.cost().value())
        .isEqualTo(served.usage().promptTokens() + 2 * served.usage().completionTokens())
        .isPositive();
    assertThat(served.usage().completionTokens()).isLessThanOrEqualTo(2);
    assertThat(scenario.ledger().charged()).hasSize(1);
  }

  static List<String> attempts(Scenario scenario) {
    return scenario.served().attempts().stream()
        .map(one -> one.provider() + " " + one.outcome() + " " + one.resume())
        .toList();
  }

  static Catalog catalog(String first, Provider second) {
    return TestCatalog.of(TestCatalog.provider(first), second);
  }

  static String stream(String resume) {
    return request("\"routing\":{\"resume\":\"" + resume + "\"}");
  }

  private static String request(String fields) {
    return "{\"model\":\"acme/one\",\"stream\":true,"
        + fields
        + ",\"messages\":[{\"role\":\"user\",\"content\":\"Say something.\"}]}";
  }
}
