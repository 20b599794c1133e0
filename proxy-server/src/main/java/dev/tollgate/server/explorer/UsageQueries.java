package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestHistogram.Counts;
import dev.tollgate.server.explorer.RequestHistogram.Interval;
import dev.tollgate.server.explorer.RequestQueries.Position;
import dev.tollgate.server.explorer.RequestScan.Portion;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Queries of counts: the histogram and the facets of a filter, and the refusals that were counted
 * instead of logged.
 */
public final class UsageQueries {
  /** Most keys and codes of counted refusals. */
  public static final int REFUSED_MAX = 200;

  /** Most combinations of names that facets are counted from, the most frequent ones. */
  private static final int GROUPS_MAX = 50_000;

  /** Longest time whose facets are counted by five minutes. */
  private static final Duration FINE_MAX = Duration.ofDays(2);

  /** Younger than the five-minute sums that are dropped. */
  private static final Duration SLOTS_KEPT = Duration.ofDays(7);

  private static final String SUMS_BY_TIME =
      """
      SELECT date_bin(make_interval(secs => ?), v.slot, ?) AS slot, v.outcome,
             sum(v.requests) AS requests, sum(v.cost_micro) AS cost_micro
        FROM %s v
      """;

  /** One group more for each slot: the rows that do not match, which were looked at too. */
  private static final String ROWS_BY_TIME =
      """
      SELECT date_bin(make_interval(secs => ?), v.at, ?) AS slot, v.outcome,
             count(*) AS requests, sum(v.cost_micro) AS cost_micro, min(v.request_id) AS earliest,
             v.matches
        FROM
      """;

  private static final String ROWS = "v.request_id, v.at, v.outcome, v.cost_micro";

  private static final String SUMS_BY_NAME =
      """
      SELECT v.key_id, v.model, v.provider, v.endpoint, v.outcome, v.code,
             sum(v.requests) AS requests
        FROM %s v WHERE v.slot >= ? AND v.slot < ?
      """;

  private final DataSource source;

  /**
   * @param source connections with a short statement timeout
   */
  public UsageQueries(DataSource source) {
    this.source = source;
  }

  /** Counted refusals of one key with one code. */
  public record Refused(String key, String code, long refusals) {}

  /** Table of sums by a length of time. */
  private enum Sums {
    USAGE_SLOT(UsageSums.SLOT),
    USAGE_HOUR(UsageSums.HOUR);

    private final Duration length;

    Sums(Duration length) {
      this.length = length;
    }

    /** Returns the finer one if it is wanted and still kept. */
    static Sums of(boolean isFine, Instant from, Instant now) {
      return isFine && from.isAfter(now.minus(SLOTS_KEPT)) ? USAGE_SLOT : USAGE_HOUR;
    }

    String in(String sql) {
      return sql.replace("%s", name());
    }
  }

  // Histogram

  /**
   * Returns the requests of a filter over time. It is made from the sums where they can answer the
   * filter, else from the latest rows.
   *
   * @param org null for all organizations
   */
  public RequestHistogram histogram(@Nullable OrgId org, RequestFilter filter) throws SQLException {
    return Transactions.run(
        source,
        connection -> {
          Instant asOf = RequestScan.begin(connection);
          Interval interval = Interval.of(filter.from(), filter.to());
          boolean bySums =
              filter.beyondSums().isEmpty() && interval.length().compareTo(UsageSums.SLOT) >= 0;
          Sums sums = Sums.of(interval.length().compareTo(UsageSums.HOUR) < 0, filter.from(), asOf);
          Interval its = bySums ? interval.atLeast(sums.length) : interval;
          var counts = new Counts(its, filter.from(), filter.to());
          Instant scannedTo = filter.from();
          if (bySums) {
            new SqlParts()
                .add(sums.in(SUMS_BY_TIME), its.length().toSeconds(), counts.first())
                .add("WHERE v.slot >= ?", UsageSums.begin(filter.from(), sums.length))
                .add("AND v.slot < ?", filter.to())
                .and(ofOrg(org), "v.org_id = ?")
                .and(RequestPredicate.dimensions(filter.dimensions()))
                .add("GROUP BY 1, 2")
                .list(connection, row -> add(counts, row));
          } else {
            scannedTo = addRows(new RequestScan(connection, org, filter, ROWS), its, counts);
          }
          refusals("SELECT v.minute AS slot, 'rejected' AS outcome, 0 AS cost_micro,", org, filter)
              .add("GROUP BY 1")
              .list(connection, row -> add(counts, row));
          return counts.histogram(scannedTo, asOf);
        });
  }

