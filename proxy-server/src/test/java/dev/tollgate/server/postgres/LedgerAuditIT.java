package dev.tollgate.server.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Bank.Ask;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Bank.Want;
import dev.tollgate.core.ledger.Payer;
import dev.tollgate.core.ledger.ScopeKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.LedgerAudit.Violation;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What does not agree is named, by whichever node's turn it is. */
class LedgerAuditIT {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final KeyId NOBODY = new KeyId("nobody00");
  private final long now = System.currentTimeMillis();
  private TestBooks books;
  private long calls;
  private LedgerAudit audit;

  @BeforeEach
  void charge() throws Exception {
    books = TestBooks.open();
    audit = books.store().ledgerAudit();
    OrgId org = books.newOrg();
    KeyId key = books.newKey(org);
    books.fund(org, 100);
    Holder node = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
    books.bank().settle(node, List.of(TestBooks.charge(RequestId.at(now), org, key, 0, 7)));
    var want = new Want(ScopeKind.ORG, new MicroUsd(1), new MicroUsd(1));
    books
        .bank()
        .grant(node, new Ask(++calls, new Payer(org, key, Window.at(now)), List.of(want), true));
    assertThat(audit.run()).isEmpty();
  }

  @AfterEach
  void close() {
    books.close();
  }

  @Test
  void aChargeThatWasPutAsideIsNamedUntilSomeoneDecided() throws Exception {
    Holder node = books.bank().open(UUID.randomUUID(), UUID.randomUUID());
    var nobodys = TestBooks.charge(RequestId.at(now), new OrgId(UUID.randomUUID()), NOBODY, 0, 5);
    books.bank().quarantine(node, nobodys, "nobody is charged");
    assertThat(audit.run())
        .singleElement()
        .satisfies(
            violation -> {
              assertThat(violation.invariant()).isEqualTo(6);
              assertThat(violation.what())
                  .contains(nobodys.request().value(), "5", "nobody is charged");
            });
    books.store().ledgerQuarantine().drop(nobodys.request().value(), "somebody");
    assertThat(audit.run()).isEmpty();
  }

  @Test
  void everySumThatDoesNotAgreeIsNamed() throws Exception {
    books.execute("UPDATE scope_account SET limit_micro = 1 WHERE scope_id LIKE 'org:%'");
    books.execute("UPDATE scope_account SET used_micro = 9 WHERE scope_id LIKE 'keyd:%'");
    books.execute("UPDATE scope_account SET leased_micro = 3 WHERE scope_id LIKE 'orgm:%'");
    books.execute("UPDATE node_epoch SET epoch = 2");
    assertThat(audit.run()).extracting(Violation::invariant).contains(1, 2, 3, 4, 8, 9);
  }

  @Test
  void aForgedChargeOfToday() throws Exception {
    books.execute("UPDATE settlement SET cost_micro = 8");
    assertThat(audit.run()).hasSize(4).extracting(Violation::invariant).containsOnly(2);
  }

  @Test
  void aForgedChargeOfAClosedDayIsFoundByTheFullAudit() throws Exception {
    books.setClock(now + Duration.ofDays(2).toMillis());
    books.store().ledgerDays().close();
    books.execute("UPDATE settlement SET cost_micro = 8");
    assertThat(audit.run()).isEmpty();
    assertThat(audit.runFull()).extracting(Violation::what).anyMatch(it -> it.contains("kept 7"));
    books.execute("UPDATE settlement SET cost_micro = 7");
    books.execute("UPDATE settlement_rollup SET sum_micro = 9");
    assertThat(audit.run()).isNotEmpty();
  }

  @Test
  void oneNodeDoesItEverySoOften() throws Exception {
    assertThat(audit.last()).isEmpty();
    assertThat(audit.runInTurn(HOUR)).hasValueSatisfying(found -> assertThat(found).isEmpty());
    assertThat(audit.runInTurn(HOUR)).isEmpty();
    books.execute("UPDATE scope_account SET used_micro = used_micro + 1");
    assertThat(audit.last()).hasValueSatisfying(last -> assertThat(last.violations()).isZero());
    books.setClock(now + HOUR.toMillis() * 2);
    assertThat(audit.runInTurn(HOUR)).isPresent();
    assertThat(audit.last()).hasValueSatisfying(last -> assertThat(last.violations()).isPositive());
  }

  @Test
  void whoseTurnItIsNotWaitsForNobody() throws Exception {
    try (var other = books.store().pool().getConnection();
        var lock = other.createStatement()) {
      lock.execute("SELECT pg_advisory_lock(7455834)");
      assertThat(audit.runInTurn(HOUR)).isEmpty();
      lock.execute("SELECT pg_advisory_unlock(7455834)");
    }
    assertThat(audit.runInTurn(HOUR)).isPresent();
  }
}
