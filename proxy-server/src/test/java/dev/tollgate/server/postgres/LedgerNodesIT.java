package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.GrantAnswer;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.TickAnswer;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.testkit.BankSums.ScopeSums;
import dev.tollgate.server.postgres.LedgerNodes.Lost;
import dev.tollgate.server.postgres.LedgerNodes.Node;
import dev.tollgate.server.postgres.LedgerNodes.Release;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of the money that a silent node holds. */
class LedgerNodesIT {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration LOST = Duration.ofMinutes(11);

  private final long now = System.currentTimeMillis();
  private TestBooks books;
  private long calls;
  private OrgId org;
  private KeyId key;
  private Holder node;

  /** The node holds 100, of which it charged 10. */
  @BeforeEach
  void lease() throws Exception {
    books = TestBooks.open();
    books.setClock(now);
    org = books.newOrg();
    key = books.newKey(org);
    books.fund(org, 1_000);
    node = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
    var want = new Want(ScopeKind.ORG, new MicroUsd(100), new MicroUsd(100));
    books
        .bank()
        .grant(node, new Ask(++calls, new Payer(org, key, Window.at(now)), List.of(want), true));
    settle(10);
  }

  @AfterEach
  void audit() throws Exception {
    assertThat(books.store().ledgerAudit().runFull()).isEmpty();
    books.close();
  }

  @Test
  void aNodeIsListedWithWhatItHolds() throws Exception {
    passes(Duration.ofSeconds(5));
    Duration silent = Duration.ofSeconds(5);
    assertThat(nodes().list())
        .containsExactly(
            new Node(node.node(), 1, "open", silent, new MicroUsd(90), Optional.empty()));
    report(30);
    assertThat(nodes().list().getFirst().committed()).hasValue(new MicroUsd(20));
    books.bank().close(node);
    assertThat(nodes().list())
        .containsExactly(
            new Node(node.node(), 1, "closed", silent, MicroUsd.ZERO, Optional.empty()));
  }

  @Test
  void aNodeThatLivesIsNotReleasedAndASilentOneIsOnce() throws Exception {
    passes(MINUTE);
    assertThat(release()).isEqualTo(new Release.Alive());
    assertThat(nodes().release(UUID.randomUUID(), MINUTE, "test")).isEqualTo(new Release.Unknown());
    passes(MINUTE.plusSeconds(1));
    assertThat(release()).isEqualTo(new Release.Released(new MicroUsd(90)));
    assertThat(release()).isEqualTo(new Release.AlreadyClosed());
    assertThat(balance()).isEqualTo(new ScopeSums(10, 0, 0, 0));
    assertThat(books.execute("SELECT concat_ws(' ', actor, freed_micro) FROM node_release"))
        .containsExactly("test 90");

    assertThat(books.bank().tick(node, ++calls, List.of())).isEqualTo(new TickAnswer.Fenced());
    settle(20);
    assertThat(balance()).isEqualTo(new ScopeSums(30, 0, 20, 0));
  }

  @Test
  void aLostNodeKeepsWhatItHadCommitted() throws Exception {
    report(30);
    passes(LOST);
    assertThat(nodes().lose(LOST)).isEmpty();
    passes(LOST.plusSeconds(1));
    assertThat(nodes().lose(LOST)).containsExactly(new Lost(node.node(), new MicroUsd(70)));
    assertThat(nodes().lose(LOST)).isEmpty();
    assertThat(balance()).isEqualTo(new ScopeSums(10, 20, 0, 0));
    assertThat(nodes().list().getFirst().state()).isEqualTo("lost");
    assertThat(books.bank().tick(node, ++calls, List.of())).isEqualTo(new TickAnswer.Fenced());

    settle(15);
    assertThat(balance()).isEqualTo(new ScopeSums(25, 5, 0, 0));
    assertThat(release()).isEqualTo(new Release.Released(new MicroUsd(5)));
  }

  @Test
  void whatALostNodeLetsGoOfIsNotSpentTwice() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      books.setClock(now);
      org = books.newOrg();
      key = books.newKey(org);
      books.fund(org, 1_000);
      Holder lost = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
      long held = grant(lost, 1 + random.nextInt(900));
      long committed = random.nextLong(held + 1);
      long settled = random.nextLong(committed + 1);
      if (settled > 0) {
        settle(lost, settled);
      }
      report(lost, committed);

      passes(LOST.plusSeconds(1));
      Holder other = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
      nodes().lose(LOST);
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

