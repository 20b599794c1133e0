package dev.tollgate.server.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestHistogram.Slot;
import dev.tollgate.server.explorer.RequestQueries.Page;
import dev.tollgate.server.explorer.RequestQueries.Position;
import dev.tollgate.server.explorer.RequestScan.Portion;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the explorer asks of the view is what a look at each row finds. */
@Execution(ExecutionMode.CONCURRENT)
class RequestQueriesIT {
  private static final Instant TO =
      Instant.ofEpochMilli(System.currentTimeMillis() / 1_000 * 1_000);
  private static final Instant FROM = TO.minus(Duration.ofHours(30));
  private static final Instant BUSY_SINCE = TO.minus(Duration.ofHours(1));
  private static final int FILTERS = Integer.getInteger("tollgate.filters", 300);

  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static final RandomRequests random = new RandomRequests(28, FROM, TO);
  private static final OrgId org = RandomRequests.newOrg();
  private static final OrgId busy = RandomRequests.newOrg();
  private static List<RequestRow> rows;
  private static RequestQueries queries;
  private static UsageQueries usage;

  @BeforeAll
  static void write() throws Exception {
    DataSource source = testStore.store().pool();
    queries = new RequestQueries(source);
    usage = new UsageQueries(source);
    testStore.execute("SELECT ledger_partition(?)", Window.at(FROM.toEpochMilli()).day());
    testStore.execute("UPDATE request_view_mark SET upto = ?", TO.atOffset(ZoneOffset.UTC));
    rows = random.rows(org, 400);
    List<RequestRow> all = new ArrayList<>(rows);
    all.addAll(random.rows(RandomRequests.newOrg(), 50));
    for (RequestRow row : all) {
      testStore.execute(
          "INSERT INTO request_view SELECT * FROM jsonb_populate_record(NULL::request_view, ?::jsonb)",
          RandomRequests.json(row));
    }
    testStore.execute("SELECT usage_add(array_agg(v), 1) FROM request_view v");
    rows.sort(Comparator.comparing(RequestRow::requestId).reversed());
    writeBusy();
  }

  /** Makes as many rows as a page looks at, and 20,000 of the second behind them. */
  private static void writeBusy() throws SQLException {
    testStore.execute(
        """
        INSERT INTO request_view (day, request_id, org_id, key_id, at, outcome, fallback, resumed,
          hedged, attempts, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,
          cost_micro, operator_cost_micro)
        SELECT ?, CASE WHEN i <= ? THEN ? ELSE ? END || to_char(i, 'FM0000000000000000'), ?,
               'key00001', ?, 'ok', false, false, false, 1, 0, 0, 0, 0,
               CASE i WHEN 1 THEN 99 ELSE 1 END, 1
          FROM generate_series(1, ?) i
        """,
        Window.at(BUSY_SINCE.toEpochMilli()).day(),
        RequestQueries.ROWS_LOOKED_AT_MAX,
        RequestId.lowestAt(BUSY_SINCE.toEpochMilli()),
        RequestId.lowestAt(BUSY_SINCE.plusSeconds(1).toEpochMilli()),
        busy.value(),
        BUSY_SINCE.atOffset(ZoneOffset.UTC),
        RequestQueries.ROWS_LOOKED_AT_MAX + 20_000);
    testStore.execute("VACUUM ANALYZE request_view");
  }

  @Test
  void thePredicateIsTheSameInSqlAndInJava() throws Exception {
    int hits = 0;
    try (Connection connection = testStore.store().pool().getConnection()) {
      for (int i = 0; i < FILTERS; i++) {
        RequestFilter filter = random.filter(rows);
        List<String> expected = expected(filter);
        hits += expected.size();
        assertThat(selected(connection, filter)).as(filter.toString()).isEqualTo(expected);
      }
    }
    assertThat(hits).isGreaterThan(FILTERS);
  }

  private static List<String> expected(RequestFilter filter) {
    RequestPredicate predicate = RequestPredicate.of(filter);
    return rows.stream().filter(predicate).map(RequestRow::requestId).toList();
  }

