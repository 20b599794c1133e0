package dev.tollgate.server.postgres;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.Commitment;
import dev.tollgate.core.money.MicroUsd;
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

/** The nodes as the books know them, and what becomes of the leases of those that are silent. */
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
  private final DataSource upkeep;

  /**
   * @param upkeep for what changes all leases of a node, which the pool's sessions would give up:
   *     there is one for each sum that it spent from
   */
  LedgerNodes(DataSource pool, DataSource upkeep) {
    this.pool = pool;
    this.upkeep = upkeep;
  }

  /**
   * A node.
   *
   * @param state {@code open}, {@code lost} or {@code closed}
   * @param silent since its last sign of life
   * @param leased what it holds of balances and has not spent
   * @param committed how much of that it had reserved, charged or may soon want, as it said last;
   *     empty: it did not say
   */
  public record Node(
      UUID id,
      long epoch,
      String state,
      Duration silent,
      MicroUsd leased,
      Optional<MicroUsd> committed) {}

  /** What came of a release. */
  public sealed interface Release {
    /**
     * Its leases are closed.
     *
     * @param freed of balances
     */
    record Released(MicroUsd freed) implements Release {}

    record Alive() implements Release {}

    record AlreadyClosed() implements Release {}

    record Unknown() implements Release {}
  }

  /**
   * A node that was silent for too long.
   *
   * @param freed of balances: what it had not committed
   */
  public record Lost(UUID node, MicroUsd freed) {}

  /** All nodes there ever were, those that are open first. */
  public List<Node> list() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(LIST);
        ResultSet row = select.executeQuery()) {
      List<Node> nodes = new ArrayList<>();
      while (row.next()) {
        nodes.add(
            new Node(
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

  /** Closes the leases of a node that was silent for so long; others keep theirs. */
  public Release release(UUID node, Duration silence, String actor) throws SQLException {
    try (Connection connection = upkeep.getConnection();
        PreparedStatement release =
            connection.prepareStatement(
                "SELECT * FROM ledger_release(?, make_interval(secs => ?), ?)")) {
      release.setObject(1, node);
      release.setDouble(2, seconds(silence));
      release.setString(3, actor);
      try (ResultSet row = release.executeQuery()) {
        row.next();
        return switch (row.getString("answer")) {
          case "released" -> new Release.Released(new MicroUsd(row.getLong("freed_micro")));
          case "alive" -> new Release.Alive();
          case "closed" -> new Release.AlreadyClosed();
          case "unknown" -> new Release.Unknown();
          default -> throw new SQLException("no answer: " + row.getString("answer"));
        };
      }
    }
  }

  /** Nodes that were silent for so long may not spend any more; what they can spare is free. */
  public List<Lost> lose(Duration silence) throws SQLException {
    List<Lost> lost = new ArrayList<>();
    try (Connection connection = upkeep.getConnection();
        PreparedStatement lose =
            connection.prepareStatement("SELECT * FROM ledger_lose(make_interval(secs => ?))")) {
      lose.setDouble(1, seconds(silence));
      boolean more = true;
      while (more) {
        try (ResultSet row = lose.executeQuery()) {
          more = row.next();
          if (more) {
            MicroUsd freed = new MicroUsd(row.getLong("freed_micro"));
            lost.add(new Lost(row.getObject("node_id", UUID.class), freed));
          }
        }
      }
    }
    return lost;
  }

  /**
   * A node tells of itself; who is not its present life is not heard.
   *
   * @param number higher than that of what this life said before
   * @param owes for how long the oldest charge has waited for the books
   */
  public void report(Holder holder, long number, Duration owes, List<Commitment> commitments)
      throws BankException {
    try (Connection connection = pool.getConnection();
        PreparedStatement report =
            connection.prepareStatement("SELECT ledger_report(?, ?, ?, ?, ?, ?, ?)")) {
      report.setObject(1, holder.node());
      report.setLong(2, holder.epoch());
      report.setObject(3, holder.boot());
      report.setLong(4, number);
      report.setDouble(5, seconds(owes));
      report.setArray(6, SqlArrays.of(connection, "text", commitments, each -> each.scope().id()));
      report.setArray(7, SqlArrays.longs(connection, commitments, each -> each.amount().value()));
      report.execute();
    } catch (SQLException e) {
      throw BankFailures.of(e);
    }
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }
}
