package dev.tollgate.server.explorer;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import javax.sql.DataSource;

/**
 * Rebuild of the request view and of its sums from the request log and the settlements, hour by
 * hour, each in a transaction. The projection continues between two hours. Days whose request log
 * was dropped stay as they are.
 */
public final class RequestViewRebuild {
  private static final int CHUNK_ROWS = 1_000;

  private static final String DAYS =
      "SELECT day FROM ledger_days('request_log') WHERE day >= ? ORDER BY day";

  private static final String HAS_LOG = "SELECT 1 FROM ledger_days('request_log') WHERE day = ?";

  private static final String REQUESTS =
      """
      SELECT day, request_id, coalesce(l.org_id, s.org_id) AS org_id,
             coalesce(l.key_id, s.key_id) AS key_id, coalesce(l.at, s.at) AS at, l.row,
             s.prompt_tokens, s.completion_tokens, s.cached_tokens, s.reasoning_tokens,
             s.estimated, coalesce(s.cost_micro, 0) AS cost_micro, s.how
        FROM (SELECT * FROM request_log
               WHERE day = ? AND request_id >= ? AND request_id < ?) l
        FULL JOIN (SELECT * FROM settlement
                    WHERE day = ? AND request_id >= ? AND request_id < ?) s
       USING (day, request_id)
      """;

  private static final String DELETE_ROWS =
      "DELETE FROM request_view WHERE day = ? AND request_id >= ? AND request_id < ?";

  private static final String DELETE_SLOTS = "DELETE FROM usage_slot WHERE slot >= ? AND slot < ?";

  private static final String DELETE_HOUR = "DELETE FROM usage_hour WHERE slot = ?";

  private final DataSource source;

  /**
   * @param source connections without a short statement timeout
   */
  public RequestViewRebuild(DataSource source) {
    this.source = source;
  }

  /**
   * Makes the view of a day and of all later ones anew.
   *
   * @param rebuilt is called with each day and the number of its requests
   */
  public void from(LocalDate first, ObjIntConsumer<LocalDate> rebuilt) throws SQLException {
    try (Connection connection = source.getConnection()) {
      for (LocalDate day : days(connection, first)) {
        rebuilt.accept(day, day(connection, day));
      }
    }
  }

  private static List<LocalDate> days(Connection connection, LocalDate first) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(DAYS)) {
      select.setObject(1, first);
      try (ResultSet row = select.executeQuery()) {
        List<LocalDate> days = new ArrayList<>();
        while (row.next()) {
          days.add(row.getObject(1, LocalDate.class));
        }
        return days;
      }
    }
  }

  /** Makes one day anew; returns the number of its requests. */
  static int day(Connection connection, LocalDate day) throws SQLException {
    int rows = 0;
    Instant end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    Instant hour = day.atStartOfDay(ZoneOffset.UTC).toInstant();
    for (; hour.isBefore(end); hour = hour.plus(UsageSums.HOUR)) {
      rows += hour(connection, hour);
    }
    return rows;
  }

  /** Makes one hour anew; returns the number of its requests. */
  static int hour(Connection connection, Instant hour) throws SQLException {
    return Transactions.run(
        connection,
        open -> {
          ViewLock.acquire(open);
          return hourInTransaction(open, hour);
        });
  }

  static LocalDate dayOf(Instant at) {
    return LocalDate.ofInstant(at, ZoneOffset.UTC);
  }

  private static boolean hasLog(Connection connection, LocalDate day) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(HAS_LOG)) {
      select.setObject(1, day);
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Makes one hour anew in a transaction that has the lock. */
  static int hourInTransaction(Connection connection, Instant hour) throws SQLException {
    if (!hasLog(connection, dayOf(hour))) {
      return 0;
    }
    delete(connection, hour);
    var sums = new UsageSums();
    int inserted = 0;
    try (PreparedStatement select = connection.prepareStatement(REQUESTS)) {
      select.setFetchSize(CHUNK_ROWS);
      bindRange(select, 1, hour);
      bindRange(select, 4, hour);
      try (ResultSet row = select.executeQuery()) {
        List<RequestRow> chunk = new ArrayList<>(CHUNK_ROWS);
        while (row.next()) {
          chunk.add(RequestViewRows.charged(row));
          if (chunk.size() == CHUNK_ROWS) {
            inserted += RequestViewRows.insert(connection, chunk, sums);
            chunk.clear();
          }
        }
        inserted += RequestViewRows.insert(connection, chunk, sums);
      }
    }
    sums.write(connection);
    return inserted;
  }

  private static void delete(Connection connection, Instant hour) throws SQLException {
    try (PreparedStatement rows = connection.prepareStatement(DELETE_ROWS);
        PreparedStatement slots = connection.prepareStatement(DELETE_SLOTS);
        PreparedStatement its = connection.prepareStatement(DELETE_HOUR)) {
      bindRange(rows, 1, hour);
      rows.executeUpdate();
      slots.setObject(1, hour.atOffset(ZoneOffset.UTC));
      slots.setObject(2, hour.plus(UsageSums.HOUR).atOffset(ZoneOffset.UTC));
      slots.executeUpdate();
      its.setObject(1, hour.atOffset(ZoneOffset.UTC));
      its.executeUpdate();
    }
  }

  /** Binds an hour as its day and its lowest and the next hour's lowest request id. */
  static void bindRange(PreparedStatement statement, int first, Instant hour) throws SQLException {
    statement.setObject(first, dayOf(hour));
    statement.setString(first + 1, RequestId.lowestAt(hour.toEpochMilli()));
    statement.setString(first + 2, RequestId.lowestAt(hour.plus(UsageSums.HOUR).toEpochMilli()));
  }
}
