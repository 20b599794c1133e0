package dev.tollgate.server.postgres.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.LedgerStore.GrantAnswer;
import dev.tollgate.core.ledger.LedgerStore.GrantItem;
import dev.tollgate.core.ledger.LedgerStore.GrantRequest;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.TickAnswer;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.LedgerSums.ScopeSums;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.ledger.LedgerNodes.LedgerNode;
import dev.tollgate.server.postgres.ledger.LedgerNodes.LostNode;
import dev.tollgate.server.postgres.ledger.LedgerNodes.ReleaseResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Money leased by an unresponsive node. */
@Execution(ExecutionMode.CONCURRENT)
class LedgerNodesIT {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LOST = Duration.ofMinutes(11);

  private final long now = System.currentTimeMillis();
  private TestLedgerStore testStore;
  private long calls;
  private OrgId org;
  private KeyId key;
  private LeaseHolder node;

  /** Leases 100 to the node, of which it charges 10. */
  @BeforeEach
  void lease() throws Exception {
    testStore = TestLedgerStore.open();
    testStore.setClock(now);
    org = testStore.newOrg();
    key = testStore.newKey(org);
    testStore.fund(org, 1_000);
    node = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(100), new MicroUsd(100));
    testStore
        .ledgerStore()
        .grant(
            node,
            new GrantRequest(++calls, new Payer(org, key, Window.at(now)), List.of(want), true));
    settle(10);
  }

  @AfterEach
  void audit() throws Exception {
    assertThat(testStore.store().ledgerAudit().runFull()).isEmpty();
    testStore.close();
  }

  @Test
  void aNodeIsListedWithWhatItHolds() throws Exception {
    passes(Duration.ofSeconds(5));
    Duration unresponsive = Duration.ofSeconds(5);
    assertThat(nodes().list())
        .containsExactly(
            new LedgerNode(
                node.node(), 1, "open", unresponsive, new MicroUsd(90), Optional.empty()));
    report(30);
    assertThat(nodes().list().getFirst().committed()).hasValue(new MicroUsd(20));
    testStore.ledgerStore().close(node);
    assertThat(nodes().list())
        .containsExactly(
            new LedgerNode(
                node.node(), 1, "closed", unresponsive, MicroUsd.ZERO, Optional.empty()));
  }

  @Test
  void aLivingNodeIsNotReleasedAndAnUnresponsiveOneIsOnce() throws Exception {
    passes(MINUTE);
    assertThat(release()).isEqualTo(new ReleaseResult.Alive());
    assertThat(nodes().release(UUID.randomUUID(), MINUTE, "test"))
        .isEqualTo(new ReleaseResult.Unknown());
    passes(MINUTE.plusSeconds(1));
    assertThat(release()).isEqualTo(new ReleaseResult.Released(new MicroUsd(90)));
    assertThat(release()).isEqualTo(new ReleaseResult.AlreadyClosed());
    assertThat(balance()).isEqualTo(new ScopeSums(10, 0, 0, 0));
    assertThat(testStore.execute("SELECT concat_ws(' ', actor, freed_micro) FROM node_release"))
        .containsExactly("test 90");

    assertThat(testStore.ledgerStore().tick(node, ++calls, List.of()))
        .isEqualTo(new TickAnswer.Fenced());
    settle(20);
    assertThat(balance()).isEqualTo(new ScopeSums(30, 0, 20, 0));
  }

  @Test
  void aLostNodeKeepsWhatItHadCommitted() throws Exception {
    report(30);
    passes(LOST);
    assertThat(nodes().markLost(LOST)).isEmpty();
    passes(LOST.plusSeconds(1));
    assertThat(nodes().markLost(LOST)).containsExactly(new LostNode(node.node(), new MicroUsd(70)));
    assertThat(nodes().markLost(LOST)).isEmpty();
    assertThat(balance()).isEqualTo(new ScopeSums(10, 20, 0, 0));
    assertThat(nodes().list().getFirst().state()).isEqualTo("lost");
    assertThat(testStore.ledgerStore().tick(node, ++calls, List.of()))
        .isEqualTo(new TickAnswer.Fenced());

    settle(15);
    assertThat(balance()).isEqualTo(new ScopeSums(25, 5, 0, 0));
    assertThat(release()).isEqualTo(new ReleaseResult.Released(new MicroUsd(5)));
  }

  @Test
  void whatALostNodeLetsGoOfIsNotSpentTwice() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      testStore.setClock(now);
      org = testStore.newOrg();
      key = testStore.newKey(org);
      testStore.fund(org, 1_000);
      LeaseHolder lost = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
      long held = grant(lost, 1 + random.nextInt(900));
      long committed = random.nextLong(held + 1);
      long settled = random.nextLong(committed + 1);
      if (settled > 0) {
        settle(lost, settled);
      }
      report(lost, committed);

      passes(LOST.plusSeconds(1));
      LeaseHolder other = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
      nodes().markLost(LOST);
      assertThat(balance().leased()).as("seed %d", seed).isEqualTo(committed - settled);
      long free = 1_000 - balance().used() - balance().leased();
      assertThat(grant(other, free)).isEqualTo(free);
      settle(other, free);
      assertThat(grant(other, 1)).isZero();
      if (committed > settled) {
        settle(lost, committed - settled);
      }
      assertThat(balance()).as("seed %d", seed).isEqualTo(new ScopeSums(1_000, 0, 0, 0));
    }
  }

  /** Grants all of the amount, or nothing. */
  private long grant(LeaseHolder holder, long amount) throws Exception {
    var want = new GrantItem(ScopeKind.ORG, new MicroUsd(amount), new MicroUsd(amount));
    var ask = new GrantRequest(++calls, new Payer(org, key, Window.at(now)), List.of(want), true);
    return switch (testStore.ledgerStore().grant(holder, ask)) {
      case GrantAnswer.Issued given -> given.granted().getFirst().amount().value();
      case GrantAnswer.Refused _ -> 0;
      case GrantAnswer.Stale _, GrantAnswer.Fenced _ -> throw new AssertionError();
    };
  }

  /** In one transaction it took longer than the statement timeout, and the node could not start. */
  @Test
  void manyLeasesEndInTransactionsOfTheirOwn() throws Exception {
    LeaseHolder many = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
    String holder = PostgresLedgerStore.name(many);
    testStore.execute(
        "INSERT INTO scope_account (scope_id, org_id, key_id, limit_micro, leased_micro)"
            + " SELECT 'keyd:k' || n || ':2026-11-20', ?, ?, NULL, 5"
            + " FROM generate_series(1, 10050) n",
        org.value(),
        key.value());
    testStore.execute(
        "INSERT INTO lease (holder, scope_id, granted_micro)"
            + " SELECT ?, 'keyd:k' || n || ':2026-11-20', 5 FROM generate_series(1, 10050) n",
        holder);
    assertThat(endLeases(many, 20)).isEqualTo(20);
    assertThat(testStore.store().ledgerAudit().run()).isEmpty();
    assertThat(testStore.ledgerStore().tick(many, ++calls, List.of()))
        .isEqualTo(new TickAnswer.Fenced());

    LeaseHolder next = testStore.ledgerStore().open(many.node(), UUID.randomUUID());
    assertThat(endLeases(many, 20)).isZero();
    assertThat(testStore.ledgerStore().tick(next, ++calls, List.of()))
        .isInstanceOf(TickAnswer.Accepted.class);
    assertThat(testStore.store().ledgerAudit().run()).isEmpty();
    assertThat(
            testStore.execute(
                "SELECT count(*) FROM lease WHERE holder = ? AND state = 'closed'"
                    + " GROUP BY xmin::text ORDER BY 1",
                holder))
        .as("leases by the transaction that ended them")
        .containsExactly("20", "30", "10000");
  }

  private int endLeases(LeaseHolder holder, int most) throws Exception {
    String ended =
        testStore
            .execute(
                "SELECT ledger_let_go(?, ?, ?, ?)",
                holder.node(),
                holder.epoch(),
                holder.boot(),
                most)
            .getFirst();
    return Integer.parseInt(ended);
  }

  @Test
  void unreportedLeasesAreKept() throws Exception {
    passes(LOST.plusSeconds(1));
    assertThat(nodes().markLost(LOST)).containsExactly(new LostNode(node.node(), MicroUsd.ZERO));
    assertThat(balance()).isEqualTo(new ScopeSums(10, 90, 0, 0));
  }

  @Test
  void whoComesBackBeginsAnew() throws Exception {
    report(30);
    passes(LOST.plusSeconds(1));
    nodes().markLost(LOST);
    testStore.ledgerStore().open(node.node(), UUID.randomUUID());
    assertThat(balance()).isEqualTo(new ScopeSums(10, 0, 0, 0));
    assertThat(nodes().list().getFirst().state()).isEqualTo("open");
  }

  @Test
  void anEarlierEpochReportsNothing() throws Exception {
    testStore.ledgerStore().open(node.node(), UUID.randomUUID());
    assertThat(report(30)).containsExactly("f");
  }

  @Test
  void aReportThatArrivesLateDoesNotReplaceANewerOne() throws Exception {
    report(2, Duration.ofSeconds(30), 60);
    report(1, Duration.ZERO, 30);
    passes(LOST.plusSeconds(1));
    assertThat(nodes().list().getFirst().committed()).hasValue(new MicroUsd(50));
    assertThat(testStore.execute("SELECT extract(epoch FROM owes_since)::bigint FROM node_report"))
        .containsExactly(String.valueOf(Math.round(now / 1e3 - 30)));

    LeaseHolder next = testStore.ledgerStore().open(node.node(), UUID.randomUUID());
    nodes().report(next, 1, Duration.ZERO, List.of());
    assertThat(testStore.execute("SELECT epoch FROM node_report")).containsExactly("2");
  }

  private void report(long number, Duration owes, long committed) throws Exception {
    var commitment =
        new Commitment(
            new Payer(org, key, Window.at(now)).scope(ScopeKind.ORG), new MicroUsd(committed));
    nodes().report(node, number, owes, List.of(commitment));
  }

  private void passes(Duration time) throws Exception {
    testStore.setClock(now + time.toMillis());
  }

  private ReleaseResult release() throws Exception {
    return nodes().release(node.node(), MINUTE, "test");
  }

  private List<String> report(long committed) throws Exception {
    return report(node, committed);
  }

  private List<String> report(LeaseHolder holder, long committed) throws Exception {
    return testStore.execute(
        "SELECT ledger_report(?, ?, ?, ?, 0, ARRAY[?], ARRAY[?])",
        holder.node(),
        holder.epoch(),
        holder.boot(),
        ++calls,
        "org:" + org,
        committed);
  }

  private void settle(long cost) throws Exception {
    settle(node, cost);
  }

  private void settle(LeaseHolder holder, long cost) throws Exception {
    int held = ScopeKind.ORG.bit();
    testStore
        .ledgerStore()
        .settle(holder, List.of(TestLedgerStore.charge(RequestId.at(now), org, key, held, cost)));
  }

  private ScopeSums balance() throws Exception {
    return testStore.balance(org);
  }

  private LedgerNodes nodes() {
    return testStore.store().ledgerNodes();
  }
}
