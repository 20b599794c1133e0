package dev.tollgate.server.explorer;

import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Check of the sums of the request view: each hour that ended is compared with its settlements, and
 * each closed day with the sums that the ledger keeps of it. What differs is made anew. Of several
 * nodes each hour has one check. Confined to one thread.
 */
final class RequestViewCheck {
  /** An hour is checked this long after its end: most of its requests have ended then. */
  private static final Duration HOUR_SETTLES = Duration.ofMinutes(10);

  private static final String MARK =
      """
      SELECT m.hours_checked, m.upto,
             (SELECT min(d.day) FROM ledger_days('settlement') d
               WHERE d.closed AND d.day >= m.days_checked
                 AND NOT EXISTS (SELECT 1 FROM request_view_late l WHERE l.day = d.day)) AS day
        FROM request_view_mark m
      """;

  /** Charges that the view has still to take over are left out. */
  private static final String HOUR_DIFFERS =
      """
      SELECT 1
        FROM (SELECT org_id, sum(cost_micro) AS cost FROM settlement s
               WHERE day = ? AND request_id >= ? AND request_id < ? AND at < ?
                 AND NOT EXISTS (SELECT 1 FROM request_view_late l
                                  WHERE l.day = s.day AND l.request_id = s.request_id)
               GROUP BY 1) s
        FULL JOIN (SELECT org_id, sum(cost_micro) AS cost FROM usage_hour WHERE slot = ?
                    GROUP BY 1) u
       USING (org_id)
       WHERE coalesce(s.cost, 0) <> coalesce(u.cost, 0)
       LIMIT 1
      """;

  private static final String DAY_DIFFERS =
      """
      SELECT 1
        FROM (SELECT scope_id, sum_micro FROM settlement_rollup
               WHERE day = ? AND scope_id LIKE 'keyd:%') r
        FULL JOIN (SELECT c.scope_id COLLATE "C" AS scope_id, sum(k.cost) AS cost
                     FROM (SELECT org_id, key_id, sum(cost_micro) AS cost FROM usage_hour
                            WHERE slot >= ? AND slot < ? GROUP BY 1, 2) k
                    CROSS JOIN LATERAL ledger_scopes(k.org_id, k.key_id, ?) c
                    WHERE c.kind = 4 GROUP BY 1) u
       USING (scope_id)
       WHERE coalesce(r.sum_micro, 0) <> coalesce(u.cost, 0)
       LIMIT 1
      """;

  private static final String HOUR_CHECKED = "UPDATE request_view_mark SET hours_checked = ?";

  private static final String DAY_CHECKED = "UPDATE request_view_mark SET days_checked = ?";

  private static final Logger LOG = LoggerFactory.getLogger(RequestViewCheck.class);

  private final LongAdder mismatches = new LongAdder();

  private record Mark(Instant hoursChecked, Instant upto, @Nullable LocalDate day) {}

  /** Returns the hours and days that differed since the start of this node. */
  long mismatches() {
    return mismatches.sum();
  }

  /** Checks the next hour and the next day, if their time has come; returns whether there were. */
  boolean checkNext(Connection connection) throws SQLException {
    boolean hadHour = Transactions.run(connection, this::checkHour);
    Optional<LocalDate> differing = Transactions.run(connection, RequestViewCheck::checkDay);
    if (differing.isEmpty()) {
      return hadHour;
    }
    LocalDate wrong = differing.get();
    mismatch("day", wrong);
    RequestViewRebuild.day(connection, wrong);
    return Transactions.run(connection, open -> checked(open, DAY_CHECKED, wrong.plusDays(1)));
  }

  private boolean checkHour(Connection connection) throws SQLException {
    if (!ViewLock.tryAcquire(connection)) {
      return false;
    }
    Mark mark = mark(connection);
    Instant hour = mark.hoursChecked();
    Instant end = hour.plus(UsageSums.HOUR);
    if (!end.plus(HOUR_SETTLES).isBefore(mark.upto())) {
      return false;
    }
    if (differs(connection, hour, mark.upto())) {
      mismatch("hour", hour);
      RequestViewRebuild.hour(connection, hour);
    }
    return checked(connection, HOUR_CHECKED, end.atOffset(ZoneOffset.UTC));
  }

  /** Returns the next day if it differs. */
  private static Optional<LocalDate> checkDay(Connection connection) throws SQLException {
    if (!ViewLock.tryAcquire(connection)) {
      return Optional.empty();
    }
    LocalDate day = mark(connection).day();
    if (day != null && differs(connection, day)) {
      return Optional.of(day);
    }
    if (day != null) {
      checked(connection, DAY_CHECKED, day.plusDays(1));
    }
    return Optional.empty();
  }

  private void mismatch(String what, Object which) {
    mismatches.increment();
    LOG.warn(
        "the request view of the {} {} differs from its charges and is made anew", what, which);
  }

  private static Mark mark(Connection connection) throws SQLException {
    try (Statement select = connection.createStatement();
        ResultSet row = select.executeQuery(MARK)) {
      row.next();
      return new Mark(
          RequestViewRows.instant(row, "hours_checked"),
          RequestViewRows.instant(row, "upto"),
          row.getObject("day", LocalDate.class));
    }
  }

  private static boolean checked(Connection connection, String sql, Object upto)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      update.setObject(1, upto);
      return update.executeUpdate() > 0;
    }
  }

  private static boolean differs(Connection connection, Instant hour, Instant upto)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(HOUR_DIFFERS)) {
      select.setObject(1, RequestViewRebuild.dayOf(hour));
      RequestViewRebuild.bindIds(select, 2, hour);
      select.setObject(4, upto.atOffset(ZoneOffset.UTC));
      select.setObject(5, hour.atOffset(ZoneOffset.UTC));
      return hasRow(select);
    }
  }

  private static boolean differs(Connection connection, LocalDate day) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(DAY_DIFFERS)) {
      select.setObject(1, day);
      select.setObject(2, day.atStartOfDay().atOffset(ZoneOffset.UTC));
      select.setObject(3, day.plusDays(1).atStartOfDay().atOffset(ZoneOffset.UTC));
      select.setObject(4, day);
      return hasRow(select);
    }
  }

  private static boolean hasRow(PreparedStatement select) throws SQLException {
    try (ResultSet row = select.executeQuery()) {
      return row.next();
    }
  }
}
