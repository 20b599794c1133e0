package dev.tollgate.server.explorer;

import dev.tollgate.core.id.RequestId;
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
  private static final String DAYS =
      "SELECT day FROM ledger_days('request_log') WHERE day >= ? ORDER BY day";

  private static final String HOUR = "SELECT request_view_rebuild(?, ?, ?)";

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

  static LocalDate dayOf(Instant at) {
    return LocalDate.ofInstant(at, ZoneOffset.UTC);
  }

  /** Makes one hour anew; returns the number of its requests. */
  static int hour(Connection connection, Instant hour) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(HOUR)) {
      select.setObject(1, hour.atOffset(ZoneOffset.UTC));
      bindIds(select, 2, hour);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /** Binds an hour as its lowest and the next hour's lowest request id. */
  static void bindIds(PreparedStatement statement, int first, Instant hour) throws SQLException {
    statement.setString(first, RequestId.lowestAt(hour.toEpochMilli()));
    statement.setString(first + 1, RequestId.lowestAt(hour.plus(UsageSums.HOUR).toEpochMilli()));
  }
}
