package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client leaves a stream behind content while what it used is in doubt: the stream is read on for
 * its usage, or charged by an estimate that deserves the name.
 */
class DoubtfulStreamsTest {
  private static final String DIGITS = "7 3 1 9 ".repeat(3_000);
  private static final int DIGIT_TOKENS = 12_000;
  private static final String PROSE = "It was the best of times, it was the worst. ".repeat(500);

  private static String streamOf(String content) {
    return TestCatalog.STREAM_REQUEST.replace("\"Say something.\"", content);
  }

  private static String fileOf(int base64Bytes) {
    return streamOf(
        "[{\"type\":\"text\",\"text\":\"Sum up.\"},{\"type\":\"file\",\"file\":{\"file_data\":\""
            + "A".repeat(base64Bytes)
            + "\"}}]");
  }

  private static RecordedClient readOneWord(Scenario scenario, int link, String request) {
    RecordedClient client = scenario.ask(request);
    scenario
        .link(link)
        .send(
            OpenAiWire.STREAM_HEAD
                + OpenAiWire.event(OpenAiWire.role())
                + OpenAiWire.event(OpenAiWire.content("one")));
    return client;
  }

  private static String restWith(long prompt, long completion) {
    return OpenAiWire.event(OpenAiWire.content("two"))
        + OpenAiWire.event(OpenAiWire.finish("stop"))
        + OpenAiWire.event(OpenAiWire.usage(prompt, completion))
        + OpenAiWire.event("[DONE]")
        + OpenAiWire.LAST_CHUNK;
  }

  private static void leaveMany(Scenario scenario, int streams) {
    for (int n = 0; n < streams; n++) {
      RecordedClient client = scenario.askStream();
      scenario
          .lastRequestLink()
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      client.disconnect(DisconnectReason.ABORTED);
      scenario.passSeconds(2);
    }
  }

  private static void requireReported(Served served, long prompt, long completion) {
    assertThat(served.usage().estimated()).isFalse();
    assertThat(served.usage().promptTokens()).isEqualTo(prompt);
    assertThat(served.usage().completionTokens()).isEqualTo(completion);
    assertThat(served.cost().value()).isEqualTo(prompt + 2 * completion);
  }

  @Test
  void aPromptWithAFileIsReadOnAndTheNextOneIsChargedByItsSize() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient first = readOneWord(scenario, 0, fileOf(200_000));
      RecordedClient second = readOneWord(scenario, 1, fileOf(200_000));
      first.disconnect(DisconnectReason.ABORTED);
      second.disconnect(DisconnectReason.ABORTED);

      Served cut = scenario.served();
      assertThat(cut.usage().estimated()).isTrue();
      assertThat(cut.usage().promptTokens()).isBetween(4_166L, 4_300L);

