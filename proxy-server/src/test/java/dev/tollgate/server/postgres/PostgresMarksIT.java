package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.BooksIdentity;
import dev.tollgate.core.ledger.Mark;
import dev.tollgate.core.ledger.Mark.Verdict;
import dev.tollgate.core.ledger.Marks;
import dev.tollgate.core.ledger.Settlement;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a real database says of itself and of a node, and when it takes no notice. */
class PostgresMarksIT {
  private static TestBooks books;

  private PostgresBank bank;
  private Marks marks;
  private Holder holder;
  private BooksIdentity identity;
  private OrgId org;
  private KeyId key;

  @BeforeAll
  static void open() throws Exception {
    books = TestBooks.open();
  }

  @AfterAll
  static void close() {
    books.close();
  }

  @BeforeEach
  void begin() throws Exception {
    org = books.newOrg();
    key = books.newKey(org);
    bank = books.bank();
    marks = bank.marks();
    holder = bank.open(UUID.randomUUID(), UUID.randomUUID());
    identity = marks.look(holder.node()).books();
    marks.raise(holder, identity, 1);
  }

  @Test
  void itSaysWhichDatabaseAndWhichTimelineItIs() {
    assertThat(identity.incarnation()).hasSize(36);
    assertThat(identity.system()).matches("\\d{18,20}");
    assertThat(identity.timeline()).matches("[0-9A-F]{8}");
  }

  @Test
  void anOrdinaryRoleMayAskToo() throws Exception {
    books.execute("CREATE ROLE ordinary_marks");
    try {
      books.execute("GRANT USAGE ON SCHEMA tollgate TO ordinary_marks");
      assertThat(
              books.execute(
                  """
                  WITH become AS MATERIALIZED (SELECT set_config('role', 'ordinary_marks', true))
                  SELECT c.system || c.timeline FROM become, LATERAL ledger_cluster() c
                   WHERE set_config IS NOT NULL
                  """))
          .containsExactly(identity.system() + identity.timeline());
    } finally {
      books.execute("REVOKE ALL ON SCHEMA tollgate FROM ordinary_marks");
      books.execute("DROP ROLE ordinary_marks");
    }
  }

  @Test
  void aRoleThatMayNotAskKnowsTheIncarnationAlone() throws Exception {
    try (TestBooks aside = TestBooks.open()) {
      aside.execute(
          "CREATE FUNCTION pg_control_system(OUT system_identifier bigint) LANGUAGE plpgsql AS"
              + " $$ BEGIN RAISE insufficient_privilege; END $$");
      aside.execute("ALTER FUNCTION ledger_cluster() SET search_path = tollgate, pg_catalog");
      BooksIdentity its = aside.bank().marks().look(UUID.randomUUID()).books();
      assertThat(its.system() + its.timeline()).isEmpty();
      assertThat(its.incarnation()).hasSize(36).isNotEqualTo(identity.incarnation());
    }
  }

  @Test
  void aNodeThatItDoesNotKnowHasNothingBooked() throws Exception {
    Mark mark = marks.look(UUID.randomUUID());
    assertThat(mark).isEqualTo(new Mark(identity, 0, Optional.empty(), 0, 1));
  }

  @Test
  void everyBatchIsCountedWithItsCharges() throws Exception {
    settle(bank, 3);
    settle(bank, 4);
    assertThat(marks.counts().heard()).isEqualTo(2);
    assertThat(marks.look(holder.node()).batches()).isEqualTo(2);
    assertThat(marks.counts().lost()).isEmpty();
  }

  @Test
  void aBatchThatIsRefusedIsNotCounted() throws Exception {
    Settlement stranger =
        TestBooks.charge(
            RequestId.at(System.currentTimeMillis()), new OrgId(holder.node()), key, 0, 1);
    assertThat(catchThrowable(() -> bank.settle(holder, List.of(stranger)))).isNotNull();
    assertThat(marks.look(holder.node()).batches()).isZero();
  }

  @Test
  void theMarkRisesAndNeverFalls() throws Exception {
    assertThat(marks.raise(holder, identity, 7).keptFrom()).isEqualTo(7);
    assertThat(marks.raise(holder, identity, 5).keptFrom()).isEqualTo(7);
  }

