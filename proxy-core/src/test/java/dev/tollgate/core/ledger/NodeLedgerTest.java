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

/** What a node says of whether it can reserve. */
class NodeLedgerTest {
  private boolean hasRoom = true;
  private long nanos;
  private final List<JournalRecord> written = new ArrayList<>();
  private final NodeLedger ledger =
      new NodeLedger(new Disk(), LedgerRules.DEFAULT, () -> nanos, () -> {});
  private final Leasing leasing = new Leasing(ledger);

  @Test
  void aFullDiskIsAnObstacleAndBooksThatCannotBeReachedAreNone() {
    assertThat(ledger.obstacle()).hasValue("The service is starting.");
    leasing.begin(nanos);
    assertThat(ledger.obstacle()).isEmpty();
    hasRoom = false;
    assertThat(ledger.obstacle()).hasValue("The ledger's disk has no room, or is too slow.");
    hasRoom = true;
    nanos += Duration.ofHours(1).toNanos();
    assertThat(ledger.isOpen()).isFalse();
    assertThat(ledger.obstacle()).isEmpty();
  }

  @Test
  void aNodeCountsItsSilenceFromBeforeTheCallThatWasAnswered() {
    leasing.begin(nanos);
    nanos += Duration.ofSeconds(30).toNanos();
    Leasing.TickCall tick = leasing.nextTick(nanos).orElseThrow();
    long began = nanos;
    nanos += Duration.ofSeconds(20).toNanos();
    leasing.ticked(tick, new Bank.TickAnswer.Alive(0, List.of(), List.of(), List.of()), nanos);
    nanos = began + LedgerRules.DEFAULT.silenceMax().toNanos();
    assertThat(ledger.isOpen()).isTrue();
    nanos++;
    assertThat(ledger.isOpen()).isFalse();
  }

  @Test
  void aNodeThatIsFencedSaysSo() {
    leasing.begin(nanos);
    nanos += Duration.ofSeconds(1).toNanos();
    Leasing.TickCall tick = leasing.nextTick(nanos).orElseThrow();
    leasing.ticked(tick, new Bank.TickAnswer.Fenced(), nanos);
    assertThat(ledger.obstacle()).hasValue("This node may not spend any more.");
  }

  @Test
  void theJournalSeesAReservationOnlyWhenItsRequestGoesAhead() {
    leasing.begin(nanos);
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
  void whatTheJournalHasNoRoomForIsTurnedAwayForAMoment() {
    leasing.begin(nanos);
    hasRoom = false;
    List<Ledger.Answer> answers = new ArrayList<>();

    ledger.reserve(
        RequestId.at(1_795_000_000_000L),
        TestCatalog.key(),
        MicroUsd.ZERO,
        Runnable::run,
        answers::add);

    var refused = (Ledger.Answer.Refused) answers.getFirst();
    assertThat(refused.cause()).isEqualTo(Ledger.Answer.Cause.NO_ROOM);
    assertThat(refused.fault().code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
    assertThat(refused.fault().retryAfterSeconds()).isBetween(1, 5);
  }

  private Reservation reserve() {
    List<Ledger.Answer> answers = new ArrayList<>();
    RequestId request = RequestId.at(1_795_000_000_000L);
    ledger.reserve(request, TestCatalog.key(), MicroUsd.ZERO, Runnable::run, answers::add);
    return ((Ledger.Answer.Reserved) answers.getFirst()).reservation();
  }

  /** A journal that keeps what it was told. */
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
    public List<Settlement> unbooked(int max) {
      return List.of();
    }

    @Override
    public void booked(int count) {}

    @Override
    public long backlog() {
      return 0;
    }
  }
}
