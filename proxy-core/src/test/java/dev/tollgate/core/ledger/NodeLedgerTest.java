package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Index.atIndex;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Admission by a node's ledger, and its reasons. */
class NodeLedgerTest {
  private boolean hasRoom = true;
  private long nanos;
  private final List<JournalRecord> written = new ArrayList<>();
  private final NodeLedger ledger =
      new NodeLedger(new Disk(), LedgerRules.DEFAULT, () -> nanos, () -> {});
  private final LeasePlanner planner = new LeasePlanner(ledger);

  @Test
  void aFullDiskIsAReasonAndAnUnreachableStoreIsNone() {
    assertThat(ledger.unavailableReason()).hasValue("The service is starting.");
    planner.begin(nanos);
    assertThat(ledger.unavailableReason()).isEmpty();
    hasRoom = false;
    assertThat(ledger.unavailableReason())
        .hasValue("The ledger's disk has no room, or is too slow.");
    hasRoom = true;
    nanos += Duration.ofHours(1).toNanos();
    assertThat(ledger.isOpen()).isFalse();
    assertThat(ledger.unavailableReason()).isEmpty();
  }

  @Test
  void theHeartbeatTimeoutCountsFromTheBeginOfTheAnsweredCall() {
    planner.begin(nanos);
    nanos += Duration.ofSeconds(30).toNanos();
    LeasePlanner.TickCall tick = planner.nextTick(nanos).orElseThrow();
    long began = nanos;
    nanos += Duration.ofSeconds(20).toNanos();
    planner.ticked(
        tick, new LedgerStore.TickAnswer.Accepted(0, List.of(), List.of(), List.of()), nanos);
    nanos = began + LedgerRules.DEFAULT.heartbeatTimeout().toNanos();
    assertThat(ledger.isOpen()).isTrue();
    nanos++;
    assertThat(ledger.isOpen()).isFalse();
  }

  @Test
  void aFencedNodeReportsTheReason() {
    planner.begin(nanos);
    nanos += Duration.ofSeconds(1).toNanos();
    LeasePlanner.TickCall tick = planner.nextTick(nanos).orElseThrow();
    planner.ticked(tick, new LedgerStore.TickAnswer.Fenced(), nanos);
    assertThat(ledger.unavailableReason()).hasValue("This node may not spend any more.");
  }

  @Test
  void aReservationIsJournaledOnlyWhenItsRequestBegins() {
    planner.begin(nanos);
    reserve().release();
    assertThat(written).isEmpty();
    Reservation ahead = reserve();
    ahead.begin();
    ahead.release();
    assertThat(written)
        .hasSize(2)
        .satisfies(
            record -> assertThat(record).isInstanceOf(JournalRecord.Reserve.class), atIndex(0))
        .satisfies(
            record -> assertThat(record).isInstanceOf(JournalRecord.Release.class), atIndex(1));
  }

  @Test
  void aFullJournalRefusesWithRetryAdvice() {
    planner.begin(nanos);
    hasRoom = false;
    List<Ledger.ReserveResult> answers = new ArrayList<>();

    ledger.reserve(
        RequestId.at(1_795_000_000_000L),
        TestCatalog.key(),
        MicroUsd.ZERO,
        Runnable::run,
        answers::add);

    var refused = (Ledger.ReserveResult.Refused) answers.getFirst();
    assertThat(refused.cause()).isEqualTo(Ledger.ReserveResult.RefusalCause.NODE_OVERLOADED);
    assertThat(refused.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
    assertThat(refused.fault().retryAfterSeconds()).isBetween(1, 5);
  }

  private Reservation reserve() {
    List<Ledger.ReserveResult> answers = new ArrayList<>();
    RequestId request = RequestId.at(1_795_000_000_000L);
    ledger.reserve(request, TestCatalog.key(), MicroUsd.ZERO, Runnable::run, answers::add);
    return ((Ledger.ReserveResult.Reserved) answers.getFirst()).reservation();
  }

  /** A journal that keeps its records. */
  private final class Disk implements Journal {
    @Override
    public boolean admits() {
      return hasRoom;
    }

    @Override
    public void write(JournalRecord record) {
      written.add(record);
    }

    @Override
    public void settle(Settlement settlement, Executor loop, Runnable durable) {
      throw new AssertionError(settlement);
    }

    @Override
    public List<Settlement> unsettled(int max) {
      return List.of();
    }

    @Override
    public void settled(int count) {}

    @Override
    public long backlog() {
      return 0;
    }
  }
}
