package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * DAO of credits granted to organizations: append-only ledger entries, each with a unique
 * reference.
 */
public final class Credits {
  /**
   * Ends the alert of a balance that has risen: the next fall is mailed even if it follows at once.
   */
  private static final String END_ALERT =
      """
      DELETE FROM spending_alert s USING organization o, scope_account b
       WHERE s.org_id = ? AND s.percent = 0 AND o.id = s.org_id
         AND b.scope_id = ('org:' || o.id) COLLATE "C"
         AND b.limit_micro - b.used_micro >= o.alert_below_micro""";

  private final DataSource pool;

  public Credits(DataSource pool) {
    this.pool = pool;
  }

  /** Result of {@link #grant}. */
  public enum Grant {
    RECORDED,
    /** The same grant was recorded before. */
    ALREADY_RECORDED,
    /** The reference belongs to a grant to another organization, or of another amount. */
    REFERENCE_TAKEN
  }

  /** Kind of a ledger entry. */
  public enum EntryKind {
    FUNDING,
    REFUND,
    ADJUSTMENT,
    WRITE_OFF;

    /** Returns the name on the wire and in the store, such as {@code write_off}. */
    public String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Ledger entry to record.
   *
   * @param ref identifies the entry; it is recorded once, however often it is sent
   * @param actor who recorded it, in words
   * @param actorId who recorded it, as in the audit log
   */
  public record NewEntry(
      OrgId org,
      EntryKind kind,
      MicroUsd amount,
      String ref,
      String actor,
      @Nullable String actorId,
      @Nullable String reason) {}

  /** Records a credit; see {@link NewEntry}. */
  public Grant grant(OrgId org, MicroUsd amount, String ref, String actor) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return record(connection, funding(org, amount, ref, actor));
    }
  }

  static NewEntry funding(OrgId org, MicroUsd amount, String ref, String actor) {
    return new NewEntry(org, EntryKind.FUNDING, amount, ref, actor, null, null);
  }

  /** Records an entry in the caller's transaction. */
  public static Grant record(Connection connection, NewEntry entry) throws SQLException {
    int inserted =
        Statements.update(
            connection,
            """
            INSERT INTO ledger_entry (org_id, kind, amount_micro, ref, actor, actor_id, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (ref) DO NOTHING""",
            entry.org().value(),
            entry.kind().wire(),
            entry.amount().value(),
            entry.ref(),
            entry.actor(),
            entry.actorId(),
            entry.reason());
    if (inserted == 0) {
      return existing(connection, entry);
    }
    Statements.update(connection, END_ALERT, entry.org().value());
    return Grant.RECORDED;
  }

  /** Returns the organization of an entry. */
  public Optional<OrgId> organization(String ref) throws SQLException {
    return Statements.list(
            pool,
            "SELECT org_id FROM ledger_entry WHERE ref = ?",
            row -> new OrgId(row.getObject(1, UUID.class)),
            ref)
        .stream()
        .findFirst();
  }

  /** Returns the amount of an organization's entry. */
  public static Optional<Long> amount(Connection connection, OrgId org, String ref)
      throws SQLException {
    return Statements.first(
        connection,
        "SELECT amount_micro FROM ledger_entry WHERE org_id = ? AND ref = ?",
        row -> row.getLong(1),
        org.value(),
        ref);
  }

  private static Grant existing(Connection connection, NewEntry entry) throws SQLException {
    return Statements.first(
            connection,
            "SELECT org_id = ? AND kind = ? AND amount_micro = ? FROM ledger_entry WHERE ref = ?",
            row -> row.getBoolean(1),
            entry.org().value(),
            entry.kind().wire(),
            entry.amount().value(),
            entry.ref())
        .filter(isSame -> isSame)
        .map(_ -> Grant.ALREADY_RECORDED)
        .orElse(Grant.REFERENCE_TAKEN);
  }
}
