package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.postgres.session.SqlArrays;
import dev.tollgate.server.postgres.tenants.StoredKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Queries of the gateway nodes registered in the ledger store, and release of the leases of
 * unresponsive nodes.
 */
public final class LedgerNodes {
  private static final String LIST =
      """
      SELECT n.node_id, n.epoch, n.state,
             floor(extract(epoch FROM ledger_now() - n.heartbeat_at) * 1000)::bigint AS silent,
             coalesce(sum(l.granted_micro - l.spent_micro), 0) AS leased,
             (sum(greatest(r.committed_micro - l.spent_micro, 0))
               FILTER (WHERE r.holder IS NOT NULL))::bigint AS committed
        FROM node_epoch n
        LEFT JOIN lease l ON l.holder = n.holder AND l.state = 'open' AND l.scope_id LIKE 'org:%'
        LEFT JOIN lease_report r ON r.holder = l.holder AND r.scope_id = l.scope_id
       GROUP BY n.node_id ORDER BY n.state DESC, n.heartbeat_at DESC
      """;

  private final DataSource pool;
  private final DataSource maintenancePool;

  /**
   * @param maintenancePool for changes of all leases of a node, one for each sum that it spent
   *     from, which take longer than the pool's statement timeout
   */
  public LedgerNodes(DataSource pool, DataSource maintenancePool) {
    this.pool = pool;
    this.maintenancePool = maintenancePool;
  }

  /**
   * Gateway node, as the ledger store has it.
   *
   * @param state {@code open}, {@code lost} or {@code closed}
   * @param sinceHeartbeat time since its last heartbeat
   * @param leased its leases of balances that are not spent
   * @param committed the part of them that it had reserved, charged or may soon need, as last
   *     reported; empty if never reported
   */
  public record LedgerNode(
      UUID id,
      long epoch,
      String state,
      Duration sinceHeartbeat,
      MicroUsd leased,
      Optional<MicroUsd> committed) {}

  /** Result of releasing a node's leases. */
  public sealed interface ReleaseResult {
    /**
     * The leases are closed.
     *
     * @param freed amount that was returned to balances
     */
    record Released(MicroUsd freed) implements ReleaseResult {}

    record Alive() implements ReleaseResult {}

    record AlreadyClosed() implements ReleaseResult {}

    record Unknown() implements ReleaseResult {}
  }

  /**
   * Node without a heartbeat for too long, whose uncommitted leases were released.
   *
   * @param freed the uncommitted amount, which was returned to balances
   */
  public record LostNode(UUID node, MicroUsd freed) {}

  /** Returns all nodes, the open ones first. */
  public List<LedgerNode> list() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(LIST);
        ResultSet row = select.executeQuery()) {
      List<LedgerNode> nodes = new ArrayList<>();
      while (row.next()) {
        nodes.add(
            new LedgerNode(
                row.getObject("node_id", UUID.class),
                row.getLong("epoch"),
                row.getString("state"),
                Duration.ofMillis(row.getLong("silent")),
                new MicroUsd(row.getLong("leased")),
                Optional.ofNullable(StoredKey.money(row, "committed"))));
      }
      return nodes;
    }
  }

  /** Closes the leases of a node without a heartbeat for this long; others keep theirs. */
  public ReleaseResult release(UUID node, Duration unresponsiveFor, String actor)
      throws SQLException {
    try (Connection connection = maintenancePool.getConnection();
        PreparedStatement release =
            connection.prepareStatement(
                "SELECT * FROM ledger_release(?, make_interval(secs => ?), ?)")) {
      release.setObject(1, node);
      release.setDouble(2, seconds(unresponsiveFor));
      release.setString(3, actor);
      try (ResultSet row = release.executeQuery()) {
        row.next();
        return switch (row.getString("answer")) {
          case "released" -> new ReleaseResult.Released(new MicroUsd(row.getLong("freed_micro")));
          case "alive" -> new ReleaseResult.Alive();
          case "closed" -> new ReleaseResult.AlreadyClosed();
          case "unknown" -> new ReleaseResult.Unknown();
          default -> throw new SQLException("no result: " + row.getString("answer"));
        };
      }
    }
  }

  /**
   * Marks nodes without a heartbeat for this long as lost: they may not spend any more, and their
   * uncommitted leases are returned.
   */
  public List<LostNode> markLost(Duration unresponsiveFor) throws SQLException {
    List<LostNode> lost = new ArrayList<>();
    try (Connection connection = maintenancePool.getConnection();
        PreparedStatement lose =
            connection.prepareStatement("SELECT * FROM ledger_lose(make_interval(secs => ?))")) {
      lose.setDouble(1, seconds(unresponsiveFor));
      boolean more = true;
      while (more) {
        try (ResultSet row = lose.executeQuery()) {
          more = row.next();
          if (more) {
            MicroUsd freed = new MicroUsd(row.getLong("freed_micro"));
            lost.add(new LostNode(row.getObject("node_id", UUID.class), freed));
          }
        }
      }
    }
    return lost;
  }

  /**
   * Records a node's report; one of an earlier epoch is ignored.
   *
   * @param number higher than in any earlier report of this epoch
   * @param unsettledAge how long the oldest charge has waited for its settlement
   */
  public void report(
      LeaseHolder holder, long number, Duration unsettledAge, List<Commitment> commitments)
      throws LedgerStoreException {
    try (Connection connection = pool.getConnection();
        PreparedStatement report =
            connection.prepareStatement("SELECT ledger_report(?, ?, ?, ?, ?, ?, ?)")) {
      report.setObject(1, holder.node());
      report.setLong(2, holder.epoch());
      report.setObject(3, holder.boot());
      report.setLong(4, number);
      report.setDouble(5, seconds(unsettledAge));
      report.setArray(6, SqlArrays.of(connection, "text", commitments, each -> each.scope().id()));
      report.setArray(7, SqlArrays.longs(connection, commitments, each -> each.amount().value()));
      report.execute();
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }
}
