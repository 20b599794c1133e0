package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the request view, the latest requests first. A page looks at a bounded number of rows,
 * so it may be short or empty although more requests match.
 */
public final class RequestQueries {
  /** Most rows that one page looks at. */
  public static final int ROWS_LOOKED_AT_MAX = 100_000;

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
  public record Position(LocalDate day, String requestId) {}

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
    try (Connection connection = source.getConnection()) {
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
  }

  /** Returns the time before which everything that was written is in the view. */
  static Instant asOf(Connection connection) throws SQLException {
    try (Statement select = connection.createStatement();
        ResultSet row = select.executeQuery("SELECT upto FROM request_view_mark")) {
      row.next();
      return RequestProjection.instant(row, "upto");
    }
  }

  private static Instant timeOf(Position position, Instant earliest) {
    Instant at = Instant.ofEpochMilli(new RequestId(position.requestId()).epochMillis());
    return at.isBefore(earliest) ? earliest : at;
  }

  private static List<LocalDate> days(
      Connection connection, RequestFilter filter, @Nullable Position after) throws SQLException {
    LocalDate last = RequestViewRebuild.dayOf(filter.to());
    boolean isLater = after != null && after.day().isBefore(last);
    try (PreparedStatement select = connection.prepareStatement(DAYS)) {
      select.setObject(1, RequestViewRebuild.dayOf(filter.from()));
      select.setObject(2, isLater ? after.day() : last);
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
    private int mayLookAt = ROWS_LOOKED_AT_MAX;

    Search(@Nullable OrgId org, RequestFilter filter, int rowsMax) {
      this.org = org;
      this.filter = filter;
      this.predicate = RequestPredicate.of(filter);
      this.rowsMax = rowsMax;
    }

    /** Looks at a day; returns where the next page begins if this one ends there. */
    @Nullable Position lookAt(Connection connection, LocalDate day, @Nullable Position after)
        throws SQLException {
      try (PreparedStatement select = query(day, after).prepare(connection);
          ResultSet row = select.executeQuery()) {
        while (row.next()) {
          if (row.getBoolean("hit")) {
            found.add(RequestViewRows.read(row));
          }
          if (found.size() == rowsMax) {
            return new Position(day, row.getString("request_id"));
          }
          if (row.getBoolean("is_last")) {
            mayLookAt -= row.getInt("n");
            return mayLookAt == 0 ? new Position(day, row.getString("request_id")) : null;
          }
        }
        return null;
      }
    }

    /**
     * Selects the rows that match, in their order, and behind them the last one that was looked at.
     * Rows are read only until there are enough.
     */
    private SqlQuery query(LocalDate day, @Nullable Position after) {
      var query = new SqlQuery();
      query.add("SELECT * FROM (SELECT v.*, (true");
      predicate.addTo(query);
      query.add(
          """
          ) AS hit, row_number() OVER w AS n, lead(v.request_id) OVER w IS NULL AS is_last
           FROM (SELECT %s FROM request_view v WHERE v.day = ?
          """
              .formatted(RequestViewRows.COLUMNS),
          day);
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
      query.add("ORDER BY v.request_id DESC LIMIT ?) v", mayLookAt);
      query.add("WINDOW w AS (ORDER BY v.request_id DESC)) v WHERE v.hit OR v.is_last");
      return query.add("ORDER BY v.request_id DESC LIMIT ?", rowsMax - found.size() + 1);
    }

    private String end(LocalDate day, @Nullable Position after) {
      String end = RequestId.lowestAt(filter.to().toEpochMilli());
      boolean isWithin =
          after != null && after.day().equals(day) && after.requestId().compareTo(end) < 0;
      return isWithin ? after.requestId() : end;
    }

    /** Adds the conditions of one index: that of failures, of a key, or of a model. */
    private void addIndexed(SqlQuery query) {
      OrgId its = org;
      if (its == null) {
        return;
      }
      query.add("AND v.org_id = ?", its.value());
      var of = filter.dimensions();
      boolean failuresOnly =
          !of.outcomes().isEmpty()
              && OutcomeClass.OK.outcomes().stream().noneMatch(of.outcomes()::contains);
      if (failuresOnly) {
        query.add(FAILURES);
      } else if (of.keys().size() == 1) {
        query.add("AND v.key_id = ?", of.keys().getFirst());
      } else if (of.models().size() == 1) {
        query.add("AND v.model = ?", of.models().getFirst());
      }
    }
  }
}
