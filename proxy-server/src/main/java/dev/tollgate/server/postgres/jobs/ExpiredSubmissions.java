package dev.tollgate.server.postgres.jobs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Submissions that were kept for long enough. Any number of nodes may forget them. */
public final class ExpiredSubmissions {
  /** In one transaction, so that none takes long: images lie behind these rows. */
  static final int PORTION = 200;

  private static final int PORTIONS_MAX = 50;

  private final DataSource source;

  /**
   * @param source of connections that do not give up before a large portion is deleted
   */
  public ExpiredSubmissions(DataSource source) {
    this.source = source;
  }

  /** Forgets what expired, as much as one round may take; returns how many. */
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
