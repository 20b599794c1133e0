package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What a node says of whether it can reserve. */
class NodeLedgerTest {
  private boolean hasRoom = true;
  private long nanos;
  private final NodeLedger ledger =
      new NodeLedger(new Disk(), LedgerRules.DEFAULT, () -> nanos, () -> {});
  private final Leasing leasing = new Leasing(ledger);

  @Test
  void aFullDiskIsAnObstacleAndBooksThatCannotBeReachedAreNone() {
    assertThat(ledger.obstacle()).hasValue("The service is starting.");
    leasing.begin(nanos);
    assertThat(ledger.obstacle()).isEmpty();
    hasRoom = false;
    assertThat(ledger.obstacle()).hasValue("The ledger's disk has no room.");
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
    leasing.ticked(tick, new Bank.TickAnswer.Alive(0, List.of(), List.of()), nanos);
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

  /** A journal that is written to by nobody. */
  private final class Disk implements Journal {
    @Override
    public boolean admits() {
      return hasRoom;
    }

    @Override
    public void write(JournalRecord record) {
      throw new AssertionError(record);
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
