package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LeaseGrowth;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.settings.LedgerSettings;
import dev.tollgate.server.settings.LedgerSettings.Batch;
import dev.tollgate.server.settings.LedgerSettings.Durability;
import dev.tollgate.server.settings.LedgerSettings.Retention;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Charges reach the ledger store in order, once each, despite failures and poisoned charges. */
class SettlerTest {
  private static final Duration FLUSH = Duration.ofMillis(50);
  private static final LeaseHolder HOLDER = new LeaseHolder(new UUID(1, 1), 3, new UUID(2, 2));
  private static final LedgerSettings SETTINGS =
      new LedgerSettings(
          Durability.FSYNC,
          FLUSH,
          new Batch(5, 20),
          new Retention(Duration.ofHours(1), 1),
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          new LedgerSettings.DayRetention(
              Duration.ofDays(90), new LedgerSettings.LogRetention(Duration.ofDays(35), 0)),
          Duration.ofHours(1));

  private final Waiting waiting = new Waiting();
  private final ScriptedLedgerStore ledgerStore = new ScriptedLedgerStore();
  private final SteppedSleeper sleeper = new SteppedSleeper();
  private final List<Long> quarantine = new ArrayList<>();
  private final RecordingListener recorded = new RecordingListener();
  private final SettlementWriter writer =
      new SettlementWriter(
          ledgerStore, (_, settlement, _) -> quarantine.add(settlement.cost().value()), sleeper);
  private long wallMillis = TestRecords.request().epochMillis();
  private final Settler settler =
      new Settler(
          waiting,
          HOLDER,
          writer,
          recorded,
          SETTINGS,
          sleeper,
          () -> Instant.ofEpochMilli(wallMillis));

  @Test
  void fewChargesAreSettledEveryFlushInterval() {
    waiting.add(1, 2);
    settler.step();
    settler.step();

    assertThat(ledgerStore.settledCosts).containsExactly(1L, 2L);
    assertThat(ledgerStore.batches).containsExactly(2);
    assertThat(sleeper.taken).containsExactly(FLUSH, FLUSH);
    assertThat(recorded.settledCosts).containsExactly(1L, 2L);
  }

  @Test
  void aBacklogIsSettledInFullBatchesWithoutAPause() {
    waiting.add(LongStream.rangeClosed(1, 50).toArray());
    settler.step();
    settler.step();

    assertThat(ledgerStore.batches).containsExactly(20, 20);
    assertThat(sleeper.taken).isEmpty();
    assertThat(settler.stats().backlog()).isEqualTo(10);
  }

  @Test
  void theSameChargesAreSentAgainWhileTheStoreIsDown() {
    waiting.add(1, 2, 3);
    ledgerStore.failures = 8;
    settler.step();

    assertThat(ledgerStore.batches).containsExactly(3, 3, 3, 3, 3, 3, 3, 3, 3);
    assertThat(sleeper.taken.subList(0, 8).stream().mapToLong(Duration::toMillis))
        .containsExactly(50L, 100L, 200L, 400L, 800L, 1_600L, 2_000L, 2_000L);
    assertThat(ledgerStore.settledCosts).containsExactly(1L, 2L, 3L);
    assertThat(settler.stats().lastFlush()).isEqualTo(Duration.ofMillis(7_150));
  }

  @Test
  void aBatchThatTakesTheStoreTooLongIsSentInPartsThatGrowAgain() {
    waiting.add(LongStream.rangeClosed(1, 16).toArray());
    ledgerStore.most = 4;
    ledgerStore.poison = settlement -> settlement.cost().value() == 6;
    settler.step();
    assertThat(ledgerStore.settledCosts).hasSize(15).doesNotContain(6L).isSorted();
    assertThat(quarantine).containsExactly(6L);
    assertThat(waiting.backlog()).isZero();
    assertThat(ledgerStore.batches).startsWith(16, 16, 8, 8, 4, 4);

    ledgerStore.most = Integer.MAX_VALUE;
    waiting.add(LongStream.rangeClosed(17, 516).toArray());
    while (waiting.backlog() > 0) {
      settler.step();
    }
    assertThat(ledgerStore.settledCosts).hasSize(515).isSorted();
    assertThat(ledgerStore.batches.getLast()).isEqualTo(20);
  }

  @Test
  void theAgeOfTheOldestGrowsDuringAnOutage() {
    waiting.add(1);
    ledgerStore.failures = 3;
    List<Long> ages = new ArrayList<>();
    sleeper.during = () -> ages.add(settler.stats().oldest().toMillis());
    settler.step();

    assertThat(ages.subList(0, 3)).containsExactly(50L, 150L, 350L);
    assertThat(settler.stats().oldest()).isZero();
  }

