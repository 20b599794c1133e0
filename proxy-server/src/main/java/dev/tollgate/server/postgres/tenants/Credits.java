package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.money.MicroUsd;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * DAO of credits granted to organizations: append-only ledger entries, each with a unique
 * reference.
 */
public final class Credits {
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

  /**
   * Records a credit.
   *
   * @param ref identifies the credit; it is recorded once, however often it is sent
   */
  public Grant grant(OrgId org, MicroUsd amount, String ref, String actor) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return insert(connection, org, amount, ref, actor);
    }
  }

  static Grant insert(Connection connection, OrgId org, MicroUsd amount, String ref, String actor)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO ledger_entry (org_id, kind, amount_micro, ref, actor)"
                + " VALUES (?, 'funding', ?, ?, ?) ON CONFLICT (ref) DO NOTHING")) {
      insert.setObject(1, org.value());
      insert.setLong(2, amount.value());
      insert.setString(3, ref);
      insert.setString(4, actor);
      return insert.executeUpdate() == 1
          ? Grant.RECORDED
          : existingGrant(connection, org, amount, ref);
    }
  }

  private static Grant existingGrant(Connection connection, OrgId org, MicroUsd amount, String ref)
      throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT org_id = ? AND amount_micro = ? FROM ledger_entry WHERE ref = ?")) {
      select.setObject(1, org.value());
      select.setLong(2, amount.value());
      select.setString(3, ref);
      try (ResultSet row = select.executeQuery()) {
        return row.next() && row.getBoolean(1) ? Grant.ALREADY_RECORDED : Grant.REFERENCE_TAKEN;
      }
    }
  }
}
