package dev.tollgate.server.explorer;

import dev.tollgate.server.explorer.RequestViewRows.Booked;
import dev.tollgate.server.explorer.RequestViewRows.Ids;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * Projection of the request log and of late charges into the request view, in transactions that
 * move its mark. Of several nodes one at a time has the lock. Confined to one thread.
 *
 * <p>A row of the log has the time at which its transaction began, and becomes visible at that
 * transaction's end. So the mark stays behind the oldest transaction that is open, as long as such
 * a transaction may live.
 */
final class RequestProjection {
  /** Most rows that one transaction takes over, unless more were written in a few seconds. */
  static final int ROWS_MAX = 20_000;

  /** Rows of one statement. */
  private static final int CHUNK_ROWS = 1_000;

  private static final int LATE_MAX = 1_000;

  /** Charges of jobs are kept waiting so long for the line of their request. */
  private static final Duration LINE_AWAITED = Duration.ofMinutes(1);

  /** Periods up to this one are taken over without a look at the number of their rows. */
  private static final Duration SLICE_UNPROBED = Duration.ofSeconds(3);

  private static final Duration SLICE_MAX = Duration.ofHours(6);
  private static final int SLICE_FACTOR = 4;

  /** Of transactions that are open, those that only do maintenance write no row of the log. */
  private static final String MARK =
      """
      SELECT m.upto, t.now, greatest(t.now - make_interval(secs => ?),
               least(t.now - make_interval(secs => ?),
                     (SELECT min(a.xact_start) FROM pg_stat_activity a
                       WHERE a.datname = current_database() AND a.usename = current_user
                         AND a.application_name <> 'tollgate-setup'
                         AND a.pid <> pg_backend_pid()))) AS safe
        FROM request_view_mark m CROSS JOIN (SELECT clock_timestamp() AS now) t
      """;

  private static final String HAS_MORE =
      "SELECT 1 FROM request_log WHERE at >= ? AND at < ? LIMIT 1 OFFSET " + ROWS_MAX;

  private static final String LINES =
      "SELECT day, request_id, org_id, key_id, at, row FROM request_log WHERE at >= ? AND at < ?";

  private static final String LATE =
      """
      SELECT s.day, s.request_id, s.org_id, s.key_id, s.prompt_tokens, s.completion_tokens,
             s.cached_tokens, s.reasoning_tokens, s.estimated, s.cost_micro, s.how, s.at,
             EXISTS (SELECT 1 FROM request_view v
                      WHERE v.day = l.day AND v.request_id = l.request_id) AS seen
        FROM request_view_late l
        JOIN settlement s ON s.day = l.day AND s.request_id = l.request_id
       WHERE s.how = 'crash' OR l.at < ?
          OR EXISTS (SELECT 1 FROM request_view v
                      WHERE v.day = l.day AND v.request_id = l.request_id)
       ORDER BY l.at LIMIT
      """
          + LATE_MAX;

  private static final String ROW =
      "SELECT "
          + RequestViewRows.COLUMNS
          + " FROM request_view v WHERE v.day = ? AND v.request_id = ?";

  private static final String CHARGE =
      """
      UPDATE request_view SET cost_micro = ?, operator_cost_micro = ?, estimated = ?
       WHERE day = ? AND request_id = ?
      """;

  private static final String LATE_DONE =
      "DELETE FROM request_view_late WHERE day = ? AND request_id = ?";

  private final Rules rules;
  private Duration slice = SLICE_UNPROBED;

  /**
   * Times by which the mark stays behind.
   *
   * @param transactionMax longest life of a transaction that writes to the log
   * @param startMax longest time from a transaction's begin until others see that it is open
   */
  record Rules(Duration transactionMax, Duration startMax) {
    static final Rules DEFAULT = new Rules(Duration.ofSeconds(15), Duration.ofMillis(250));
  }

  /**
   * Result of one step.
   *
   * @param rows rows that are new in the view
   * @param behind from the mark to the present
   * @param hasMore true if rows wait that the next step can take over
   */
  record Step(int rows, Duration behind, boolean hasMore) {}

  private record Mark(Instant upto, Instant now, Instant safe) {}

  RequestProjection(Rules rules) {
    this.rules = rules;
  }

  /** Takes over what was written since the last step, of any node. */
  Step step(Connection connection) throws SQLException {
    return Transactions.run(connection, this::stepInTransaction);
  }

  private Step stepInTransaction(Connection connection) throws SQLException {
    boolean isMine = ViewLock.tryAcquire(connection);
    Mark mark = mark(connection);
    if (!isMine) {
      return new Step(0, Duration.between(mark.upto(), mark.now()), false);
    }
    try (Statement plan = connection.createStatement()) {
      // Statistics of a day that is being written know nothing of its latest rows.
      plan.execute("SET LOCAL enable_seqscan = off");
    }
    var sums = new UsageSums();
    int rows = 0;
    Instant upto = mark.upto();
    if (mark.safe().isAfter(upto)) {
      upto = end(connection, mark);
      rows = takeLines(connection, mark.upto(), upto, sums);
      move(connection, upto);
    }
    int late = takeLate(connection, upto, sums);
    sums.write(connection);
    boolean hasMore = upto.isBefore(mark.safe()) || late == LATE_MAX;
    return new Step(rows, Duration.between(upto, mark.now()), hasMore);
  }

