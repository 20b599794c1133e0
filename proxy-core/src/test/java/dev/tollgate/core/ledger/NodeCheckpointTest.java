package dev.tollgate.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.NodeCheckpoint.CheckpointVerdict;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Checkpoints of a node and identities of the ledger store, and what they mean for an epoch. */
class NodeCheckpointTest {
  private static final LedgerStoreIdentity STORE = new LedgerStoreIdentity("i", "s", "1");
  private static final UUID BOOT = new UUID(0, 7);
  private static final LeaseHolder HOLDER = new LeaseHolder(new UUID(0, 1), 5, BOOT);

  @Test
  void aStoreWithTheEpochAndAllItsBatchesIsTheSame() {
    assertThat(after(checkpoint(STORE, 5, BOOT, 9), 9)).isInstanceOf(CheckpointVerdict.Same.class);
    assertThat(after(checkpoint(STORE, 5, BOOT, 10), 9))
        .as("an answer was lost on its way")
        .isInstanceOf(CheckpointVerdict.Same.class);
  }

  @Test
  void aLostBatchAndALostEpochAreRollbacks() {
    assertThat(after(checkpoint(STORE, 5, BOOT, 8), 9))
        .isEqualTo(
            new CheckpointVerdict.RolledBack(
                "the ledger store has 8 of 9 acknowledged batches of charges"));
    assertThat(after(checkpoint(STORE, 4, new UUID(0, 6), 20), 9))
        .isInstanceOf(CheckpointVerdict.RolledBack.class);
    assertThat(after(new NodeCheckpoint(STORE, 0, Optional.empty(), 0, 1), 0))
        .isInstanceOf(CheckpointVerdict.RolledBack.class);
  }

  @Test
  void aPromotedReplicaAndAnotherDatabaseAreRollbacksWhateverTheyHave() {
    for (LedgerStoreIdentity other :
        new LedgerStoreIdentity[] {
          new LedgerStoreIdentity("i", "s", "2"),
          new LedgerStoreIdentity("i", "t", "1"),
          new LedgerStoreIdentity("j", "s", "1")
        }) {
      assertThat(after(checkpoint(other, 5, BOOT, 9), 9))
          .isInstanceOf(CheckpointVerdict.RolledBack.class);
      assertThat(after(checkpoint(other, 6, BOOT, 9), 9))
          .isInstanceOf(CheckpointVerdict.RolledBack.class);
    }
  }

  @Test
  void unknownPartsDoNotDiffer() {
    assertThat(STORE.differsFrom(new LedgerStoreIdentity("i", "", ""))).isFalse();
    assertThat(STORE.differsFrom(LedgerStoreIdentity.UNKNOWN)).isFalse();
    assertThat(new LedgerStoreIdentity("j", "", "").differsFrom(STORE)).isTrue();
  }

  @Test
  void aLaterEpochAndAnotherBootTookOver() {
    assertThat(after(checkpoint(STORE, 6, new UUID(0, 8), 0), 9))
        .isInstanceOf(CheckpointVerdict.TakenOver.class);
    assertThat(after(checkpoint(STORE, 5, new UUID(0, 8), 9), 9))
        .isInstanceOf(CheckpointVerdict.TakenOver.class);
  }

  @Test
  void aRepeatedCountMeansThatABatchIsLost() {
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

  private static CheckpointVerdict after(NodeCheckpoint checkpoint, long batches) {
    return checkpoint.check(HOLDER, STORE, batches);
  }

  private static NodeCheckpoint checkpoint(
      LedgerStoreIdentity store, long epoch, UUID boot, long batches) {
    return new NodeCheckpoint(store, epoch, Optional.of(boot), batches, 1);
  }
}
