package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestQueries.Position;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bounded look at the rows of the request view, the latest first. It goes day by day, in portions,
 * in the order of an index that holds all that a filter may name, so that the table itself is not
 * read. The latest rows of a key are looked at in its own index: these may be all that it has.
 * Confined to one thread.
 */
final class RequestScan {
  /** Most rows that are looked at. */
  static final int ROWS_MAX = 100_000;

  /** Most rows of a key's own index, which lacks what else a filter names: each reads the table. */
  private static final int BY_KEY_MAX = 1_000;

  /** How much larger each portion is than the one before, at most. */
  private static final int GROWTH = 10;

  private static final String BEGIN =
      """
      SELECT upto, set_config('statement_timeout', '2000', true), set_config('jit', 'off', true),
             set_config('plan_cache_mode', 'force_custom_plan', true),
             set_config('work_mem', '16MB', true),
             set_config('max_parallel_workers_per_gather', '0', true)
        FROM request_view_mark
      """;

  /** Without the settings all that match would be sorted, instead of a few read in order. */
  private static final String DAYS_TO_READ_IN_ORDER =
      """
      SELECT day, set_config('enable_sort', 'off', true),
             set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)
        FROM ledger_days('request_view') WHERE day >= ? AND day <= ? ORDER BY day DESC
      """;

  private final Connection connection;
  private final @Nullable OrgId org;
  private final RequestFilter filter;
  private final RequestPredicate predicate;
  private final String columns;
  private int mayLookAt = ROWS_MAX;
  private int mayReadByKey;

  /**
   * @param org null for all organizations
   * @param columns those of the rows, as SQL, of the table {@code v}
   */
  RequestScan(Connection connection, @Nullable OrgId org, RequestFilter filter, String columns) {
    this.columns = columns;
    this.connection = connection;
    this.org = org;
    this.filter = filter;
    this.predicate = RequestPredicate.of(filter);
    this.mayReadByKey = org != null && filter.dimensions().keys().size() == 1 ? BY_KEY_MAX : 0;
  }

  /** Query of one portion of the rows. */
  interface PortionQuery {
    /**
     * Returns what the query found in one portion of a day.
     *
     * @param rows the portion as SQL: a table in parentheses, with the column {@code matches} that
     *     is true in the rows of the filter
     */
    Portion run(Connection connection, LocalDate day, SqlParts rows) throws SQLException;
  }

  /**
   * What a query looked at.
   *
   * @param end id of the last request that was looked at; null if there was none
   * @param isEnough true to look at no further portion
   */
  record Portion(int rows, @Nullable String end, boolean isEnough) {}

  /**
   * Begins the queries of a transaction: ends each that takes too long, and plans it for its
   * values. None is worth being compiled, which can take longer than the query, nor more than one
   * processor. Groups are counted in memory. Returns the time before which everything that was
   * written is in the view.
   */
  static Instant begin(Connection connection) throws SQLException {
    return Statements.first(connection, BEGIN, row -> Statements.requiredInstant(row, "upto"))
        .orElseThrow();
  }

  /**
   * Looks at portions until one is enough; returns where to continue, null if all rows were looked
   * at.
   *
   * @param portion most rows of the first portion
   */
  @Nullable Position run(@Nullable Position after, int portion, PortionQuery query)
      throws SQLException {
    Position place = after;
    int size = portion;
    for (LocalDate day : days(after)) {
      boolean hasMore = true;
      while (hasMore) {
        if (mayLookAt == 0) {
          hasMore = !rows(day, place, 1).list(connection, _ -> true).isEmpty();
          if (hasMore) {
            return place;
          }
        } else {
          int rowsMax = Math.min(size, mayReadByKey > 0 ? mayReadByKey : mayLookAt);
          Portion its = query.run(connection, day, rows(day, place, rowsMax));
          place = its.end() == null ? place : new Position(day, its.end());
          if (its.isEnough()) {
            return place;
          }
          mayLookAt -= its.rows();
          mayReadByKey = Math.max(0, mayReadByKey - its.rows());
          hasMore = its.rows() == rowsMax;
          size = Math.min(ROWS_MAX, GROWTH * size);
        }
      }
    }
    return null;
  }

  /** Returns the time since which all requests were looked at. */
  Instant scannedTo(@Nullable Position end) {
    if (end == null) {
      return filter.from();
    }
    Instant at = Instant.ofEpochMilli(new RequestId(end.requestId()).epochMillis());
    return at.isBefore(filter.from()) ? filter.from() : at;
  }

  /** Returns the days of the filter that the view has, the latest first. */
  private List<LocalDate> days(@Nullable Position after) throws SQLException {
    LocalDate last = LocalDate.ofInstant(filter.to(), ZoneOffset.UTC);
    return Statements.list(
        connection,
        DAYS_TO_READ_IN_ORDER,
        row -> row.getObject(1, LocalDate.class),
        LocalDate.ofInstant(filter.from(), ZoneOffset.UTC),
        after != null && after.day().isBefore(last) ? after.day() : last);
  }

  private SqlParts rows(LocalDate day, @Nullable Position place, int rowsMax) {
    var query = new SqlParts().add("(SELECT " + columns + ", (true").and(predicate.properties());
    query.add(") IS TRUE AS matches FROM request_view v WHERE v.day = ?", day);
    query.and(org == null ? null : org.value(), "v.org_id = ?").and(predicate.ids());
    if (place != null && place.day().equals(day)) {
      query.add("AND v.request_id < ?", place.requestId());
    }
    if (org != null) {
      addIndexed(query, filter.dimensions());
    }
    return query.add("ORDER BY v.request_id DESC LIMIT ?)", rowsMax);
  }

  /** Adds what the most selective index has first. */
  private void addIndexed(SqlParts query, Dimensions of) {
    boolean failuresOnly =
        !of.outcomes().isEmpty()
            && OutcomeClass.OK.outcomes().stream().noneMatch(of.outcomes()::contains);
    if (mayReadByKey > 0) {
      query.add("AND v.key_id = ?", of.keys().getFirst());
    } else if (failuresOnly) {
      query.add("AND v.outcome NOT IN ('ok', 'ok_estimated', 'replayed')");
    }
  }
}
