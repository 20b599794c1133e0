package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestHistogram.Interval;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
        FROM %s v WHERE v.slot >= ? AND v.slot < ?
      """;

  private static final String LOOKED_AT =
      """
      WITH looked AS MATERIALIZED (
        SELECT v.at, v.outcome, v.cost_micro, v.request_id, (true
      """;

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

  // Histogram

  /**
   * Returns the requests of a filter over time. It is made from the sums where they can answer the
   * filter, else from the latest rows.
   *
   * @param org null for all organizations
   */
  public RequestHistogram histogram(@Nullable OrgId org, RequestFilter filter) throws SQLException {
    try (Connection connection = source.getConnection()) {
      Instant asOf = RequestQueries.asOf(connection);
      Interval interval = Interval.of(filter.from(), filter.to());
      String table = table(filter.from(), asOf, interval.length());
      if (!filter.beyondSums().isEmpty() || table == null) {
        return fromRows(connection, org, filter, interval, asOf);
      }
      Interval its = interval.atLeast(length(table));
      var counts = new RequestHistogram.Counts(its, filter.from(), filter.to());
      var query = new SqlQuery();
      query.add(
          SUMS_BY_TIME.formatted(table),
          its.length().toSeconds(),
          its.begin(filter.from()),
          UsageSums.begin(filter.from(), length(table)),
          filter.to());
      addDimensions(query, org, filter);
      query.add("GROUP BY 1, 2");
      add(connection, query, counts);
      addRefused(connection, org, filter, counts);
      return counts.histogram(filter.from(), asOf);
    }
  }

  /** Returns the table of sums that an interval can be made of; null if it is too short. */
  private static @Nullable String table(Instant from, Instant now, Duration interval) {
    if (interval.compareTo(UsageSums.SLOT) < 0) {
      return null;
    }
    boolean isFine = interval.compareTo(UsageSums.HOUR) < 0;
    return isFine && from.isAfter(now.minus(SLOTS_KEPT)) ? "usage_slot" : "usage_hour";
  }

  private static Duration length(String table) {
    return table.equals("usage_slot") ? UsageSums.SLOT : UsageSums.HOUR;
  }

  private static RequestHistogram fromRows(
      Connection connection,
      @Nullable OrgId org,
      RequestFilter filter,
      Interval interval,
      Instant asOf)
      throws SQLException {
    var counts = new RequestHistogram.Counts(interval, filter.from(), filter.to());
    var query = new SqlQuery();
    query.add(LOOKED_AT);
    RequestPredicate.of(filter).addTo(query);
    query.add(
        ") AS hit FROM request_view v WHERE v.day BETWEEN ? AND ?",
        RequestViewRebuild.dayOf(filter.from()),
        RequestViewRebuild.dayOf(filter.to()));
    query.add(
        "AND v.request_id >= ? AND v.request_id < ?",
        RequestId.lowestAt(filter.from().toEpochMilli()),
        RequestId.lowestAt(filter.to().toEpochMilli()));
    addOrg(query, org);
    query.add("ORDER BY v.request_id DESC LIMIT ?)", RequestQueries.ROWS_LOOKED_AT_MAX);
    query.add(
        """
        SELECT date_bin(make_interval(secs => ?), l.at, ?) AS slot, l.outcome,
               count(*) AS requests, sum(l.cost_micro) AS cost_micro
          FROM looked l WHERE l.hit GROUP BY 1, 2
        UNION ALL
        SELECT min(l.at), NULL, count(*), 0 FROM looked l
        """,
        interval.length().toSeconds(),
        interval.begin(filter.from()));
    Instant scannedTo = add(connection, query, counts);
    addRefused(connection, org, filter, counts);
    return counts.histogram(scannedTo == null ? filter.from() : scannedTo, asOf);
  }

  /** Adds what a query counts; returns the first time if not all was looked at. */
  private static @Nullable Instant add(
      Connection connection, SqlQuery query, RequestHistogram.Counts counts) throws SQLException {
    Instant scannedTo = null;
    try (PreparedStatement select = query.prepare(connection);
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        String outcome = row.getString("outcome");
        long requests = row.getLong("requests");
        if (outcome != null) {
          Instant slot = RequestProjection.instant(row, "slot");
          counts.add(slot, OutcomeClass.of(outcome), requests, row.getLong("cost_micro"));
        } else if (requests == RequestQueries.ROWS_LOOKED_AT_MAX) {
          scannedTo = RequestProjection.instant(row, "slot");
        }
      }
    }
    return scannedTo;
  }

  private static void addRefused(
      Connection connection,
      @Nullable OrgId org,
      RequestFilter filter,
      RequestHistogram.Counts counts)
      throws SQLException {
    if (!refusalsMayMatch(filter)) {
      return;
    }
    var query = new SqlQuery();
    query.add("SELECT v.minute, sum(v.refusals) AS refusals FROM refusal_count v");
    addRefusals(query, org, filter);
    query.add("GROUP BY 1");
    try (PreparedStatement select = query.prepare(connection);
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        Instant minute = RequestProjection.instant(row, "minute");
        counts.add(minute, OutcomeClass.REFUSED, row.getLong("refusals"), 0);
      }
    }
  }

  // Facets

  /**
   * Returns the most frequent names of a filter, from the sums.
   *
   * @param org null for all organizations
   */
  public RequestFacets facets(@Nullable OrgId org, RequestFilter filter) throws SQLException {
    try (Connection connection = source.getConnection()) {
      Instant asOf = RequestQueries.asOf(connection);
      boolean isShort = Duration.between(filter.from(), filter.to()).compareTo(FINE_MAX) <= 0;
      boolean isFine = isShort && filter.from().isAfter(asOf.minus(SLOTS_KEPT));
      String table = isFine ? "usage_slot" : "usage_hour";
      Instant from = UsageSums.begin(filter.from(), length(table));
      var query = new SqlQuery();
      query.add(SUMS_BY_NAME.formatted(table), from, filter.to());
      addOrg(query, org);
      query.add("GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 7 DESC LIMIT ?", GROUPS_MAX);
      var counts = new RequestFacets.Counts(filter.dimensions());
      try (PreparedStatement select = query.prepare(connection);
          ResultSet row = select.executeQuery()) {
        while (row.next()) {
          List<String> names = new ArrayList<>();
          for (int column = 1; column <= 6; column++) {
            names.add(row.getString(column));
          }
          counts.add(names, row.getLong("requests"));
        }
      }
      return counts.facets(filter.beyondSums(), asOf);
    }
  }

  // Refusals

  /**
   * Returns the counted refusals of a filter, the most frequent first. They have no more than a
   * time, a key and a code: a filter of anything else matches none.
   *
   * @param org null for all organizations
   */
  public List<Refused> refused(@Nullable OrgId org, RequestFilter filter) throws SQLException {
    List<Refused> all = new ArrayList<>();
    if (!refusalsMayMatch(filter)) {
      return all;
    }
    var query = new SqlQuery();
    query.add("SELECT v.key_id, v.code, sum(v.refusals) AS refusals FROM refusal_count v");
    addRefusals(query, org, filter);
    query.add("GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?", REFUSED_MAX);
    try (Connection connection = source.getConnection();
        PreparedStatement select = query.prepare(connection);
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        all.add(
            new Refused(row.getString("key_id"), row.getString("code"), row.getLong("refusals")));
      }
    }
    return all;
  }

  private static boolean refusalsMayMatch(RequestFilter filter) {
    var of = filter.dimensions();
    return filter.beyondSums().isEmpty()
        && of.models().isEmpty()
        && of.providers().isEmpty()
        && of.endpoints().isEmpty()
        && (of.outcomes().isEmpty()
            || OutcomeClass.REFUSED.outcomes().stream().anyMatch(of.outcomes()::contains));
  }

  private static void addRefusals(SqlQuery query, @Nullable OrgId org, RequestFilter filter) {
    Instant from = UsageSums.begin(filter.from(), Duration.ofMinutes(1));
    query.add("WHERE v.minute >= ? AND v.minute < ?", from, filter.to());
    addOrg(query, org);
    var of = filter.dimensions();
    if (!of.keys().isEmpty()) {
      query.add("AND v.key_id = ANY (?)", of.keys());
    }
    if (!of.codes().isEmpty()) {
      query.add("AND v.code = ANY (?)", of.codes());
    }
  }

  private static void addDimensions(SqlQuery query, @Nullable OrgId org, RequestFilter filter) {
    addOrg(query, org);
    RequestPredicate.dimensions(filter.dimensions()).forEach(each -> query.add("AND").add(each));
  }

  private static void addOrg(SqlQuery query, @Nullable OrgId org) {
    if (org != null) {
      query.add("AND v.org_id = ?", org.value());
    }
  }
}