  /** Adds a group of requests; returns their number. */
  private static int add(Counts counts, ResultSet row) throws SQLException {
    counts.add(
        Statements.requiredInstant(row, "slot"),
        OutcomeClass.of(row.getString("outcome")),
        row.getLong("requests"),
        row.getLong("cost_micro"));
    return row.getInt("requests");
  }

  /** Requests of one group that were looked at, whether they match or not. */
  private record Looked(int requests, String earliest) {}

  /** Adds the latest rows; returns the time since which all were looked at. */
  private static Instant addRows(RequestScan scan, Interval interval, Counts counts)
      throws SQLException {
    Position end =
        scan.run(
            null,
            RequestScan.ROWS_MAX,
            (connection, _, rows) -> {
              List<Looked> looked =
                  new SqlParts()
                      .add(ROWS_BY_TIME, interval.length().toSeconds(), counts.first())
                      .add(rows)
                      .add("v GROUP BY 1, 2, 6")
                      .list(
                          connection,
                          row ->
                              new Looked(
                                  row.getBoolean("matches")
                                      ? add(counts, row)
                                      : row.getInt("requests"),
                                  row.getString("earliest")));
              return new Portion(
                  looked.stream().mapToInt(Looked::requests).sum(),
                  looked.stream().map(Looked::earliest).min(Comparator.naturalOrder()).orElse(null),
                  false);
            });
    return scan.scannedTo(end);
  }

  // Facets

  /**
   * Returns the most frequent names of a filter, from the sums.
   *
   * @param org null for all organizations
   */
  public RequestFacets facets(@Nullable OrgId org, RequestFilter filter) throws SQLException {
    return Transactions.run(
        source,
        connection -> {
          Instant asOf = RequestScan.begin(connection);
          boolean isShort = Duration.between(filter.from(), filter.to()).compareTo(FINE_MAX) <= 0;
          Sums sums = Sums.of(isShort, filter.from(), asOf);
          var counts = new RequestFacets.Counts(filter.dimensions());
          new SqlParts()
              .add(sums.in(SUMS_BY_NAME), UsageSums.begin(filter.from(), sums.length), filter.to())
              .and(ofOrg(org), "v.org_id = ?")
              .add("GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 7 DESC LIMIT ?", GROUPS_MAX)
              .list(
                  connection,
                  row -> {
                    counts.add(names(row), row.getLong("requests"));
                    return row.getRow();
                  });
          return counts.facets(filter.beyondSums(), asOf);
        });
  }

  private static List<String> names(ResultSet row) throws SQLException {
    List<String> names = new ArrayList<>();
    for (int column = 1; column <= 6; column++) {
      names.add(row.getString(column));
    }
    return names;
  }

  // Refusals

  /**
   * Returns the counted refusals of a filter, the most frequent first. They have no more than a
   * time, a key and a code: a filter of anything else matches none.
   *
   * @param org null for all organizations
   */
  public List<Refused> refused(@Nullable OrgId org, RequestFilter filter) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return refusals("SELECT v.key_id, v.code,", org, filter)
          .add("GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?", REFUSED_MAX)
          .list(
              connection,
              row ->
                  new Refused(
                      row.getString("key_id"), row.getString("code"), row.getLong("requests")));
    }
  }

  /** Returns the query of the sum of refusals beside other columns, without its grouping. */
  static SqlParts refusals(String select, @Nullable OrgId org, RequestFilter filter) {
    Dimensions of = filter.dimensions();
    var ofRefusals =
        new Dimensions(of.keys(), List.of(), List.of(), List.of(), List.of(), of.codes());
    return new SqlParts()
        .add(select)
        .add("sum(v.refusals) AS requests FROM refusal_count v WHERE ?", mayMatch(filter))
        .add("AND v.minute >= ?", UsageSums.begin(filter.from(), Duration.ofMinutes(1)))
        .add("AND v.minute < ?", filter.to())
        .and(ofOrg(org), "v.org_id = ?")
        .and(RequestPredicate.dimensions(ofRefusals));
  }

  private static @Nullable UUID ofOrg(@Nullable OrgId org) {
    return org == null ? null : org.value();
  }

  private static boolean mayMatch(RequestFilter filter) {
    var of = filter.dimensions();
    return filter.beyondSums().isEmpty()
        && of.models().isEmpty()
        && of.providers().isEmpty()
        && of.endpoints().isEmpty()
        && (of.outcomes().isEmpty()
            || OutcomeClass.REFUSED.outcomes().stream().anyMatch(of.outcomes()::contains));
  }
}
