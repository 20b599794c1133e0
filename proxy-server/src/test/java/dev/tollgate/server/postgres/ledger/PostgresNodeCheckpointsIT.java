package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.NodeCheckpoint.CheckpointVerdict;
import dev.tollgate.core.ledger.NodeCheckpoints;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Identity of a real database, its checkpoint of a node, and reports that it ignores. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresNodeCheckpointsIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private PostgresLedgerStore ledgerStore;
  private NodeCheckpoints checkpoints;
  private LeaseHolder holder;
  private LedgerStoreIdentity identity;
  private OrgId org;
  private KeyId key;

  @BeforeEach
  void begin() throws Exception {
    org = testStore.newOrg();
    key = testStore.newKey(org);
    ledgerStore = testStore.ledgerStore();
    checkpoints = ledgerStore.checkpoints();
    holder = ledgerStore.open(UUID.randomUUID(), UUID.randomUUID());
    identity = checkpoints.read(holder.node()).store();
    checkpoints.advance(holder, identity, 1);
  }

  @Test
  void itIdentifiesItsDatabaseAndTimeline() {
    assertThat(identity.incarnation()).hasSize(36);
    assertThat(identity.system()).matches("\\d{18,20}");
    assertThat(identity.timeline()).matches("[0-9A-F]{8}");
  }

  @Test
  void aRoleThatMayNotAskKnowsTheIncarnationAlone() throws Exception {
    try (TestLedgerStore aside = TestLedgerStore.open()) {
      aside.execute(
          "CREATE FUNCTION pg_control_system(OUT system_identifier bigint) LANGUAGE plpgsql AS"
              + " $$ BEGIN RAISE insufficient_privilege; END $$");
      aside.execute("ALTER FUNCTION ledger_cluster() SET search_path = tollgate, pg_catalog");
      LedgerStoreIdentity its = aside.ledgerStore().checkpoints().read(UUID.randomUUID()).store();
      assertThat(its.system() + its.timeline()).isEmpty();
      assertThat(its.incarnation()).hasSize(36).isNotEqualTo(identity.incarnation());
    }
  }

  @Test
  void anUnknownNodeHasNoSettledBatch() throws Exception {
    NodeCheckpoint mark = checkpoints.read(UUID.randomUUID());
    assertThat(mark).isEqualTo(new NodeCheckpoint(identity, 0, Optional.empty(), 0, 1));
  }

  @Test
  void everyBatchIsCountedWithItsCharges() throws Exception {
    settle(ledgerStore, 3);
    settle(ledgerStore, 4);
    assertThat(checkpoints.watermark().batches()).isEqualTo(2);
    assertThat(checkpoints.read(holder.node()).batches()).isEqualTo(2);
    assertThat(checkpoints.watermark().loss()).isEmpty();
  }

  @Test
  void aBatchThatIsRefusedIsNotCounted() throws Exception {
    Settlement stranger =
        TestLedgerStore.charge(
            RequestId.at(System.currentTimeMillis()), new OrgId(holder.node()), key, 0, 1);
    assertThat(catchThrowable(() -> ledgerStore.settle(holder, List.of(stranger)))).isNotNull();
    assertThat(checkpoints.read(holder.node()).batches()).isZero();
  }

  @Test
  void theCheckpointRisesAndNeverFalls() throws Exception {
    assertThat(checkpoints.advance(holder, identity, 7).keptFrom()).isEqualTo(7);
    assertThat(checkpoints.advance(holder, identity, 5).keptFrom()).isEqualTo(7);
  }

  @Test
  void aRolledBackStoreRejectsACheckpointAndIsDetectedByTheNextBatch() throws Exception {
    settle(ledgerStore, 1);
    settle(ledgerStore, 2);
    goBackOneBatch();
    NodeCheckpoint mark = checkpoints.advance(holder, identity, 9);
    assertThat(mark.keptFrom()).isEqualTo(1);
    assertThat(mark.check(holder, identity, checkpoints.watermark().batches()))
        .isInstanceOf(CheckpointVerdict.RolledBack.class);

    settle(ledgerStore, 3);
    assertThat(checkpoints.watermark().loss()).isPresent();
  }

  @Test
  void aLostHeartbeatIsDetectedByTheNext() throws Exception {
    ledgerStore.tick(holder, 1, List.of());
    ledgerStore.tick(holder, 4, List.of());
    ledgerStore.tick(holder, 5, List.of());
    assertThat(checkpoints.watermark().heartbeat()).isEqualTo(5);
    assertThat(checkpoints.watermark().loss()).isEmpty();

    testStore.execute("UPDATE node_mark SET ticked = 4 WHERE node_id = ?", holder.node());
    ledgerStore.tick(holder, 6, List.of());
    assertThat(checkpoints.watermark().loss()).isPresent();
  }

  @Test
  void theFirstHeartbeatOfAnEpochIsAccepted() throws Exception {
    ledgerStore.tick(holder, 5, List.of());
    LeaseHolder next = ledgerStore.open(holder.node(), UUID.randomUUID());
    checkpoints.watermark().reset();
    checkpoints.advance(next, identity, 2);
    ledgerStore.tick(next, 1, List.of());
    ledgerStore.tick(next, 2, List.of());
    testStore.execute("UPDATE node_mark SET ticked = 1 WHERE node_id = ?", next.node());
    ledgerStore.tick(next, 3, List.of());
    assertThat(checkpoints.watermark().loss()).isPresent();
  }

  @Test
  void whatWasAnsweredIsOnTheDiskWhateverTheDatabasesDefaultIs() throws Exception {
    try (TestLedgerStore aside = TestLedgerStore.open()) {
      aside.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
              + " current_database()); END $$");
      ((HikariDataSource) aside.store().pool()).getHikariPoolMXBean().softEvictConnections();
      assertThat(aside.execute("SELECT current_setting('synchronous_commit')"))
          .containsExactly("on");
    }
  }

  @Test
  void otherStoresAndOtherEpochsAreNotAdvanced() throws Exception {
    var promoted = new LedgerStoreIdentity(identity.incarnation(), identity.system(), "000000FF");
    assertThat(checkpoints.advance(holder, promoted, 9).keptFrom()).isEqualTo(1);
    var copy = new LeaseHolder(holder.node(), holder.epoch(), UUID.randomUUID());
    assertThat(checkpoints.advance(copy, identity, 9).keptFrom()).isEqualTo(1);
    var unknown = new LedgerStoreIdentity(identity.incarnation(), "", "");
    assertThat(checkpoints.advance(holder, unknown, 9).keptFrom()).isEqualTo(9);
  }

  @Test
  void theNextEpochIsCountedFromZero() throws Exception {
    settle(ledgerStore, 1);
    LeaseHolder next = ledgerStore.open(holder.node(), UUID.randomUUID());
    checkpoints.watermark().reset();
    checkpoints.advance(next, identity, 2);
    assertThat(checkpoints.read(next.node()).batches()).isZero();
    ledgerStore.settle(next, List.of(TestLedgerStore.charge(request(), org, key, 0, 1)));
    assertThat(checkpoints.watermark().batches()).isEqualTo(1);
  }

  @Test
  void whatAnOperatorAcceptsIsNoted() throws Exception {
    testStore.store().acceptRollback(holder.node(), 12, "someone");
    assertThat(checkpoints.read(holder.node()).keptFrom()).isEqualTo(12);
    assertThat(
            testStore.execute(
                "SELECT concat_ws(' ', kept_from, rebased_to, actor) FROM node_rebase"
                    + " WHERE node_id = ?",
                holder.node()))
        .containsExactly("1 12 someone");
  }

  private void goBackOneBatch() throws Exception {
    testStore.execute(
        "UPDATE node_mark SET batches = batches - 1 WHERE node_id = ?", holder.node());
  }

  private void settle(PostgresLedgerStore its, long cost) throws Exception {
    its.settle(holder, List.of(TestLedgerStore.charge(request(), org, key, 0, cost)));
  }

  private static RequestId request() {
    return RequestId.at(System.currentTimeMillis());
  }
}
