package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.NodeCheckpoint.CheckpointVerdict;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Checkpoints of a node and identities of the ledger store, and what they mean for an epoch. */
class NodeCheckpointTest {
  private static final LedgerStoreIdentity BOOKS = new LedgerStoreIdentity("i", "s", "1");
  private static final UUID BOOT = new UUID(0, 7);
  private static final LeaseHolder HOLDER = new LeaseHolder(new UUID(0, 1), 5, BOOT);

  @Test
  void theSameBooksThatKnowTheLifeAndAllItsBatchesAreTheSame() {
    assertThat(after(mark(BOOKS, 5, BOOT, 9), 9)).isInstanceOf(CheckpointVerdict.Same.class);
    assertThat(after(mark(BOOKS, 5, BOOT, 10), 9))
        .as("an answer was lost on its way")
        .isInstanceOf(CheckpointVerdict.Same.class);
  }

  @Test
  void aBatchThatIsGoneAndAStartThatIsGoneWentBack() {
    assertThat(after(mark(BOOKS, 5, BOOT, 8), 9))
        .isEqualTo(
            new CheckpointVerdict.RolledBack(
                "the ledger store has 8 of 9 acknowledged batches of charges"));
    assertThat(after(mark(BOOKS, 4, new UUID(0, 6), 20), 9))
        .isInstanceOf(CheckpointVerdict.RolledBack.class);
    assertThat(after(new NodeCheckpoint(BOOKS, 0, Optional.empty(), 0, 1), 0))
        .isInstanceOf(CheckpointVerdict.RolledBack.class);
  }

  @Test
  void aPromotedReplicaAndAnotherDatabaseWentBackWhateverTheyKnow() {
    for (LedgerStoreIdentity other :
        new LedgerStoreIdentity[] {
          new LedgerStoreIdentity("i", "s", "2"),
          new LedgerStoreIdentity("i", "t", "1"),
          new LedgerStoreIdentity("j", "s", "1")
        }) {
      assertThat(after(mark(other, 5, BOOT, 9), 9))
          .isInstanceOf(CheckpointVerdict.RolledBack.class);
      assertThat(after(mark(other, 6, BOOT, 9), 9))
          .isInstanceOf(CheckpointVerdict.RolledBack.class);
    }
  }

  @Test
  void whatMayNotBeAskedForDoesNotDiffer() {
    assertThat(BOOKS.differsFrom(new LedgerStoreIdentity("i", "", ""))).isFalse();
    assertThat(BOOKS.differsFrom(LedgerStoreIdentity.UNKNOWN)).isFalse();
    assertThat(new LedgerStoreIdentity("j", "", "").differsFrom(BOOKS)).isTrue();
  }

  @Test
  void aLaterLifeAndAnotherBootTookOver() {
    assertThat(after(mark(BOOKS, 6, new UUID(0, 8), 0), 9))
        .isInstanceOf(CheckpointVerdict.TakenOver.class);
    assertThat(after(mark(BOOKS, 5, new UUID(0, 8), 9), 9))
        .isInstanceOf(CheckpointVerdict.TakenOver.class);
  }

  @Test
  void aCountThatWasHeardBeforeMeansThatABatchIsLost() {
    LedgerWatermark count = new LedgerWatermark();
    count.batchSettled(1);
    count.batchSettled(3);
    assertThat(count.loss()).as("the answer to the second was lost").isEmpty();
    count.batchSettled(3);
    assertThat(count.loss()).isPresent();
    assertThat(count.batches()).isEqualTo(3);
    count.reset();
    assertThat(count.loss()).isEmpty();
  }

  private static CheckpointVerdict after(NodeCheckpoint mark, long batches) {
    return mark.check(HOLDER, BOOKS, batches);
  }

  private static NodeCheckpoint mark(
      LedgerStoreIdentity books, long epoch, UUID boot, long batches) {
    return new NodeCheckpoint(books, epoch, Optional.of(boot), batches, 1);
  }
}
