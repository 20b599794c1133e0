package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A provider refuses or limits a key: the next key, then the next provider. */
class ProviderKeysTest {
  private static final String REFUSED = OpenAiWire.error(401, "invalid_api_key", "no");
  private static final String LIMIT_TOO_LOW =
      OpenAiWire.error(
          429,
          "Retry-After: 30\r\n",
          "rate_limit_exceeded",
          "Request too large for m in organization org-x on tokens per min (TPM): Limit 1,"
              + " Requested 2.");
  private static final String OOPS = OpenAiWire.error(500, "server_error", "oops");
  private static final Provider POOL = TestCatalog.keyed("alpha", "k-one", "k-two");
  private static final Catalog CATALOG = TestCatalog.of(POOL, TestCatalog.provider("beta"));

  @Test
  void theNextKeyIsAskedFirstAndThenTheNextProvider() {
    try (var scenario = Scenario.of(CATALOG)) {
      RecordedClient client = scenario.askPlain();
      assertThat(keysSent(scenario, "alpha.example")).hasSize(1);
      lastAskedAt(scenario, "alpha.example", REFUSED);
      assertThat(keysSent(scenario, "alpha.example")).containsExactlyInAnyOrder("k-one", "k-two");
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "beta.example", OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(outcomes(scenario))
          .containsExactly("alpha credential_refused", "alpha credential_refused", "beta ok");
      assertThat(scenario.nanos()).as("without a pause").isZero();
    }
  }