  @Test
  void chargesOfAnOutageKeepTheirAgeUntilTheyAreSettled() {
    Duration outage = Duration.ofHours(3);
    wallMillis += outage.toMillis();
    waiting.add(LongStream.rangeClosed(1, 40).toArray());
    settler.step();
    assertThat(waiting.backlog()).isEqualTo(20);
    assertThat(settler.stats().oldest()).isEqualTo(outage);
    assertThat(settler.stats().unsettledAge()).isEqualTo(outage);

    settler.step();
    assertThat(settler.stats().oldest()).isZero();
    assertThat(settler.stats().unsettledAge()).isZero();
  }

  @Test
  void theAgeOfALongRequestIsNotItsWait() {
    wallMillis += Duration.ofHours(1).toMillis();
    waiting.add(1);
    ledgerStore.failures = 1;
    List<Duration> figures = new ArrayList<>();
    sleeper.during =
        () -> {
          figures.add(settler.stats().oldest());
          figures.add(settler.stats().unsettledAge());
        };
    settler.step();
    assertThat(figures.subList(0, 2)).containsExactly(Duration.ofMillis(50), Duration.ofHours(1));
  }

  @Test
  void onlyRejectedChargesGoToQuarantine() {
    waiting.add(LongStream.rangeClosed(1, 16).toArray());
    ledgerStore.poison = settlement -> settlement.cost().value() % 7 == 3;
    settler.step();

    assertThat(quarantine).containsExactly(3L, 10L);
    assertThat(recorded.quarantined).containsExactly(3L, 10L);
    assertThat(ledgerStore.settledCosts).hasSize(14).doesNotContain(3L, 10L).isSorted();
    assertThat(recorded.settledCosts).isEqualTo(ledgerStore.settledCosts);
    assertThat(waiting.backlog()).isZero();
    assertThat(settler.stats().quarantined()).isEqualTo(2);
  }

  @Test
  void overrunsAreCounted() {
    waiting.add(999, 1_000, 1_007, 1_500);
    ledgerStore.failures = 1;
    settler.step();

    assertThat(ledgerStore.settledCosts).hasSize(4);
    assertThat(settler.stats().overruns()).isEqualTo(2);
    assertThat(settler.stats().overrunMicro()).isEqualTo(507);
  }

  @Test
  void aRejectedLogRowDoesNotAffectItsCharge() {
    waiting.add(1);
    waiting.queue.add(TestRecords.charge(TestRecords.request(), 2, new byte[] {'{'}));
    waiting.add(3);
    ledgerStore.poison = settlement -> settlement.row().length > 0;
    settler.step();

    assertThat(quarantine).isEmpty();
    assertThat(ledgerStore.settledCosts).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(recorded.settledCosts).containsExactlyInAnyOrder(1L, 2L, 3L);
  }

  @Test
  void aChargeInQuarantineKeepsItsLogRow() {
    byte[] row = {'{', '}'};
    waiting.queue.add(TestRecords.charge(TestRecords.request(), 2, row));
    ledgerStore.poison = _ -> true;
    settler.step();

    assertThat(quarantine).containsExactly(2L);
    assertThat(recorded.rows).containsExactly(row);
  }

  @Test
  void aStopDuringAnOutageLeavesTheChargesInTheJournal() {
    waiting.add(1, 2);
    ledgerStore.failures = Integer.MAX_VALUE;
    sleeper.during = writer::stop;
    settler.step();

    assertThat(waiting.backlog()).isEqualTo(2);
    assertThat(recorded.settledCosts).isEmpty();
  }

  /** Source of charges without a journal. */
  private static final class Waiting implements ChargeSource {
    private final Deque<Settlement> queue = new ArrayDeque<>();

    void add(long... costs) {
      for (long cost : costs) {
        queue.add(TestRecords.charge(cost));
      }
    }

    @Override
    public List<Settlement> unsettled(int max) {
      return queue.stream().limit(max).toList();
    }

    @Override
    public void settled(int count) {
      for (int i = 0; i < count; i++) {
        queue.removeFirst();
      }
    }

    @Override
    public long backlog() {
      return queue.size();
    }
  }

  private static final class RecordingListener implements SettlerListener {
    private final List<Long> settledCosts = new ArrayList<>();
    private final List<Long> quarantined = new ArrayList<>();
    private final List<byte[]> rows = new ArrayList<>();

    @Override
    public void settled(List<Settlement> settlements, List<LeaseGrowth> overruns) {
      settlements.forEach(settlement -> settledCosts.add(settlement.cost().value()));
    }

    @Override
    public void quarantined(Settlement settlement) {
      quarantined.add(settlement.cost().value());
      rows.add(settlement.row());
    }
  }
}