  private Mark mark(Connection connection) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(MARK)) {
      select.setDouble(1, rules.transactionMax().toMillis() / 1e3);
      select.setDouble(2, rules.startMax().toMillis() / 1e3);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return new Mark(instant(row, "upto"), instant(row, "now"), instant(row, "safe"));
      }
    }
  }

  /** Returns the end of the period to take over: it grows while few rows are found. */
  private Instant end(Connection connection, Mark mark) throws SQLException {
    Instant end = least(mark.upto().plus(slice), mark.safe());
    Duration span = Duration.between(mark.upto(), end);
    while (span.compareTo(SLICE_UNPROBED) > 0 && hasTooMany(connection, mark.upto(), end)) {
      slice = span.dividedBy(SLICE_FACTOR);
      end = mark.upto().plus(slice);
      span = slice;
    }
    Duration wider = slice.multipliedBy(SLICE_FACTOR);
    slice = wider.compareTo(SLICE_MAX) > 0 ? SLICE_MAX : wider;
    return end;
  }

  private static boolean hasTooMany(Connection connection, Instant from, Instant to)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(HAS_MORE)) {
      select.setObject(1, from.atOffset(ZoneOffset.UTC));
      select.setObject(2, to.atOffset(ZoneOffset.UTC));
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  private static int takeLines(Connection connection, Instant from, Instant to, UsageSums sums)
      throws SQLException {
    int inserted = 0;
    try (PreparedStatement select = connection.prepareStatement(LINES)) {
      select.setFetchSize(CHUNK_ROWS);
      select.setObject(1, from.atOffset(ZoneOffset.UTC));
      select.setObject(2, to.atOffset(ZoneOffset.UTC));
      try (ResultSet row = select.executeQuery()) {
        List<RequestRow> chunk = new ArrayList<>(CHUNK_ROWS);
        while (row.next()) {
          RequestLine line = RequestLineReader.read(row.getString("row"));
          chunk.add(RequestViewRows.of(Ids.read(row), line, instant(row, "at")));
          if (chunk.size() == CHUNK_ROWS) {
            inserted += RequestViewRows.insert(connection, chunk, sums);
            chunk.clear();
          }
        }
        inserted += RequestViewRows.insert(connection, chunk, sums);
      }
    }
    return inserted;
  }

  private static void move(Connection connection, Instant upto) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE request_view_mark SET upto = ?")) {
      update.setObject(1, upto.atOffset(ZoneOffset.UTC));
      update.executeUpdate();
    }
  }

  // Late charges

  private record Late(Ids ids, Booked booked, Instant at, boolean isSeen) {}

  /** Takes over charges that came without their line or after it; returns their number. */
  private static int takeLate(Connection connection, Instant upto, UsageSums sums)
      throws SQLException {
    List<Late> all = late(connection, upto.minus(LINE_AWAITED));
    List<RequestRow> missing = new ArrayList<>();
    for (Late late : all) {
      if (late.isSeen()) {
        charge(connection, late, sums);
      } else {
        missing.add(RequestViewRows.of(late.ids(), late.booked(), late.at()));
      }
    }
    RequestViewRows.insert(connection, missing, sums);
    try (PreparedStatement done = connection.prepareStatement(LATE_DONE)) {
      for (Late late : all) {
        done.setObject(1, late.ids().day());
        done.setString(2, late.ids().requestId());
        done.addBatch();
      }
      done.executeBatch();
    }
    return all.size();
  }

  private static List<Late> late(Connection connection, Instant before) throws SQLException {
    List<Late> all = new ArrayList<>();
    try (PreparedStatement select = connection.prepareStatement(LATE)) {
      select.setObject(1, before.atOffset(ZoneOffset.UTC));
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          all.add(new Late(Ids.read(row), booked(row), instant(row, "at"), row.getBoolean("seen")));
        }
      }
    }
    return all;
  }

  static Booked booked(ResultSet row) throws SQLException {
    return new Booked(
        RequestViewRows.tokens(row),
        row.getBoolean("estimated"),
        row.getLong("cost_micro"),
        "crash".equals(row.getString("how")));
  }

  private static void charge(Connection connection, Late late, UsageSums sums) throws SQLException {
    RequestRow row = row(connection, late.ids());
    long cost = late.booked().costMicro();
    long operatorCost = RequestViewRows.operatorCost(row, cost);
    sums.addCost(row, cost - row.costMicro(), operatorCost - row.operatorCostMicro());
    try (PreparedStatement update = connection.prepareStatement(CHARGE)) {
      update.setLong(1, cost);
      update.setLong(2, operatorCost);
      update.setBoolean(3, late.booked().estimated());
      update.setObject(4, late.ids().day());
      update.setString(5, late.ids().requestId());
      update.executeUpdate();
    }
  }

  private static RequestRow row(Connection connection, Ids ids) throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(ROW)) {
      select.setObject(1, ids.day());
      select.setString(2, ids.requestId());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return RequestViewRows.read(row);
      }
    }
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static Instant least(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