      scenario.link(0).send(restWith(5_000, 2));
      requireReported(scenario.lastServed(), 5_000, 2);
      assertThat(scenario.records().getLast().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
    }
  }

  /** Documents beside the messages are prompt at some providers, and nothing at others. */
  @Test
  void textThatIsPassedOnUnreadIsReadOnAndTheNextOneIsChargedByItsSize() {
    String documents = "\"documents\":[{\"text\":\"" + PROSE + "\"}],";
    String request =
        TestCatalog.STREAM_REQUEST.replace("{\"model\"", "{" + documents + "\"model\"");
    assertThat(request).contains(documents);
    long billed = PROSE.length() / 4;
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient first = readOneWord(scenario, 0, request);
      RecordedClient second = readOneWord(scenario, 1, request);
      first.disconnect(DisconnectReason.ABORTED);
      second.disconnect(DisconnectReason.ABORTED);

      Served cut = scenario.served();
      assertThat(cut.usage().estimated()).isTrue();
      assertThat(cut.usage().promptTokens()).isBetween(billed, billed + 50);

      scenario.link(0).send(restWith(billed, 2));
      requireReported(scenario.lastServed(), billed, 2);
    }
  }

  @Test
  void aStreamIsReadOnForThirtySeconds() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      readOneWord(scenario, 0, fileOf(48_000)).disconnect(DisconnectReason.STALLED);
      for (int n = 0; n < 29; n++) {
        scenario.passSeconds(1).link(0).send(OpenAiWire.event(OpenAiWire.content("more")));
      }
      assertThat(scenario.records()).isEmpty();
      scenario.passSeconds(1);
      assertThat(scenario.served().usage().estimated()).isTrue();
      assertThat(scenario.served().usage().completionTokens()).isEqualTo(30);
      assertThat(scenario.link(0).isOpen()).isFalse();
    }
  }

  @Test
  void aTextOfWordsIsCutAndOneOfDigitsIsReadOn() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      readOneWord(scenario, 0, streamOf("\"" + PROSE + "\"")).disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.served().usage().estimated()).isTrue();

      readOneWord(scenario, 1, streamOf("\"" + DIGITS + "\"")).disconnect(DisconnectReason.ABORTED);
      scenario.link(1).send(restWith(DIGIT_TOKENS, 2));
      requireReported(scenario.lastServed(), DIGIT_TOKENS, 2);
    }
  }

  @Test
  void afterFiftySettledRequestsDigitsAreChargedByTheModelsOwnRatio() {
    String plain = TestCatalog.PLAIN_REQUEST.replace("Say something.", DIGITS);
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      for (int n = 0; n < 50; n++) {
        scenario.ask(plain);
        scenario.link(0).send(OpenAiWire.completion("fine", DIGIT_TOKENS, 1));
      }
      readOneWord(scenario, 0, streamOf("\"" + DIGITS + "\"")).disconnect(DisconnectReason.ABORTED);

      assertThat(scenario.lastServed().usage().estimated()).isTrue();
      assertThat(scenario.lastServed().usage().promptTokens())
          .isBetween((long) DIGIT_TOKENS - 100, (long) DIGIT_TOKENS + 100);
    }
  }

  @Test
  void aPromptThatTheProviderCountedOnTheWayIsNotInDoubt() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.ask(fileOf(48_000));
      scenario
          .link(0)
          .send(
              OpenAiWire.STREAM_HEAD
                  + OpenAiWire.event(OpenAiWire.usage(777, 0))
                  + OpenAiWire.event(OpenAiWire.content("one")));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.served().usage().promptTokens()).isEqualTo(777);
    }
  }

  @Test
  void anOrganizationThatLeftMoreThanTenOfTwoHundredStreamsIsReadOn() {
    try (var scenario = Scenario.of(TestCatalog.of(TestCatalog.withUnlimitedBreaker("alpha")))) {
      leaveMany(scenario, 11);
      assertThat(scenario.records()).as("cut at once").hasSize(11);

      RecordedClient client = scenario.askStream();
      scenario
          .lastRequestLink()
          .send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.records()).hasSize(11);
      scenario.lastRequestLink().send(restWith(4_321, 2));
      requireReported(scenario.lastServed(), 4_321, 2);

      scenario.of(new OrgId(new UUID(9, 9)));
      scenario.askStream();
      scenario.lastRequestLink().send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("fine"));
      leaveMany(scenario, 1);
      assertThat(scenario.lastServed().usage().estimated()).as("another's is cut").isTrue();
    }
  }

  @Test
  void aClientThatLeavesBehindTheFinishHasNoHabit() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      for (int n = 0; n < 12; n++) {
        RecordedClient client = scenario.askStream();
        scenario
            .link(0)
            .send(
                OpenAiWire.STREAM_HEAD
                    + OpenAiWire.event(OpenAiWire.content("one"))
                    + OpenAiWire.event(OpenAiWire.finish("stop")));
        client.disconnect(DisconnectReason.ABORTED);
        scenario
            .link(0)
            .send(
                OpenAiWire.event(OpenAiWire.usage(7, 1))
                    + OpenAiWire.event("[DONE]")
                    + OpenAiWire.LAST_CHUNK);
      }
      leaveMany(scenario, 1);
      assertThat(scenario.records()).hasSize(13);
    }
  }

  @Test
  void aSlotIsFreeWhileAStreamIsReadOn() {
    var one =
        new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 0, 1), Rates.OFF, Map.of());
    try (var scenario = Scenario.of(TestCatalog.of("alpha")).limits(one)) {
      readOneWord(scenario, 0, fileOf(48_000)).disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.records()).isEmpty();
      assertThat(scenario.slotsInUse()).isZero();
      scenario.link(0).send(restWith(900, 2));
      requireReported(scenario.served(), 900, 2);
    }
  }

  /** Where a request is when its client leaves before the first event. */
  enum Early {
    PLAIN,
    STREAM_WAITING,
    STREAM_WITH_A_ROLE
  }

  @ParameterizedTest
  @EnumSource
  void whoLeavesBeforeTheFirstEventPaysNothingAndUsesTheTokensOfThePrompt(Early early) {
    var tokens =
        new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 20_000, 0), Rates.OFF, Map.of());
    try (var scenario = Scenario.of(TestCatalog.of("alpha")).limits(tokens)) {
      RecordedClient client =
          scenario.ask(
              early == Early.PLAIN
                  ? TestCatalog.PLAIN_REQUEST.replace("Say something.", PROSE)
                  : streamOf("\"" + PROSE + "\""));
      if (early == Early.STREAM_WITH_A_ROLE) {
        scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.role()));
      }
      client.disconnect(DisconnectReason.ABORTED);
      assertThat(scenario.served().cost().value()).isZero();
      scenario.passMillis(1_100);

      RecordedClient next = scenario.askPlain();
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      long promptTokens = PROSE.length() / 4;
      long refilled = 20_000 * 1_100 / 60_000;
      assertThat(Long.parseLong(next.field("x-ratelimit-remaining-tokens")))
          .isBetween(
              20_000 - promptTokens + refilled - 4_200, 20_000 - promptTokens + refilled - 4_000);
    }
  }

  @Test
  void aRequestThatTheGatewayEndedUsesNoTokens() {
    var tokens =
        new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 20_000, 0), Rates.OFF, Map.of());
    try (var scenario = Scenario.of(TestCatalog.of("alpha")).limits(tokens)) {
      scenario.ask(streamOf("\"" + PROSE + "\"")).disconnect(DisconnectReason.SHED);
      RecordedClient next = scenario.askPlain();
      scenario.lastRequestLink().send(OpenAiWire.completion("fine"));
      assertThat(Long.parseLong(next.field("x-ratelimit-remaining-tokens"))).isGreaterThan(15_800);
    }
  }
}
