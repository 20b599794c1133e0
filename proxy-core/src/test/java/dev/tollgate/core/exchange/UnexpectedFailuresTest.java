package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.ScriptedConnector.ConnectBehavior;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A fault of the gateway's own ends its request, is logged once, and holds nothing. */
class UnexpectedFailuresTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(Exchange.class.getPackageName());
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
    logger.setAdditive(false);
  }

  @AfterEach
  void requireOneLine() {
    logger.setAdditive(true);
    logger.detachAppender(log);
    assertThat(log.list).hasSize(1);
    assertThat(log.list.getFirst().getFormattedMessage()).startsWith("request req_");
  }

  @Test
  void whileAStreamIsOpened() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askStream();
      client.failOn(Reply.Opened.class);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      requireEnded(scenario, client, 0);
      assertThat(scenario.links()).as("another provider would not help").isOne();
    }
  }

  @Test
  void whileAStreamFlows() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.event(OpenAiWire.content("one")));
      client.failOn(Reply.Piece.class);
      scenario.link(0).send(OpenAiWire.event(OpenAiWire.content("two")));
      assertThat(client.pieces().getLast()).contains("\"x_llm_usage_estimated\":true");
      requireEnded(scenario, client, scenario.served().usage().promptTokens() + 2 * 2);
    }
  }

  @Test
  void atTheEndOfAStream() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      client.failOn(Reply.Ended.class);
      scenario.link(0).send(OpenAiWire.STREAM_HEAD + OpenAiWire.wholeStream("one"));
      requireEnded(scenario, client, 9);
    }
  }

  @Test
  void withAPlainReply() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      client.failOn(Reply.Whole.class);
      scenario.link(0).send(OpenAiWire.completion("one"));
      requireEnded(scenario, client, 9);
      assertThat(scenario.record().status()).isEqualTo(500);
    }
  }

  @Test
  void atTheEndOfAPermit() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.limits(
          new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 0, 1), Rates.OFF, Map.of()));
      scenario.counters().failReleases();
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.completion("one"));
      assertThat(client.whole().body()).contains("\"x_llm_cost_micro\":9");
      assertThat(scenario.ledger().charged()).hasSize(1);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
    }
  }

  @Test
  void inAPing() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askStream();
      client.failOn(Reply.Opened.class);
      scenario.passSeconds(15);
      requireEnded(scenario, client, 0);
    }
  }

  @Test
  void whenAProviderIsSilent() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      client.failOn(Reply.Refused.class);
      scenario.passSeconds(60);
      requireEnded(scenario, client, 0);
    }
  }

  @Test
  void whenNoProviderIsReachable() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.connector().behavior("alpha.example", ConnectBehavior.NO_RESPONSE);
      RecordedClient client = scenario.askPlain();
      client.failOn(Reply.Refused.class);
      scenario.passSeconds(2);
      requireEnded(scenario, client, 0);
    }
  }

  @Test
  void beforeThereIsARoute() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askImpossible();
      assertThat(client.fault().code().wire()).isEqualTo("internal_error");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.INTERNAL_ERROR);
      assertThat(scenario.inflight().held()).isZero();
    }
  }

  /** What was delivered, or was durably charged already, is charged in spite of all. */
  private static void requireEnded(Scenario scenario, RecordedClient client, long cost) {
    assertThat(client.fault().code().wire()).isEqualTo("internal_error");
    assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.INTERNAL_ERROR);
    assertThat(scenario.served().cost().value()).isEqualTo(cost);
    scenario.passSeconds(20);
  }
}