  private static List<String> selected(Connection connection, RequestFilter filter)
      throws SQLException {
    RequestPredicate predicate = RequestPredicate.of(filter);
    return new SqlParts()
        .add("SELECT v.request_id FROM request_view v WHERE true")
        .and(predicate.ids())
        .and(predicate.properties())
        .add("AND v.org_id = ? ORDER BY v.request_id DESC", org.value())
        .list(connection, row -> row.getString(1));
  }

  @Test
  void pagesHaveEachRequestOnce() throws Exception {
    for (int i = 0; i < 60; i++) {
      RequestFilter filter = random.filter(rows);
      List<String> ids = new ArrayList<>();
      Page page = queries.list(org, filter, null, 17);
      page.rows().forEach(row -> ids.add(row.requestId()));
      while (page.next() != null) {
        page = queries.list(org, filter, page.next(), 17);
        assertThat(page.rows()).hasSizeLessThanOrEqualTo(17);
        page.rows().forEach(row -> ids.add(row.requestId()));
      }
      assertThat(ids).as(filter.toString()).isEqualTo(expected(filter));
      assertThat(page.scannedTo()).isEqualTo(filter.from());
      assertThat(page.asOf()).isEqualTo(TO);
    }
  }

  @Test
  void aRowIsReadAsItWasWritten() throws Exception {
    Page page = queries.list(org, RequestFilter.between(FROM, TO), null, 200);
    assertThat(page.rows()).isEqualTo(rows.subList(0, 200));
    assertThat(page.next()).isEqualTo(new Position(rows.get(199).day(), rows.get(199).requestId()));
    assertThat(page.scannedTo()).isEqualTo(rows.get(199).at());
  }

  @Test
  void anOperatorSeesAllOrganizations() throws Exception {
    var filter = RequestFilter.between(FROM, TO);
    Page all = queries.list(null, filter, null, 200);
    Page next = queries.list(null, filter, all.next(), 200);
    assertThat(all.rows()).extracting(RequestRow::org).contains(org).hasSize(200);
    assertThat(next.rows()).isNotEmpty().doesNotContainAnyElementsOf(all.rows());
    assertThat(queries.list(RandomRequests.newOrg(), filter, null, 10).rows()).isEmpty();
  }

  @Test
  void aRareFilterIsLookedForInPortions() throws Exception {
    RequestFilter filter = costing(99, TO);
    Page first = queries.list(busy, filter, null, 50);
    assertThat(first.rows()).isEmpty();
    assertThat(first.next()).isNotNull();
    assertThat(first.next().requestId()).endsWith("20001");
    assertThat(first.scannedTo()).isEqualTo(BUSY_SINCE);
    Page second = queries.list(busy, filter, first.next(), 50);
    assertThat(second.rows()).hasSize(1);
    assertThat(second.next()).isNull();
    assertThat(second.scannedTo()).isEqualTo(FROM);

    RequestHistogram histogram = usage.histogram(busy, filter);
    assertThat(sum(histogram, Slot::ok)).isZero();
    assertThat(histogram.scannedTo()).isEqualTo(BUSY_SINCE);

    // As many as one page looks at, and none behind them.
    RequestFilter before = costing(99, BUSY_SINCE.plusSeconds(1));
    Page whole = queries.list(busy, before, null, 50);
    assertThat(whole.rows()).hasSize(1);
    assertThat(whole.next()).isNull();
    assertThat(usage.histogram(busy, before).scannedTo()).isEqualTo(FROM);
    assertThat(sum(usage.histogram(busy, before), Slot::ok)).isEqualTo(1);
  }

  private static RequestFilter costing(long least, Instant to) {
    return new RequestFilter(
        FROM,
        to,
        Dimensions.ANY,
        List.of(),
        RequestFilter.Flags.ANY,
        new Bounds(least, null, null, null, null, null),
        null,
        List.of());
  }

