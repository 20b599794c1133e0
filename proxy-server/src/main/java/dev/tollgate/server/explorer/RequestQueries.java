package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the request view, the latest requests first. A page looks at a bounded number of rows,
 * so it may be short or empty although more requests match.
 */
public final class RequestQueries {
  /** Most rows that one page looks at. */
  public static final int ROWS_LOOKED_AT_MAX = 100_000;

  /** Most rows by a key, a model or failures: they lie apart, and each costs a read of its own. */
  private static final int SCATTERED_ROWS_MAX = 25_000;

  private static final int STATEMENT_MILLIS_MAX = 2_000;

  /** Largest page. */
  public static final int PAGE_MAX = 200;

  private static final String FAILURES = "AND v.outcome NOT IN ('ok', 'ok_estimated', 'replayed')";

  private static final String DAYS =
      """
      SELECT day FROM ledger_days('request_view') WHERE day >= ? AND day <= ? ORDER BY day DESC
      """;

  private final DataSource source;

  /**
   * @param source connections with a short statement timeout
   */
  public RequestQueries(DataSource source) {
    this.source = source;
  }

  /** Place in the order of requests: the request itself is not on the page that follows. */
  public record Position(LocalDate day, String requestId) {
    /** Returns the place that a text of {@link #toString} stands for; empty for any other text. */
    public static Optional<Position> parse(String text) {
      String[] parts = text.split(" ", 2);
      if (parts.length != 2 || !RequestViewRows.isId(parts[1])) {
        return Optional.empty();
      }
      try {
        return Optional.of(new Position(LocalDate.parse(parts[0]), parts[1]));
      } catch (DateTimeParseException _) {
        return Optional.empty();
      }
    }

    @Override
    public String toString() {
      return day + " " + requestId;
    }
  }

  /**
   * Page of requests.
   *
   * @param next where the next page begins; null if all requests of the filter were looked at
   * @param asOf the view has everything that was written before
   * @param scannedTo all requests of the filter since this time were looked at
   */
  public record Page(
      List<RequestRow> rows, @Nullable Position next, Instant asOf, Instant scannedTo) {
    public Page {
      rows = List.copyOf(rows);
    }
  }

  /**
   * Returns a page.
   *
   * @param org null for all organizations
   * @param after end of the page before; null for the first page
   */
  public Page list(@Nullable OrgId org, RequestFilter filter, @Nullable Position after, int rowsMax)
      throws SQLException {
    return Transactions.run(source, connection -> list(connection, org, filter, after, rowsMax));
  }

  private static Page list(
      Connection connection,
      @Nullable OrgId org,
      RequestFilter filter,
      @Nullable Position after,
      int rowsMax)
      throws SQLException {
    limitTime(connection);
    readInOrder(connection);
    Instant asOf = asOf(connection);
    var search = new Search(org, filter, Math.min(rowsMax, PAGE_MAX));
    for (LocalDate day : days(connection, filter, after)) {
      Position next = search.lookAt(connection, day, after);
      if (next != null) {
        return new Page(search.found, next, asOf, timeOf(next, filter.from()));
      }
    }
    return new Page(search.found, null, asOf, filter.from());
  }

  /**
   * Makes the transaction's statements read rows in the order of an index until there are enough,
   * instead of sorting all that match.
   */
  static void readInOrder(Connection connection) throws SQLException {
    set(connection, "enable_sort = off", "enable_bitmapscan = off", "enable_seqscan = off");
  }

  /**
   * Ends each of the transaction's statements that takes too long. None is worth being compiled:
   * that can take longer than the statement.
   */
  static void limitTime(Connection connection) throws SQLException {
    set(connection, "statement_timeout = " + STATEMENT_MILLIS_MAX, "jit = off");
  }

  private static void set(Connection connection, String... settings) throws SQLException {
    try (Statement set = connection.createStatement()) {
      set.execute("SET LOCAL " + String.join("; SET LOCAL ", settings));
    }
  }

  /** Returns the time before which everything that was written is in the view. */
  static Instant asOf(Connection connection) throws SQLException {
    try (Statement select = connection.createStatement();
        ResultSet row = select.executeQuery("SELECT upto FROM request_view_mark")) {
      row.next();
      return RequestViewRows.instant(row, "upto");
    }
  }

  private static Instant timeOf(Position position, Instant earliest) {
    Instant at = Instant.ofEpochMilli(new RequestId(position.requestId()).epochMillis());
    return at.isBefore(earliest) ? earliest : at;
  }

  /** Returns the days of a filter that the view has, the latest first. */
  static List<LocalDate> days(Connection connection, RequestFilter filter, @Nullable Position after)
      throws SQLException {
    LocalDate last = RequestViewRebuild.dayOf(filter.to());
    if (after != null && after.day().isBefore(last)) {
      last = after.day();
    }
    try (PreparedStatement select = connection.prepareStatement(DAYS)) {
      select.setObject(1, RequestViewRebuild.dayOf(filter.from()));
      select.setObject(2, last);
      try (ResultSet row = select.executeQuery()) {
        List<LocalDate> days = new ArrayList<>();
        while (row.next()) {
          days.add(row.getObject(1, LocalDate.class));
        }
        return days;
      }
    }
  }

