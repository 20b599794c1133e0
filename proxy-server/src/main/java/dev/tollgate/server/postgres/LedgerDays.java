package dev.tollgate.server.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The days of the ledger: each is a partition, made ahead of its time and dropped when it is old.
 */
public final class LedgerDays {
  private static final int AHEAD = 7;

  private final DataSource pool;

  LedgerDays(DataSource pool) {
    this.pool = pool;
  }

  /** Makes what is missing from yesterday to a week ahead; any number of nodes may call it. */
  public void make() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      make(connection);
    }
  }

  static void make(Connection connection) throws SQLException {
    try (PreparedStatement make = connection.prepareStatement("SELECT ledger_partitions(?)")) {
      make.setInt(1, AHEAD);
      make.execute();
    }
  }

  /**
   * Drops the days older than so many, at least 8, of which no node can still have charges. Their
   * sums stay.
   *
   * @return the days that were dropped
   */
  public List<LocalDate> retain(int days) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement retain = connection.prepareStatement("SELECT * FROM ledger_retain(?)")) {
      retain.setInt(1, days);
      try (ResultSet row = retain.executeQuery()) {
        List<LocalDate> dropped = new ArrayList<>();
        while (row.next()) {
          dropped.add(row.getObject(1, LocalDate.class));
        }
        return dropped;
      }
    }
  }
}
