package dev.tollgate.server.account;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** People, members and their callers in a test's store. */
public final class TestAccounts {
  private final TestLedgerStore testStore;

  public TestAccounts(TestLedgerStore testStore) {
    this.testStore = testStore;
  }

  /** Returns a new active person. */
  public Principal.Person person() throws SQLException {
    return person(false);
  }

  public Principal.Person operator() throws SQLException {
    return person(true);
  }

  private Principal.Person person(boolean isOperator) throws SQLException {
    UUID id = UUID.randomUUID();
    String email = id + "@example.com";
    testStore.execute(
        "INSERT INTO user_account (id, email, email_key, name, state, verified_at, is_operator)"
            + " VALUES (?, ?, ?, 'N', 'active', now(), ?)",
        id,
        email,
        email,
        isOperator);
    return new Principal.Person(
        new UserId(id), email, "N", isOperator, new SessionId(UUID.randomUUID()), Instant.EPOCH);
  }

  public void join(OrgId org, Principal.Person person, Role role) throws SQLException {
    testStore.execute(
        "INSERT INTO membership (org_id, user_id, role) VALUES (?, ?, ?)",
        org.value(),
        person.id().value(),
        role.wire());
  }

  /** Returns the access of a new member. */
  public OrgAccess member(OrgId org, Role role) throws SQLException {
    Principal.Person person = person();
    join(org, person, role);
    return access(org, person);
  }

  public OrgAccess access(OrgId org, Principal principal) throws SQLException {
    return OrgAccess.of(testStore.store().pool(), caller(principal), org);
  }

  public OrgAccess operatorAccess(OrgId org) throws SQLException {
    return access(org, operator());
  }

  public static Caller caller(Principal principal) {
    return new Caller(principal, "192.0.2.1", "test", "req_test");
  }

  public void suspend(OrgId org) throws SQLException {
    testStore.execute("UPDATE organization SET state = 'suspended' WHERE id = ?", org.value());
  }

  /** Returns the actions and changes in the audit log of an organization, the oldest first. */
  public List<String> audit(OrgId org) throws SQLException {
    return testStore.execute(
        "SELECT actor_kind || ' ' || action || ' ' || coalesce(target_id, '') || ' ' || changes"
            + " FROM audit_event WHERE org_id = ? ORDER BY id",
        org.value());
  }

  /** Requires that a call is refused; returns how. */
  public static Fault refusal(ThrowingCallable call) {
    var refused = new Refused[1];
    assertThatExceptionOfType(Refused.class).isThrownBy(call).satisfies(each -> refused[0] = each);
    return refused[0].fault();
  }

  /** Requires that a call is refused; returns the code and the reason, if there is one. */
  public static String refused(ThrowingCallable call) {
    Fault fault = refusal(call);
    @Nullable Object reason = fault.details().get("reason");
    return fault.code().wire() + (reason == null ? "" : " " + reason);
  }
}