  @Test
  void booksOfAnEarlierTimeTakeNoNoticeAndAreFoundOutByTheNextBatch() throws Exception {
    settle(bank, 1);
    settle(bank, 2);
    goBackOneBatch();
    Mark mark = marks.raise(holder, identity, 9);
    assertThat(mark.keptFrom()).isEqualTo(1);
    assertThat(mark.after(holder, identity, marks.counts().heard()))
        .isInstanceOf(Verdict.WentBack.class);

    settle(bank, 3);
    assertThat(marks.counts().lost()).isPresent();
  }

  @Test
  void aSignOfLifeThatIsGoneIsFoundOutByTheNext() throws Exception {
    bank.tick(holder, 1, List.of());
    bank.tick(holder, 4, List.of());
    bank.tick(holder, 5, List.of());
    assertThat(marks.counts().ticked()).isEqualTo(5);
    assertThat(marks.counts().lost()).isEmpty();

    books.execute("UPDATE node_mark SET ticked = 4 WHERE node_id = ?", holder.node());
    bank.tick(holder, 6, List.of());
    assertThat(marks.counts().lost()).isPresent();
  }

  @Test
  void aSignOfLifeOfTheNextLifeIsTheFirst() throws Exception {
    bank.tick(holder, 5, List.of());
    Holder next = bank.open(holder.node(), UUID.randomUUID());
    marks.counts().reset();
    marks.raise(next, identity, 2);
    bank.tick(next, 1, List.of());
    bank.tick(next, 2, List.of());
    books.execute("UPDATE node_mark SET ticked = 1 WHERE node_id = ?", next.node());
    bank.tick(next, 3, List.of());
    assertThat(marks.counts().lost()).isPresent();
  }

  @Test
  void whatWasAnsweredIsOnTheDiskWhateverTheDatabasesDefaultIs() throws Exception {
    try (TestBooks aside = TestBooks.open()) {
      aside.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off',"
              + " current_database()); END $$");
      ((HikariDataSource) aside.store().pool()).getHikariPoolMXBean().softEvictConnections();
      assertThat(aside.execute("SELECT current_setting('synchronous_commit')"))
          .containsExactly("on");
    }
  }

  @Test
  void otherBooksAndOtherProcessesTakeNoNotice() throws Exception {
    var promoted = new BooksIdentity(identity.incarnation(), identity.system(), "000000FF");
    assertThat(marks.raise(holder, promoted, 9).keptFrom()).isEqualTo(1);
    var copy = new Holder(holder.node(), holder.epoch(), UUID.randomUUID());
    assertThat(marks.raise(copy, identity, 9).keptFrom()).isEqualTo(1);
    var unknown = new BooksIdentity(identity.incarnation(), "", "");
    assertThat(marks.raise(holder, unknown, 9).keptFrom()).isEqualTo(9);
  }

  @Test
  void theNextLifeIsCountedAnew() throws Exception {
    settle(bank, 1);
    Holder next = bank.open(holder.node(), UUID.randomUUID());
    marks.counts().reset();
    marks.raise(next, identity, 2);
    assertThat(marks.look(next.node()).batches()).isZero();
    bank.settle(next, List.of(TestBooks.charge(request(), org, key, 0, 1)));
    assertThat(marks.counts().heard()).isEqualTo(1);
  }

  @Test
  void whatAnOperatorAcceptsIsNoted() throws Exception {
    books.store().rebase(holder.node(), 12, "someone");
    assertThat(marks.look(holder.node()).keptFrom()).isEqualTo(12);
    assertThat(
            books.execute(
                "SELECT concat_ws(' ', kept_from, rebased_to, actor) FROM node_rebase"
                    + " WHERE node_id = ?",
                holder.node()))
        .containsExactly("1 12 someone");
  }

  private void goBackOneBatch() throws Exception {
    books.execute("UPDATE node_mark SET batches = batches - 1 WHERE node_id = ?", holder.node());
  }

  private void settle(PostgresBank its, long cost) throws Exception {
    its.settle(holder, List.of(TestBooks.charge(request(), org, key, 0, cost)));
  }

  private static RequestId request() {
    return RequestId.at(System.currentTimeMillis());
  }
}
