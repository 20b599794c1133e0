package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.AccountBalance;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** GET /v1/key and GET /v1/credits: one reply, however the ledger store answers. */
class AccountQueryTest {
  private static final Map<ScopeKind, AccountBalance.ScopeBalance> SUMS =
      Map.of(
          ScopeKind.ORG, sum(10_000_000L, 250, 40),
          ScopeKind.ORG_MONTH, sum(null, 200, 0),
          ScopeKind.KEY_DAY, sum(1_000L, 900, 150));

  @Test
  void theKeyIsAnsweredWithItsLimitsAndBudgets() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(Endpoint.KEY);
      assertThat(client.isAnswered()).isFalse();
      scenario.accountBalances().respond(SUMS);
      scenario.run();

      assertThat(client.whole().status()).isEqualTo(200);
      assertThat(client.whole().body())
          .isEqualTo(
              """
              {"object":"key","id":"abcdefgh","name":"test","last_four":"wxyz",\
              "org":{"id":"00000000-0000-0001-0000-000000000002","name":"org"},\
              "state":"active","expires_at":null,"allowed_models":[],"allowed_modalities":[],\
              "allowed_ips":[],"limits":{"requests_per_second":null,"requests_per_minute":null,\
              "tokens_per_minute":null,"concurrency":null},"rates":[],\
              "budgets":{"daily":{"limit_micro":1000,"spent_micro":900,"reserved_micro":150,\
              "running_micro":100,"settling_micro":20,"remaining_micro":-50,"resets_at":"2023-11-15T00:00:00Z"},\
              "monthly":{"limit_micro":null,"spent_micro":0,"reserved_micro":0,\
              "running_micro":0,"settling_micro":0,"remaining_micro":null,"resets_at":"2023-12-01T00:00:00Z"}}}""");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.OK);
      assertThat(scenario.record().route()).isEqualTo("/v1/key");
    }
  }

  @Test
  void theReplyReportsTheBucketsOfTheKey() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.keyLimits(new KeyLimits(null, 600, 6_000L, 1, null, null));
      RecordedClient running = scenario.askPlain();
      running.disconnect(DisconnectReason.ABORTED); // has used the 11 tokens of its prompt
      scenario.counters().holdAnswers();
      RecordedClient client = scenario.get(Endpoint.KEY);
      scenario.accountBalances().respond(SUMS);
      scenario.run();
      assertThat(client.isAnswered()).isFalse();
      scenario.counters().answer();

      assertThat(client.whole().body())
          .contains(
              """
              "rates":[{"scope":"key","limit":600,"unit":"requests_per_minute",\
              "remaining":599,"reset":"0.1s"},\
              {"scope":"key","limit":6000,"unit":"tokens_per_minute",\
              "remaining":5989,"reset":"0.11s"}],""");
    }
  }

  @Test
  void aKeyQueryIsAnsweredWithoutCounters() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      scenario.keyLimits(new KeyLimits(null, 600, null, null, null, null));
      scenario.counters().setUnavailable();
      RecordedClient client = scenario.get(Endpoint.KEY);
      scenario.accountBalances().respond(SUMS);
      scenario.run();
      assertThat(client.whole().body()).contains("\"rates\":null,");
    }
  }

  @Test
  void creditsAreWhatWasPaidInLessWhatWasUsed() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(Endpoint.CREDITS);
      scenario.accountBalances().respond(SUMS);
      scenario.run();

      assertThat(client.whole().body())
          .contains("\"balance_micro\":9999750,\"reserved_micro\":40,")
          .contains("\"monthly_limit_micro\":null,\"monthly_spent_micro\":200,")
          .endsWith("\"monthly_resets_at\":\"2023-12-01T00:00:00Z\"}");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"KEY", "CREDITS"})
  void booksThatCannotBeAskedAre503(Endpoint endpoint) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(endpoint);
      scenario.accountBalances().fail();
      scenario.run();
      requireUnavailable(scenario, client);
    }
  }

  @Test
  void booksThatSayNothingAre503AfterTwoSecondsAndAreNotHeardLater() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(Endpoint.CREDITS);
      scenario.passMillis(1_900);
      assertThat(client.isAnswered()).isFalse();
      scenario.passMillis(100);
      requireUnavailable(scenario, client);
      scenario.accountBalances().respond(SUMS);
    }
  }

  @Test
  void aDisconnectIsRecordedOnceWithoutAReply() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(Endpoint.KEY);
      assertThat(scenario.inflight().held()).isZero();
      client.disconnect(DisconnectReason.ABORTED);
      scenario.accountBalances().respond(SUMS);
      scenario.run();
      assertThat(client.isAnswered()).isFalse();
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.CLIENT_ABORT);
      assertThat(scenario.record().status()).isZero();
    }
  }

  @Test
  void aNodeThatStopsSaysSo() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(Endpoint.KEY);
      client.cutShort(Fault.of(ErrorCode.SERVICE_UNAVAILABLE, "stopping"));
      scenario.accountBalances().fail();
      scenario.run();
      assertThat(client.fault().message()).isEqualTo("stopping");
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DRAINED);
    }
  }

  @Test
  void anInternalFaultIsReported() {
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.get(Endpoint.KEY);
      client.failOn(Reply.Whole.class);
      scenario.accountBalances().respond(SUMS);
      scenario.run();
      assertThat(client.fault().code()).isEqualTo(ErrorCode.INTERNAL_FAILURE);
      assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.INTERNAL_ERROR);
    }
  }

  private static void requireUnavailable(Scenario scenario, RecordedClient client) {
    assertThat(client.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
    assertThat(scenario.record().outcome()).isEqualTo(RequestOutcome.DEPENDENCY_DOWN);
    assertThat(scenario.record().status()).isEqualTo(503);
  }

  private static AccountBalance.ScopeBalance sum(@Nullable Long limit, long used, long leased) {
    var held = new AccountBalance.HeldHere(new MicroUsd(30), new MicroUsd(leased * 2 / 3));
    return AccountBalance.ScopeBalance.of(
        limit == null ? null : new MicroUsd(limit),
        new MicroUsd(used),
        new MicroUsd(leased),
        new MicroUsd(leased),
        held);
  }
}