  @Test
  void rowsAreLookedAtInAnIndexThatHoldsAllThatAFilterNames() throws Exception {
    List<RequestFilter> filters =
        Stream.generate(() -> random.filter(rows))
            .filter(filter -> filter.dimensions().keys().size() != 1)
            .limit(100)
            .toList();
    for (RequestFilter any : filters) {
      var filter =
          new RequestFilter(
              BUSY_SINCE.minusSeconds(1),
              BUSY_SINCE.plusSeconds(1),
              any.dimensions(),
              any.statuses(),
              any.flags(),
              any.bounds(),
              null,
              any.clientIps());
      var _ =
          Transactions.run(
              testStore.store().pool(),
              connection -> {
                var scan = new RequestScan(connection, org, filter, "v.at, v.request_id");
                var _ =
                    scan.run(
                        null,
                        RequestScan.ROWS_MAX,
                        (_, _, portion) -> {
                          var query =
                              new SqlParts().add("EXPLAIN SELECT * FROM").add(portion).add("v");
                          assertThat(query.list(connection, row -> row.getString(1)))
                              .as(filter.toString())
                              .anyMatch(line -> line.contains("Index Only Scan"))
                              .noneMatch(line -> line.contains("Sort"));
                          return new Portion(0, null, true);
                        });
                return filter;
              });
    }
  }

  // Sums

  @Test
  void theHistogramCountsEachRequestByItsClass() throws Exception {
    for (int i = 0; i < 40; i++) {
      RequestFilter filter = whole(random.dimensions());
      RequestHistogram histogram = usage.histogram(org, filter);
      assertThat(histogram.slots()).hasSizeBetween(60, 120);
      assertThat(histogram.scannedTo()).isEqualTo(FROM);
      assertCounts(histogram, filter);
    }
  }

  @Test
  void theHistogramOfAFilterBeyondTheSumsIsMadeOfRows() throws Exception {
    List<RequestFilter> beyond =
        Stream.generate(() -> random.filter(rows))
            .filter(filter -> !filter.beyondSums().isEmpty())
            .limit(40)
            .toList();
    for (RequestFilter filter : beyond) {
      assertCounts(usage.histogram(org, filter), filter);
    }
    RequestFilter minutes = RequestFilter.between(TO.minus(Duration.ofHours(1)), TO);
    RequestHistogram fine = usage.histogram(org, minutes);
    assertThat(fine.interval()).isLessThan(UsageSums.SLOT);
    assertCounts(fine, minutes);
  }

  private static RequestFilter whole(Dimensions dimensions) {
    return new RequestFilter(
        FROM, TO, dimensions, List.of(), RequestFilter.Flags.ANY, Bounds.NONE, null, List.of());
  }

  private static void assertCounts(RequestHistogram histogram, RequestFilter filter) {
    RequestPredicate predicate = RequestPredicate.of(filter);
    List<RequestRow> matching = rows.stream().filter(predicate).toList();
    assertThat(sum(histogram, Slot::ok)).isEqualTo(count(matching, OutcomeClass.OK));
    assertThat(sum(histogram, Slot::clientError))
        .isEqualTo(count(matching, OutcomeClass.CLIENT_ERROR));
    assertThat(sum(histogram, Slot::providerError))
        .isEqualTo(count(matching, OutcomeClass.PROVIDER_ERROR));
    assertThat(sum(histogram, Slot::refused)).isEqualTo(count(matching, OutcomeClass.REFUSED));
    assertThat(sum(histogram, Slot::costMicro))
        .isEqualTo(matching.stream().mapToLong(RequestRow::costMicro).sum());
  }

  private static long sum(RequestHistogram histogram, ToLongFunction<Slot> count) {
    return histogram.slots().stream().mapToLong(count).sum();
  }

  private static long count(List<RequestRow> rows, OutcomeClass outcome) {
    return rows.stream().filter(row -> OutcomeClass.of(row.outcome()) == outcome).count();
  }