  /** Far more at once than the retry budget: each asks once more, and then the key is known. */
  @ParameterizedTest
  @ValueSource(ints = {401, 429})
  void everybodyWhoMetAKeyOfNoUseIsServedWithTheOther(int status) {
    String useless = OpenAiWire.error(status, "Retry-After: 30\r\n", "some_code", "no");
    try (var scenario = Scenario.of(TestCatalog.of(POOL))) {
      List<RecordedClient> clients = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        clients.add(scenario.askPlain());
      }
      answerAll(scenario, key -> key.equals("k-one") ? useless : OpenAiWire.completion("fine"));
      answerAll(scenario, _ -> OpenAiWire.completion("fine"));
      assertThat(clients).allSatisfy(client -> assertThat(client.whole().status()).isEqualTo(200));
      assertThat(scenario.requests()).isLessThan(240);
    }
  }

  @Test
  void aRequestAboveTheLimitOfAKeyCoolsNoKeyAndAnotherProviderIsAsked() {
    try (var scenario = Scenario.of(CATALOG)) {
      RecordedClient client = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", LIMIT_TOO_LOW);
      lastAskedAt(scenario, "beta.example", OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(outcomes(scenario)).containsExactly("alpha limit_too_low", "beta ok");
      RecordedClient smaller = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      assertThat(smaller.field("X-LLM-Provider")).isEqualTo("alpha");
    }
  }

  @Test
  void whereNoOtherProviderIsLeftEachKeyIsAskedOnceForARequestAboveItsLimit() {
    try (var scenario = Scenario.of(TestCatalog.of(POOL))) {
      RecordedClient client = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", LIMIT_TOO_LOW);
      assertThat(keysSent(scenario, "alpha.example")).containsExactlyInAnyOrder("k-one", "k-two");
      lastAskedAt(scenario, "alpha.example", LIMIT_TOO_LOW);
      assertThat(client.fault().code().wire()).isEqualTo("provider_rate_limited");
      assertThat(client.fault().retryAfterSeconds()).isPositive();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.PROVIDER_RATE_LIMITED);
      assertThat(client.fault().message()).as("who we are there").doesNotContain("org-x");
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(client.field("X-LLM-Routing-Reason")).contains("healthy=true");
      assertThat(scenario.requests()).isEqualTo(2);
      assertThat(scenario.nanos()).as("without a pause").isZero();
    }
  }

  @Test
  void whatAProviderCallsTooLargeIsCalledSo() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", LIMIT_TOO_LOW.replaceFirst("429", "413"));
      assertThat(client.fault().code().wire()).isEqualTo("request_too_large");
      assertThat(client.fault().shouldRetry()).isFalse();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.PROVIDER_REJECTED);
    }
  }

  /** Logged once, with the key's fingerprint instead of the key. */
  @Test
  void aRefusedKeyIsAnErrorInTheLog() {
    Logger logger = (Logger) LoggerFactory.getLogger(Placement.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try (var scenario = Scenario.of(CATALOG)) {
      scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      assertThat(log.list).hasSize(1);
      assertThat(log.list.getFirst().getLevel()).isEqualTo(Level.ERROR);
      assertThat(log.list.getFirst().getFormattedMessage())
          .contains("provider alpha refused key ", " with status 401")
          .doesNotContain("k-one", "k-two");
    } finally {
      logger.detachAppender(log);
    }
  }

  /** No request takes a key from all others, however the provider quotes it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Your account has been disabled",
        "your\\u0020account\\u0020has been DISABLED",
        "your account\\nhas  been \\\"disabled\\\""
      })
  void wordsOfTheAccountThatTheRequestContainsRefuseNoKey(String written) {
    String repeated =
        OpenAiWire.error(400, "bad_request", "Your account has been disabled: no such role");
    try (var scenario = Scenario.of(CATALOG)) {
      RecordedClient attacker =
          scenario.ask(TestCatalog.PLAIN_REQUEST.replace("Say something.", written));
      lastAskedAt(scenario, "alpha.example", repeated);
      assertThat(attacker.fault().code().wire()).isEqualTo("validation_failed");
      RecordedClient victim = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", repeated);
      lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      assertThat(victim.whole().status()).isEqualTo(200);
      assertThat(outcomes(scenario)).containsExactly("alpha credential_refused", "alpha ok");
    }
  }

  @Test
  void wordsOfTheAccountAboutARequestThatIsNotSearchedRefuseNoKeyWithoutACode() {
    String large = TestCatalog.PLAIN_REQUEST.replace("Say something.", "x".repeat(256 * 1024));
    String error = "{\"error\":\"Your account has been disabled\"}";
    try (var scenario = Scenario.of(CATALOG)) {
      RecordedClient client = scenario.ask(large);
      lastAskedAt(scenario, "alpha.example", OpenAiWire.response(400, "No", "", error));
      assertThat(client.fault().code().wire()).isEqualTo("validation_failed");
    }
  }

  @Test
  void aRefusedKeyIsNotUsedForOthersAndIsTriedByOneRequestAfterAMinute() {
    try (var scenario = Scenario.of(CATALOG)) {
      scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "beta.example", OpenAiWire.completion("fine"));
      RecordedClient second = scenario.askPlain();
      lastAskedAt(scenario, "beta.example", OpenAiWire.completion("fine"));
      assertThat(second.whole().status()).isEqualTo(200);
      assertThat(outcomes(scenario)).containsExactly("beta ok");

      scenario.passSeconds(60);
      RecordedClient probe = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      assertThat(probe.field("X-LLM-Provider")).isEqualTo("alpha");
    }
  }

  @Test
  void ifEveryKeyIsRefusedTheLastProviderIsAskedAllTheSame() {
    try (var scenario = Scenario.of(TestCatalog.of(POOL))) {
      RecordedClient first = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "alpha.example", REFUSED);
      assertThat(first.fault().code().status()).isEqualTo(502);
      assertThat(first.fault().shouldRetry()).isFalse();
      int requests = scenario.requests();

      RecordedClient second = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", REFUSED);
      assertThat(second.fault().code().status()).isEqualTo(502);
      assertThat(second.fault().shouldRetry()).isFalse();
      assertThat(scenario.requests()).as("as a last resort, once").isEqualTo(requests + 1);
      RecordedClient third = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      assertThat(third.whole().status()).as("somebody has mended the key").isEqualTo(200);
    }
  }

  @Test
  void asALastResortEachOfThoseWhoRefusedIsAskedInTurn() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "beta.example", REFUSED);
      scenario.passSeconds(1);
      RecordedClient second = scenario.askPlain();
      lastAskedAt(scenario, "alpha.example", REFUSED);
      lastAskedAt(scenario, "beta.example", OpenAiWire.completion("fine"));
      assertThat(second.whole().status()).isEqualTo(200);
      assertThat(outcomes(scenario)).containsExactly("alpha credential_refused", "beta ok");
    }
  }

  @Test
  void aKeyThatIsLimitedLeavesTheOtherInUse() {
    try (var scenario = Scenario.of(TestCatalog.of(POOL))) {
      RecordedClient client = scenario.askPlain();
      String limited = keysSent(scenario, "alpha.example").getFirst();
      lastAskedAt(
          scenario,
          "alpha.example",
          OpenAiWire.error(429, "Retry-After: 30\r\n", "rate_limit", "slow"));
      lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      assertThat(client.whole().status()).isEqualTo(200);
      for (int i = 0; i < 10; i++) {
        scenario.askPlain();
        lastAskedAt(scenario, "alpha.example", OpenAiWire.completion("fine"));
      }
      assertThat(keysSent(scenario, "alpha.example").stream().filter(limited::equals)).hasSize(1);
    }
  }

  /** Without a usable provider the other key does not help: the request ends, once. */
  @Test
  void aKeyIsRefusedByAProviderWhoseCircuitOpenedMeanwhile() {
    CircuitOptions usual = CircuitOptions.DEFAULT;
    Provider touchy =
        TestCatalog.with(
            POOL, new CircuitOptions(1, usual.window(), usual.openFor(), usual.openForMax()));
    try (var scenario = Scenario.of(TestCatalog.of(touchy))) {
      RecordedClient refused = scenario.askPlain();
      RecordedClient failed = scenario.askPlain();
      scenario.link(1).send(OOPS);
      scenario.passSeconds(1);
      assertThat(failed.fault().code().wire()).isEqualTo("provider_unavailable");
      scenario.link(0).send(REFUSED);
      assertThat(refused.fault().code().status()).isEqualTo(502);
      assertThat(scenario.requests()).isEqualTo(2);
    }
  }

  /** Every waiting request gets a reply, over the key that it was sent with. */
  private static void answerAll(Scenario scenario, UnaryOperator<String> reply) {
    scenario.run();
    for (ProviderLink link : List.copyOf(scenario.connector().links())) {
      if (link.isOpen() && link.isReadPending()) {
        link.send(reply.apply(lastKey(link)));
      }
    }
    scenario.run();
  }

  private static String lastKey(ProviderLink link) {
    return keys(link).reduce((earlier, later) -> later).orElseThrow();
  }

  private static void lastAskedAt(Scenario scenario, String host, String reply) {
    scenario.run();
    assertThat(scenario.leased()).isOne();
    scenario.connector().links().stream()
        .filter(link -> link.isOpen() && link.host().equals(host))
        .reduce((earlier, later) -> later)
        .orElseThrow(() -> new AssertionError(host + " was not asked"))
        .send(reply);
    scenario.run();
  }

  /** The keys that came with the requests to a host. */
  private static List<String> keysSent(Scenario scenario, String host) {
    scenario.run();
    return scenario.connector().links().stream()
        .filter(link -> link.host().equals(host))
        .flatMap(ProviderKeysTest::keys)
        .toList();
  }

  private static Stream<String> keys(ProviderLink link) {
    return link.received()
        .lines()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("authorization:"))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1));
  }

  private static List<String> outcomes(Scenario scenario) {
    return scenario.lastServed().attempts().stream()
        .map(attempt -> attempt.provider() + " " + attempt.outcome())
        .toList();
  }
}
