package dev.tollgate.core.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Progress;
import dev.tollgate.core.ledger.JournalRecord.Release;
import dev.tollgate.core.ledger.JournalRecord.Reserve;
import dev.tollgate.core.ledger.JournalRecord.Settle;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.money.MicroUsd;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Charges that recovery finds in a dead node's records. */
class RecoveryTest {
  private static final OrgId ORG = new OrgId(new UUID(1, 2));
  private static final KeyId KEY = new KeyId("abcd1234");
  private static final RequestId A = RequestId.at(1_000);
  private static final RequestId B = RequestId.at(2_000);
  private static final Tokens SOME = new Tokens(10, 20, 0, 0, true);

  private final Recovery recovery = new Recovery();

  @Test
  void everyChargeIsSentAgain() {
    assertThat(costs(reserve(A), settle(A, 7), settle(B, 9))).containsExactly(7L, 9L);
    assertThat(recovery.crashed()).isEmpty();
  }

  @Test
  void nothingIsKeptOfRequestsThatEnded() {
    for (int i = 0; i < 1_000_000; i++) {
      RequestId request = RequestId.at(i);
      recovery.accept(reserve(request));
      recovery.accept(i % 2 == 0 ? new Release(request) : settle(request, 7));
    }
    recovery.accept(reserve(A));
    assertThat(recovery.runningCount()).isOne();
  }

  @Test
  void aRunningRequestIsChargedItsLastProgress() {
    assertThat(costs(reserve(A), reserve(B), progress(A, 3), progress(A, 5), progress(B, 1)))
        .isEmpty();

    List<Settlement> crashed = recovery.crashed();

    assertThat(crashed).extracting(Settlement::request).containsExactly(A, B);
    Settlement first = crashed.getFirst();
    assertThat(first.cost()).isEqualTo(new MicroUsd(5));
    assertThat(first.reserved()).isEqualTo(new MicroUsd(100));
    assertThat(first.scopeKinds()).isEqualTo(5);
    assertThat(first.tokens()).isEqualTo(SOME);
    assertThat(first.how()).isEqualTo(SettlementKind.CRASH);
    assertThat(first.org()).isEqualTo(ORG);
    assertThat(first.key()).isEqualTo(KEY);
    assertThat(first.window()).isEqualTo(Window.at(A.epochMillis()));
    assertThat(new String(first.row(), UTF_8))
        .isEqualTo(
            """
            {"ts":"1970-01-01T00:00:01Z","request_id":"%s","outcome":"internal_error",\
            "org":"%s","key_id":"abcd1234","prompt_tokens":10,"completion_tokens":20,\
            "cached_tokens":0,"reasoning_tokens":0,"estimated":true,"cost_micro":5}"""
                .formatted(A.value(), ORG));
  }

  @Test
  void aRunningRequestWithoutProgressIsNotCharged() {
    assertThat(costs(reserve(A), reserve(B), progress(B, 0))).isEmpty();
    assertThat(recovery.crashed()).isEmpty();
  }

  @Test
  void anEndedRequestIsNotChargedForItsProgress() {
    assertThat(
            costs(
                reserve(A),
                progress(A, 3),
                new Release(A),
                reserve(B),
                progress(B, 4),
                settle(B, 6)))
        .containsExactly(6L);
    assertThat(recovery.crashed()).isEmpty();
  }

  @Test
  void progressWithoutAReservationIsIgnored() {
    assertThat(costs(progress(A, 3))).isEmpty();
    assertThat(recovery.crashed()).isEmpty();
  }

  private List<Long> costs(JournalRecord... records) {
    List<Long> costs = new ArrayList<>();
    for (JournalRecord record : records) {
      recovery.accept(record).ifPresent(charge -> costs.add(charge.cost().value()));
    }
    return costs;
  }

  private static Reserve reserve(RequestId request) {
    return new Reserve(request, ORG, KEY, 5, new MicroUsd(100));
  }

  private static Progress progress(RequestId request, long cost) {
    return new Progress(request, new MicroUsd(cost), SOME);
  }

  private static Settle settle(RequestId request, long cost) {
    return new Settle(
        new Settlement(
            request,
            ORG,
            KEY,
            5,
            new MicroUsd(100),
            new MicroUsd(cost),
            SOME,
            SettlementKind.COMPLETED,
            new byte[0]));
  }
}
