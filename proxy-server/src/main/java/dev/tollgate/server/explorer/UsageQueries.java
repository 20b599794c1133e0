package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestHistogram.Interval;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
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

  private static final String ROWS_BY_TIME =
      """
      SELECT date_bin(make_interval(secs => ?), v.at, ?) AS slot, v.outcome,
             count(*) AS requests, sum(v.cost_micro) AS cost_micro
        FROM (SELECT v.*
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
    return Transactions.run(source, connection -> histogram(connection, org, filter));
  }

  private static RequestHistogram histogram(
      Connection connection, @Nullable OrgId org, RequestFilter filter) throws SQLException {
    RequestQueries.limitTime(connection);
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
        SUMS_BY_TIME.replace("%s", table),
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
    RequestQueries.readInOrder(connection);
    var counts = new RequestHistogram.Counts(interval, filter.from(), filter.to());
    Instant scannedTo = filter.from();
    int mayLookAt = RequestQueries.ROWS_LOOKED_AT_MAX;
    for (LocalDate day : RequestQueries.days(connection, filter, null)) {
      var query = new SqlQuery();
      query.add(ROWS_BY_TIME, interval.length().toSeconds(), interval.begin(filter.from()));
      addRows(query, org, filter, day).add("LIMIT ?) v WHERE true", mayLookAt);
      RequestPredicate.of(filter).addTo(query);
      add(connection, query.add("GROUP BY 1, 2"), counts);
      Looked looked = looked(connection, addRows(lookedAt(), org, filter, day), mayLookAt);
      mayLookAt -= looked.rows();
      if (mayLookAt == 0) {
        scannedTo = looked.first();
        break;
      }
    }
    addRefused(connection, org, filter, counts);
    return counts.histogram(scannedTo, asOf);
  }

  private record Looked(int rows, Instant first) {}

  private static SqlQuery lookedAt() {
    return new SqlQuery().add("SELECT count(*), min(v.request_id) FROM (SELECT v.request_id");
  }

  private static Looked looked(Connection connection, SqlQuery query, int mayLookAt)
      throws SQLException {
    try (PreparedStatement select = query.add("LIMIT ?) v", mayLookAt).prepare(connection);
        ResultSet row = select.executeQuery()) {
      row.next();
      String first = row.getString(2);
      return first == null
          ? new Looked(0, Instant.EPOCH)
          : new Looked(row.getInt(1), Instant.ofEpochMilli(new RequestId(first).epochMillis()));
    }
  }

  /** Adds the rows of a filter's time on one day, the latest first. */
  private static SqlQuery addRows(
      SqlQuery query, @Nullable OrgId org, RequestFilter filter, LocalDate day) {
    query.add("FROM request_view v WHERE v.day = ?", day);
    query.add(
        "AND v.request_id >= ? AND v.request_id < ?",
        RequestId.lowestAt(filter.from().toEpochMilli()),
        RequestId.lowestAt(filter.to().toEpochMilli()));
    addOrg(query, org);
    return query.add("ORDER BY v.request_id DESC");
  }

  private static void add(Connection connection, SqlQuery query, RequestHistogram.Counts counts)
      throws SQLException {
    try (PreparedStatement select = query.prepare(connection);
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        counts.add(
            RequestViewRows.instant(row, "slot"),
            OutcomeClass.of(row.getString("outcome")),
            row.getLong("requests"),
            row.getLong("cost_micro"));
      }
    }
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
        Instant minute = RequestViewRows.instant(row, "minute");
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
    return Transactions.run(source, connection -> facets(connection, org, filter));
  }

  private static RequestFacets facets(
      Connection connection, @Nullable OrgId org, RequestFilter filter) throws SQLException {
    RequestQueries.limitTime(connection);
    Instant asOf = RequestQueries.asOf(connection);
    boolean isShort = Duration.between(filter.from(), filter.to()).compareTo(FINE_MAX) <= 0;
    boolean isFine = isShort && filter.from().isAfter(asOf.minus(SLOTS_KEPT));
    String table = isFine ? "usage_slot" : "usage_hour";
    Instant from = UsageSums.begin(filter.from(), length(table));
    var query = new SqlQuery();
    query.add(SUMS_BY_NAME.replace("%s", table), from, filter.to());
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