  @Test
  void facetsCountNamesWithoutTheirOwnFilter() throws Exception {
    var filter =
        whole(
            new Dimensions(
                List.of("key00001"), List.of("a/one"), List.of(), List.of(), List.of(), List.of()));
    RequestFacets facets = usage.facets(org, filter);
    Map<String, Long> models = new HashMap<>();
    Map<String, Long> codes = new HashMap<>();
    for (RequestRow row : rows) {
      if (row.key().equals(new KeyId("key00001")) && row.model() != null) {
        models.merge(row.model(), 1L, Long::sum);
        if (row.model().equals("a/one") && row.code() != null) {
          codes.merge(row.code(), 1L, Long::sum);
        }
      }
    }
    assertThat(counts(facets.models())).isEqualTo(models).hasSize(3);
    assertThat(counts(facets.codes())).isEqualTo(codes);
    assertThat(facets.ignored()).isEmpty();
    assertThat(facets.asOf()).isEqualTo(TO);

    var beyond =
        new RequestFilter(
            FROM,
            TO,
            filter.dimensions(),
            List.of(),
            new RequestFilter.Flags(true, null, null),
            new Bounds(null, null, 10, null, null, null),
            null,
            List.of());
    assertThat(usage.facets(org, beyond).ignored()).containsExactly("stream", "min_ms");
    assertThat(usage.facets(org, beyond).models()).isEqualTo(facets.models());
  }

  private static Map<String, Long> counts(List<RequestFacets.Value> values) {
    Map<String, Long> counts = new HashMap<>();
    values.forEach(value -> counts.put(value.name(), value.requests()));
    return counts;
  }

  @Test
  void refusalsThatWereCountedAreShownBesideTheRows() throws Exception {
    OrgId refusing = testStore.newOrg();
    KeyId key = testStore.newKey(refusing);
    long minute = RefusalCount.minuteOf(TO.minus(Duration.ofHours(2)).toEpochMilli());
    testStore
        .store()
        .refusalCounts()
        .add(
            List.of(
                new RefusalCount(minute, refusing, key, "rate_limited", 30),
                new RefusalCount(minute + 1, refusing, key, "rate_limited", 12),
                new RefusalCount(minute, refusing, key, "key_revoked", 5)));
    var filter = RequestFilter.between(FROM, TO);
    assertThat(usage.refused(refusing, filter))
        .containsExactly(
            new UsageQueries.Refused(key.value(), "rate_limited", 42),
            new UsageQueries.Refused(key.value(), "key_revoked", 5));
    assertThat(sum(usage.histogram(refusing, filter), Slot::refused)).isEqualTo(47);
    var one =
        whole(
            new Dimensions(
                List.of(), List.of(), List.of(), List.of(), List.of(), List.of("key_revoked")));
    assertThat(usage.refused(refusing, one)).hasSize(1);
    var model =
        whole(
            new Dimensions(
                List.of(), List.of("a/one"), List.of(), List.of(), List.of(), List.of()));
    assertThat(usage.refused(refusing, model)).isEmpty();
    assertThat(usage.refused(org, filter)).isEmpty();
  }

  @Test
  void refusalsOfAnOrganizationAreReadWithoutThoseOfOthers() throws Exception {
    testStore.execute(
        "INSERT INTO refusal_count SELECT ?::timestamptz + i % 60 * interval '1 minute', 'key' || i,"
            + " 'rate_limited', gen_random_uuid(), 1 FROM generate_series(1, 5000) i",
        FROM.atOffset(ZoneOffset.UTC));
    testStore.execute("ANALYZE refusal_count");
    SqlParts refusals =
        UsageQueries.refusals("SELECT v.code,", org, RequestFilter.between(FROM, TO));
    try (Connection connection = testStore.store().pool().getConnection()) {
      assertThat(
              new SqlParts()
                  .add("EXPLAIN")
                  .add(refusals)
                  .add("GROUP BY 1")
                  .list(connection, row -> row.getString(1)))
          .anyMatch(line -> line.contains("refusal_count_by_org"));
    }
  }
}
