package dev.tollgate.server.postgres;

import dev.tollgate.core.ledger.Bank.BankException;
import dev.tollgate.core.ledger.Bank.Holder;
import dev.tollgate.core.ledger.BooksCounts;
import dev.tollgate.core.ledger.BooksIdentity;
import dev.tollgate.core.ledger.Mark;
import dev.tollgate.core.ledger.Marks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/** Which books PostgreSQL holds, and how far they came with a node: {@code V9__ledger_nodes}. */
final class PostgresMarks implements Marks {
  /** Behind the statement that books a batch, in its transaction. */
  static final String COUNT =
      "; UPDATE node_mark SET batches = batches + 1 WHERE node_id = ? AND epoch = ?"
          + " RETURNING batches";

  /**
   * Behind a sign of life, in its transaction: its number, where the one that was heard of last is
   * still known. Ticks come after grants, and so do they in what a database may lose.
   */
  static final String TICKED =
      "; UPDATE node_mark SET ticked = greatest(ticked, ?)"
          + " WHERE node_id = ? AND epoch = ? AND ticked >= ? RETURNING ticked";

  private final DataSource pool;
  private final BooksCounts counts = new BooksCounts();

  PostgresMarks(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public Mark look(UUID node) throws BankException {
    return call("SELECT * FROM ledger_books(?)", look -> look.setObject(1, node));
  }

  @Override
  public Mark raise(Holder holder, BooksIdentity began, long keptFrom) throws BankException {
    return call(
        "SELECT * FROM ledger_mark(?, ?, ?, ?, ?, ?, ?, ?)",
        raise -> {
          raise.setObject(1, holder.node());
          raise.setLong(2, holder.epoch());
          raise.setObject(3, holder.boot());
          raise.setString(4, began.incarnation());
          raise.setString(5, began.system());
          raise.setString(6, began.timeline());
          raise.setLong(7, counts.heard());
          raise.setLong(8, keptFrom);
        });
  }

  @Override
  public BooksCounts counts() {
    return counts;
  }

  /** Accepts that charges before a segment are missing, and notes who did. */
  static void rebase(DataSource source, UUID node, long keptFrom, String actor)
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

  private Mark call(String sql, Binding binding) throws BankException {
    try (Connection connection = pool.getConnection();
        PreparedStatement call = connection.prepareStatement(sql)) {
      binding.bind(call);
      try (ResultSet row = call.executeQuery()) {
        if (!row.next()) {
          throw new SQLException("the books do not say which they are");
        }
        return read(row);
      }
    } catch (SQLException e) {
      throw BankFailures.of(e);
    }
  }

  private static Mark read(ResultSet row) throws SQLException {
    return new Mark(
        new BooksIdentity(
            row.getString("incarnation"), row.getString("system"), row.getString("timeline")),
        row.getLong("epoch"),
        Optional.ofNullable(row.getObject("boot_id", UUID.class)),
        row.getLong("batches"),
        row.getLong("kept_from"));
  }
}
