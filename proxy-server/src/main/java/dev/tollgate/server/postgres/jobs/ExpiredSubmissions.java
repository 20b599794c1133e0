package dev.tollgate.server.postgres.jobs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Deletion of rows in the {@code idempotency} table whose retention has ended; any number of nodes
 * may run it.
 */
public final class ExpiredSubmissions {
  /** Rows per transaction, so that none takes long: rows may carry images. */
  static final int PORTION = 200;

  private static final int PORTIONS_MAX = 50;

  private final DataSource source;

  /**
   * @param source connections with a statement timeout that suits a large portion
   */
  public ExpiredSubmissions(DataSource source) {
    this.source = source;
  }

  /** Deletes expired submissions, a bounded number in each round; returns their number. */
  public int deleteExpired() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement tidy = connection.prepareStatement("SELECT idempotency_tidy(?)")) {
      tidy.setInt(1, PORTION);
      int all = 0;
      int deleted = PORTION;
      for (int i = 0; i < PORTIONS_MAX && deleted == PORTION; i++) {
        deleted = portion(tidy);
        all += deleted;
      }
      return all;
    }
  }

  private static int portion(PreparedStatement tidy) throws SQLException {
    try (ResultSet row = tidy.executeQuery()) {
      return row.next() ? row.getInt(1) : 0;
    }
  }
}
