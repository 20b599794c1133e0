package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.LedgerStoreIdentity;
import dev.tollgate.core.ledger.LedgerWatermark;
import dev.tollgate.core.ledger.NodeCheckpoint;
import dev.tollgate.core.ledger.NodeCheckpoints;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * DAO of the ledger store's identity and its checkpoint for each node, which reveal a rollback of
 * the database: {@code V9__ledger_nodes}.
 */
public final class PostgresNodeCheckpoints implements NodeCheckpoints {
  /** Runs after the statement that settles a batch, in its transaction. */
  static final String COUNT_BATCH =
      "; UPDATE node_mark SET batches = batches + 1 WHERE node_id = ? AND epoch = ?"
          + " RETURNING batches";

  /**
   * Records the number of a heartbeat, in its transaction, if the previous one is still known.
   * Heartbeats are committed after grants, so a database that lost a grant has lost them too.
   */
  static final String RECORD_HEARTBEAT =
      "; UPDATE node_mark SET ticked = greatest(ticked, ?)"
          + " WHERE node_id = ? AND epoch = ? AND ticked >= ? RETURNING ticked";

  private final DataSource pool;
  private final LedgerWatermark watermark = new LedgerWatermark();

  PostgresNodeCheckpoints(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public NodeCheckpoint read(UUID node) throws LedgerStoreException {
    return call("SELECT * FROM ledger_books(?)", select -> select.setObject(1, node));
  }

  @Override
  public NodeCheckpoint advance(LeaseHolder holder, LedgerStoreIdentity identity, long keptFrom)
      throws LedgerStoreException {
    return call(
        "SELECT * FROM ledger_mark(?, ?, ?, ?, ?, ?, ?, ?)",
        raise -> {
          raise.setObject(1, holder.node());
          raise.setLong(2, holder.epoch());
          raise.setObject(3, holder.boot());
          raise.setString(4, identity.incarnation());
          raise.setString(5, identity.system());
          raise.setString(6, identity.timeline());
          raise.setLong(7, watermark.batches());
          raise.setLong(8, keptFrom);
        });
  }

  @Override
  public LedgerWatermark watermark() {
    return watermark;
  }

  /** Accepts that charges before a segment are missing, and records the actor. */
  public static void acceptRollback(DataSource source, UUID node, long keptFrom, String actor)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement rebase = connection.prepareStatement("SELECT ledger_rebase(?, ?, ?)")) {
      rebase.setObject(1, node);
      rebase.setLong(2, keptFrom);
      rebase.setString(3, actor);
      rebase.execute();
    }
  }

  private interface Binding {
    void bind(PreparedStatement call) throws SQLException;
  }

  private NodeCheckpoint call(String sql, Binding binding) throws LedgerStoreException {
    try (Connection connection = pool.getConnection();
        PreparedStatement call = connection.prepareStatement(sql)) {
      binding.bind(call);
      try (ResultSet row = call.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("the ledger store returned no identity");
        }
        return read(row);
      }
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }

  private static NodeCheckpoint read(ResultSet row) throws SQLException {
    return new NodeCheckpoint(
        new LedgerStoreIdentity(
            row.getString("incarnation"), row.getString("system"), row.getString("timeline")),
        row.getLong("epoch"),
        Optional.ofNullable(row.getObject("boot_id", UUID.class)),
        row.getLong("batches"),
        row.getLong("kept_from"));
  }
}
