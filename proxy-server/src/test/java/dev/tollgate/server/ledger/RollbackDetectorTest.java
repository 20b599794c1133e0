package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.LedgerWatermark;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.NodeCheckpoints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Checks of the ledger store once a second, which also advance the checkpoint. */
class RollbackDetectorTest {
  private static final LedgerStoreIdentity STORE = new LedgerStoreIdentity("i", "s", "1");
  private static final LeaseHolder HOLDER = new LeaseHolder(new UUID(0, 1), 5, new UUID(0, 7));

  private final Books ledgerDatabase = new Books();
  private final Segments segments = new Segments();
  private final SteppedSleeper clock = new SteppedSleeper();
  private final List<String> rollbacks = new ArrayList<>();
  private final RollbackDetector detector =
      new RollbackDetector(ledgerDatabase, HOLDER, STORE, segments, rollbacks::add, clock);

  @Test
  void theStoreIsCheckedOnceASecond() {
    for (int round = 0; round < 100; round++) {
      clock.pause(Duration.ofMillis(50));
      detector.check();
    }
    assertThat(ledgerDatabase.looks).isEqualTo(5);
    assertThat(ledgerDatabase.raised).isEmpty();
    assertThat(rollbacks).isEmpty();
  }

  @Test
  void theCheckpointAdvancesInTheStoreAndTheJournal() {
    segments.neededFrom = 4;
    turnAfterASecond();
    turnAfterASecond();
    assertThat(ledgerDatabase.raised).containsExactly(4L);
    assertThat(segments.marked).containsExactly(4L);

    segments.neededFrom = 6;
    detector.checkLast();
    assertThat(segments.marked).containsExactly(4L, 6L);
  }

  @Test
  void withoutAnAnswerNothingIsReportedOrRecorded() {
    segments.neededFrom = 4;
    ledgerDatabase.down = true;
    turnAfterASecond();
    assertThat(segments.marked).isEmpty();
    assertThat(rollbacks).isEmpty();

    ledgerDatabase.down = false;
    turnAfterASecond();
    assertThat(segments.marked).containsExactly(4L);
  }

  @Test
  void aLostBatchIsReportedOnceAndEndsCheckpoints() {
    ledgerDatabase.count.batchSettled(2);
    ledgerDatabase.batches = 1;
    segments.neededFrom = 4;
    turnAfterASecond();
    turnAfterASecond();
    detector.checkLast();
    assertThat(rollbacks)
        .containsExactly("the ledger store has 1 of 2 acknowledged batches of charges");
    assertThat(segments.marked).isEmpty();
  }

  @Test
  void aBatchThatWasCountedTwiceIsReportedAtOnce() {
    ledgerDatabase.count.batchSettled(2);
    ledgerDatabase.count.batchSettled(2);
    detector.check();
    assertThat(rollbacks).hasSize(1);
    assertThat(ledgerDatabase.looks).isZero();
  }

  @Test
  void aFencedProcessIsDiagnosedByTheCheckpoint() {
    List<String> verdicts = new ArrayList<>();
    Runnable takenOver = () -> verdicts.add("taken over");
    Runnable released = () -> verdicts.add("released");
    detector.diagnose(takenOver, released);
    assertThat(verdicts).containsExactly("released");

    ledgerDatabase.epoch = 6;
    detector.diagnose(takenOver, released);
    assertThat(verdicts).containsExactly("released", "taken over");
    assertThat(rollbacks).isEmpty();

    ledgerDatabase.epoch = 3;
    detector.diagnose(takenOver, released);
    assertThat(verdicts).hasSize(2);
    assertThat(rollbacks).hasSize(1);
  }

  @Test
  void aBatchThatIsSettledDuringADiagnosisIsNotMissed() {
    ledgerDatabase.afterLook = () -> ledgerDatabase.count.batchSettled(1);
    List<String> verdicts = new ArrayList<>();
    detector.diagnose(() -> verdicts.add("taken over"), () -> verdicts.add("released"));
    assertThat(verdicts).containsExactly("released");
    assertThat(rollbacks).isEmpty();
  }

  @Test
  void aStoreThatDoesNotAnswerCountsAsRolledBack() {
    ledgerDatabase.down = true;
    detector.diagnose(() -> rollbacks.add("taken over"), () -> rollbacks.add("released"));
    assertThat(rollbacks)
        .containsExactly("the ledger store does not know this process and gives no reason");
    assertThat(clock.nanoTime()).isEqualTo(Duration.ofSeconds(10).toNanos());
  }

  private void turnAfterASecond() {
    clock.pause(Duration.ofSeconds(1));
    detector.check();
  }

  private static final class Segments implements RollbackDetector.CheckpointedJournal {
    private final List<Long> marked = new ArrayList<>();
    private long neededFrom = 1;

    @Override
    public long neededFrom() {
      return neededFrom;
    }

    @Override
    public void checkpointed(long keptFrom) {
      marked.add(keptFrom);
    }
  }

  private static final class Books implements NodeCheckpoints {
    private final List<Long> raised = new ArrayList<>();
    private final LedgerWatermark count = new LedgerWatermark();
    private int looks;
    private boolean down;
    private Runnable afterLook = () -> {};
    private long epoch = HOLDER.epoch();
    private long batches;
    private long keptFrom = 1;

    @Override
    public NodeCheckpoint read(UUID node) throws LedgerStoreException {
      if (down) {
        throw new LedgerStoreException(
            LedgerStoreException.Kind.TRANSIENT, "down", new Exception("cut"));
      }
      looks++;
      NodeCheckpoint checkpoint =
          new NodeCheckpoint(STORE, epoch, Optional.of(HOLDER.boot()), batches, keptFrom);
      afterLook.run();
      return checkpoint;
    }

    @Override
    public NodeCheckpoint advance(
        LeaseHolder holder, LedgerStoreIdentity initialIdentity, long from)
        throws LedgerStoreException {
      if (!down && batches >= count.batches()) {
        raised.add(from);
        keptFrom = from;
      }
      return read(holder.node());
    }

    @Override
    public LedgerWatermark watermark() {
      return count;
    }
  }
}
