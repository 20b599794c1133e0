package dev.tollgate.server.postgres.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Maintenance of the ledger's daily table partitions: creates them ahead of time, sums them after
 * the day's end, and drops old ones. Any number of nodes may run it; one at a time does.
 */
public final class LedgerPartitions {
  /** Days younger than this are never dropped, as charges of them may still arrive. */
  public static final int RETENTION_DAYS_MIN = 8;

  private static final int DAYS_AHEAD = 7;
  private static final String SELECT_EXPIRED = "SELECT * FROM ledger_days_over(?, ?)";
  private static final String REQUEST_LOG_BYTES = "SELECT sum(bytes) FROM request_log_sizes()";

  private final DataSource source;

  /**
   * @param source connections with a statement timeout that suits the sums of a large day
   */
  public LedgerPartitions(DataSource source) {
    this.source = source;
  }

  /** Days whose partitions were dropped, of charges and of the request log. */
  public record DroppedDays(List<LocalDate> charges, List<LocalDate> requests) {}

  /** Creates missing partitions from yesterday to a week ahead. */
  public void createAhead() throws SQLException {
    try (Connection connection = source.getConnection()) {
      createAhead(connection);
    }
  }

  static void createAhead(Connection connection) throws SQLException {
    try (PreparedStatement make = connection.prepareStatement("SELECT ledger_partitions(?)")) {
      make.setInt(1, DAYS_AHEAD);
      make.execute();
    }
  }

  /** Sums the days that have ended; returns them. */
  public List<LocalDate> close() throws SQLException {
    try (Connection connection = source.getConnection()) {
      List<LocalDate> endedDays = days(connection, "SELECT * FROM ledger_days_to_close()");
      return each(connection, "SELECT ledger_close_day(?)", endedDays);
    }
  }

  /**
   * Drops days older than the retention, at least {@link #RETENTION_DAYS_MIN}, and lines of the
   * request log no later than charges. Charges are dropped only if no node can still send any of
   * that day; their sums stay.
   */
  public DroppedDays dropExpired(Duration chargesKept, Duration requestsKept) throws SQLException {
    try (Connection connection = source.getConnection()) {
      // In this order: a line without its charge would be counted beside the day's sums.
      List<LocalDate> requests =
          each(
              connection,
              "SELECT ledger_drop_requests(?)",
              days(connection, SELECT_EXPIRED, "request_log", wholeDays(requestsKept)));
      List<LocalDate> charges =
          each(
              connection,
              "SELECT ledger_drop_charges(?)",
              days(connection, SELECT_EXPIRED, "settlement", wholeDays(chargesKept)));
      return new DroppedDays(charges, requests);
    }
  }

  /**
   * Drops the oldest day of a request log that is larger than a number of bytes, indexes included;
   * today stays. Returns the day, which no other node drops too; empty if there is none to drop.
   */
  public Optional<LocalDate> dropRequestsAbove(long bytesMax) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement drop = connection.prepareStatement("SELECT request_log_drop_above(?)")) {
      drop.setLong(1, bytesMax);
      try (ResultSet row = drop.executeQuery()) {
        row.next();
        return Optional.ofNullable(row.getObject(1, LocalDate.class));
      }
    }
  }

  /** Returns the size of the request log, indexes included. */
  public long requestLogBytes() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(REQUEST_LOG_BYTES);
        ResultSet row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  /**
   * Deletes leases that ended long ago, counts of refusals that the request log outlived, and sums
   * of usage that are older than they are kept.
   */
  public void tidy() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement leases = connection.prepareStatement("SELECT ledger_tidy()");
        PreparedStatement counts = connection.prepareStatement("SELECT refusal_count_tidy()");
        PreparedStatement usage = connection.prepareStatement("SELECT usage_tidy()")) {
      leases.execute();
      counts.execute();
      usage.execute();
    }
  }

  private static int wholeDays(Duration kept) {
    return (int) Math.max(RETENTION_DAYS_MIN, kept.toDays());
  }

  private static List<LocalDate> days(Connection connection, String query, Object... values)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(query)) {
      for (int i = 0; i < values.length; i++) {
        select.setObject(i + 1, values[i]);
      }
      try (ResultSet row = select.executeQuery()) {
        List<LocalDate> days = new ArrayList<>();
        while (row.next()) {
          days.add(row.getObject(1, LocalDate.class));
        }
        return days;
      }
    }
  }

  /** Runs each day in a transaction of its own; returns the days that were changed. */
  private static List<LocalDate> each(Connection connection, String call, List<LocalDate> days)
      throws SQLException {
    List<LocalDate> done = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(call)) {
      for (LocalDate day : days) {
        statement.setObject(1, day);
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          if (row.getBoolean(1)) {
            done.add(day);
          }
        }
      }
    }
    return done;
  }
}