  /** Search for the rows of one page, day by day. */
  private static final class Search {
    private final @Nullable OrgId org;
    private final RequestFilter filter;
    private final RequestPredicate predicate;
    private final int rowsMax;
    private final List<RequestRow> found = new ArrayList<>();
    private final Index index;
    private int mayLookAt;

    Search(@Nullable OrgId org, RequestFilter filter, int rowsMax) {
      this.org = org;
      this.filter = filter;
      this.predicate = RequestPredicate.of(filter);
      this.rowsMax = rowsMax;
      this.index = org == null ? Index.DAY : Index.of(filter.dimensions());
      this.mayLookAt = index.isScattered() ? SCATTERED_ROWS_MAX : ROWS_LOOKED_AT_MAX;
    }

    /** Looks at a day; returns where the next page begins if this one ends there. */
    @Nullable Position lookAt(Connection connection, LocalDate day, @Nullable Position after)
        throws SQLException {
      var query = new SqlQuery().add("SELECT * FROM (SELECT " + RequestViewRows.COLUMNS);
      addRows(query, day, after).add(") v WHERE true");
      predicate.addTo(query);
      query.add("ORDER BY v.request_id DESC LIMIT ?", rowsMax - found.size());
      String last = null;
      try (PreparedStatement select = query.prepare(connection);
          ResultSet row = select.executeQuery()) {
        while (row.next()) {
          found.add(RequestViewRows.read(row));
          last = row.getString("request_id");
        }
      }
      return found.size() == rowsMax && last != null
          ? new Position(day, last)
          : count(connection, day, after, last);
    }

    /**
     * Counts the rows that were looked at; returns where the next page begins if there were too
     * many. Rows that were added meanwhile must not bring back what was found.
     */
    private @Nullable Position count(
        Connection connection, LocalDate day, @Nullable Position after, @Nullable String last)
        throws SQLException {
      var query =
          new SqlQuery().add("SELECT count(*), min(v.request_id) FROM (SELECT v.request_id");
      addRows(query, day, after).add(") v");
      try (PreparedStatement select = query.prepare(connection);
          ResultSet row = select.executeQuery()) {
        row.next();
        mayLookAt -= row.getInt(1);
        String end = row.getString(2);
        if (mayLookAt > 0 || end == null) {
          return null;
        }
        return new Position(day, last != null && last.compareTo(end) < 0 ? last : end);
      }
    }

    /** Adds the latest rows of a day that may be looked at, in the order of one index. */
    private SqlQuery addRows(SqlQuery query, LocalDate day, @Nullable Position after) {
      query.add("FROM request_view v WHERE v.day = ?", day);
      query.add(
          "AND v.request_id >= ? AND v.request_id < ?",
          RequestId.lowestAt(filter.from().toEpochMilli()),
          end(day, after));
      String id = filter.requestId();
      if (id != null) {
        query.add(
            "AND v.request_id >= ? AND v.request_id < ?", id, id + RequestPredicate.AFTER_ALL);
      }
      addIndexed(query);
      return query.add("ORDER BY v.request_id DESC LIMIT ?", mayLookAt);
    }

    private String end(LocalDate day, @Nullable Position after) {
      String end = RequestId.lowestAt(filter.to().toEpochMilli());
      if (after == null || !after.day().equals(day) || after.requestId().compareTo(end) >= 0) {
        return end;
      }
      return after.requestId();
    }

    private void addIndexed(SqlQuery query) {
      if (org != null) {
        query.add("AND v.org_id = ?", org.value());
      }
      switch (index) {
        case DAY, ORGANIZATION -> {}
        case FAILURES -> query.add(FAILURES);
        case KEY -> query.add("AND v.key_id = ?", filter.dimensions().keys().getFirst());
        case MODEL -> query.add("AND v.model = ?", filter.dimensions().models().getFirst());
      }
    }
  }

  /** Index of the view, in whose order rows are looked at. */
  private enum Index {
    DAY,
    ORGANIZATION,
    FAILURES,
    KEY,
    MODEL;

    /** Returns the most selective index of a filter of one organization. */
    static Index of(Dimensions of) {
      boolean failuresOnly =
          !of.outcomes().isEmpty()
              && OutcomeClass.OK.outcomes().stream().noneMatch(of.outcomes()::contains);
      if (failuresOnly) {
        return FAILURES;
      }
      if (of.keys().size() == 1) {
        return KEY;
      }
      return of.models().size() == 1 ? MODEL : ORGANIZATION;
    }

    boolean isScattered() {
      return switch (this) {
        case DAY, ORGANIZATION -> false;
        case FAILURES, KEY, MODEL -> true;
      };
    }
  }
}