  /** All of it, or nothing. */
  private long grant(Holder holder, long amount) throws Exception {
    var want = new Want(ScopeKind.ORG, new MicroUsd(amount), new MicroUsd(amount));
    var ask = new Ask(++calls, new Payer(org, key, Window.at(now)), List.of(want), true);
    return switch (books.bank().grant(holder, ask)) {
      case GrantAnswer.Given given -> given.granted().getFirst().amount().value();
      case GrantAnswer.Refused _ -> 0;
      case GrantAnswer.Stale _, GrantAnswer.Fenced _ -> throw new AssertionError();
    };
  }

  /** In one it took longer than a session may, and the node could not start. */
  @Test
  void manyLeasesEndInTransactionsOfTheirOwn() throws Exception {
    Holder many = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
    String holder = PostgresBank.name(many);
    books.execute(
        "INSERT INTO scope_account (scope_id, org_id, key_id, limit_micro, leased_micro)"
            + " SELECT 'keyd:k' || n || ':2026-11-20', ?, ?, NULL, 5"
            + " FROM generate_series(1, 10050) n",
        org.value(),
        key.value());
    books.execute(
        "INSERT INTO lease (holder, scope_id, granted_micro)"
            + " SELECT ?, 'keyd:k' || n || ':2026-11-20', 5 FROM generate_series(1, 10050) n",
        holder);
    assertThat(letGo(many, 20)).isEqualTo(20);
    assertThat(books.store().ledgerAudit().run()).isEmpty();
    assertThat(books.bank().tick(many, ++calls, List.of())).isEqualTo(new TickAnswer.Fenced());

    Holder next = books.bank().open(many.node(), UUID.randomUUID());
    assertThat(letGo(many, 20)).isZero();
    assertThat(books.bank().tick(next, ++calls, List.of())).isInstanceOf(TickAnswer.Alive.class);
    assertThat(books.store().ledgerAudit().run()).isEmpty();
    assertThat(
            books.execute(
                "SELECT count(*) FROM lease WHERE holder = ? AND state = 'closed'"
                    + " GROUP BY xmin::text ORDER BY 1",
                holder))
        .as("leases by the transaction that ended them")
        .containsExactly("20", "30", "10000");
  }

  private int letGo(Holder holder, int most) throws Exception {
    String ended =
        books
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
  void whatNobodyReportedIsKept() throws Exception {
    passes(LOST.plusSeconds(1));
    assertThat(nodes().lose(LOST)).containsExactly(new Lost(node.node(), MicroUsd.ZERO));
    assertThat(balance()).isEqualTo(new ScopeSums(10, 90, 0, 0));
  }

  @Test
  void whoComesBackBeginsAnew() throws Exception {
    report(30);
    passes(LOST.plusSeconds(1));
    nodes().lose(LOST);
    books.bank().open(node.node(), UUID.randomUUID());
    assertThat(balance()).isEqualTo(new ScopeSums(10, 0, 0, 0));
    assertThat(nodes().list().getFirst().state()).isEqualTo("open");
  }

  @Test
  void whoIsNotThePresentLifeReportsNothing() throws Exception {
    books.bank().open(node.node(), UUID.randomUUID());
    assertThat(report(30)).containsExactly("f");
  }

  @Test
  void aReportThatArrivesLateDoesNotReplaceANewerOne() throws Exception {
    say(2, Duration.ofSeconds(30), 60);
    say(1, Duration.ZERO, 30);
    passes(LOST.plusSeconds(1));
    assertThat(nodes().list().getFirst().committed()).hasValue(new MicroUsd(50));
    assertThat(books.execute("SELECT extract(epoch FROM owes_since)::bigint FROM node_report"))
        .containsExactly(String.valueOf(Math.round(now / 1e3 - 30)));

    Holder next = books.bank().open(node.node(), UUID.randomUUID());
    nodes().report(next, 1, Duration.ZERO, List.of());
    assertThat(books.execute("SELECT epoch FROM node_report")).containsExactly("2");
  }

  private void say(long number, Duration owes, long committed) throws Exception {
    var commitment =
        new Commitment(
            new Payer(org, key, Window.at(now)).scope(ScopeKind.ORG), new MicroUsd(committed));
    nodes().report(node, number, owes, List.of(commitment));
  }

  private void passes(Duration time) throws Exception {
    books.setClock(now + time.toMillis());
  }

  private Release release() throws Exception {
    return nodes().release(node.node(), MINUTE, "test");
  }

  private List<String> report(long committed) throws Exception {
    return report(node, committed);
  }

  private List<String> report(Holder holder, long committed) throws Exception {
    return books.execute(
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

  private void settle(Holder holder, long cost) throws Exception {
    int held = ScopeKind.ORG.bit();
    books.bank().settle(holder, List.of(TestBooks.charge(RequestId.at(now), org, key, held, cost)));
  }

  private ScopeSums balance() throws Exception {
    return books.balance(org);
  }

  private LedgerNodes nodes() {
    return books.store().ledgerNodes();
  }
}
