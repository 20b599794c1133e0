package dev.tollgate.server.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.bench.Results;
import dev.tollgate.server.explorer.RequestFilter.Bounds;
import dev.tollgate.server.explorer.RequestFilter.Dimensions;
import dev.tollgate.server.explorer.RequestFilter.Flags;
import dev.tollgate.server.explorer.RequestFilter.StatusRange;
import dev.tollgate.server.explorer.RequestProjection.Step;
import dev.tollgate.server.explorer.RequestQueries.Page;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the explorer's queries take on the rows of one organization among those of others, and how
 * many rows a second the projection takes over.
 */
class ExplorerBench {
  private static final long ROWS = Long.getLong("bench.rows", 1_000_000);
  private static final long ROWS_OF_OTHERS = Long.getLong("bench.others", 2_000_000);
  private static final int LINES = Integer.getInteger("bench.lines", 200_000);
  private static final int REPEATS = Integer.getInteger("bench.repeats", 5);
  private static final int PAGE = 50;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Results RESULTS = Results.of("explorer");

  /** Yesterday, so that the day is whole. */
  private static final Instant BEGIN = yesterday();

  private static final Instant END = BEGIN.plus(Duration.ofDays(1));

  @TempDir private Path folder = Path.of("");

  private static Instant yesterday() {
    return LocalDate.now(ZoneOffset.UTC).minusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  @Test
  void queriesAndProjection() throws Exception {
    try (DataDirLock lock = DataDirLock.acquire(folder);
        Store store = Store.start(lock, StoreOptions.embedded(folder))) {
      var seed = new ExplorerSeed(store.maintenanceSessions(), BEGIN);
      OrgId org = RandomRequests.newOrg();
      seed.rows(RandomRequests.newOrg(), ROWS, ROWS_OF_OTHERS);
      seed.rows(org, 1, ROWS);
      seed.sums(org);
      seed.execute("VACUUM ANALYZE request_view");
      seed.execute("VACUUM ANALYZE usage_hour");
      RESULTS.print(
          "%d rows of one organization among %d; view %s with indexes"
              .formatted(
                  ROWS,
                  ROWS + ROWS_OF_OTHERS,
                  seed.execute(
                          "SELECT pg_size_pretty(pg_total_relation_size('request_view_"
                              + LocalDate.ofInstant(BEGIN, ZoneOffset.UTC)
                                  .toString()
                                  .replace("-", "")
                              + "'))")
                      .getFirst()));
      pages(new RequestQueries(store.pool()), org);
      rare(new RequestQueries(store.pool()), org);
      sums(new UsageQueries(store.pool()), org);
      projection(store, seed);
    }
  }

  // Pages

  private static Map<String, UnaryOperator<Draft>> filters() {
    Map<String, UnaryOperator<Draft>> all = new LinkedHashMap<>();
    all.put("key", draft -> draft.dimension(0, "key00007"));
    all.put("model", draft -> draft.dimension(1, "vendor/model-3"));
    all.put("provider", draft -> draft.dimension(2, "provider-2"));
    all.put("endpoint", draft -> draft.dimension(3, "/v1/embeddings"));
    all.put("outcome", draft -> draft.dimension(4, "provider_error"));
    all.put("code", draft -> draft.dimension(5, "provider_error"));
    all.put("status", draft -> draft.status("5xx"));
    all.put("stream", draft -> draft.flags(new Flags(true, null, null)));
    all.put("fallback", draft -> draft.flags(new Flags(null, true, null)));
    all.put("estimated", draft -> draft.flags(new Flags(null, null, true)));
    all.put("cost", draft -> draft.bounds(new Bounds(990L, null, null, null, null, null)));
    all.put("ms", draft -> draft.bounds(new Bounds(null, null, 4_900, null, null, null)));
    all.put("tokens", draft -> draft.bounds(new Bounds(null, null, null, null, null, 3_700L)));
    all.put("address", draft -> draft.address("192.0.2.33"));
    return all;
  }

  /** Filter that is being put together. */
  private record Draft(
      List<List<String>> dimensions,
      List<StatusRange> statuses,
      Flags flags,
      Bounds bounds,
      List<String> addresses) {
    static Draft any() {
      return new Draft(
          List.of(List.of(), List.of(), List.of(), List.of(), List.of(), List.of()),
          List.of(),
          Flags.ANY,
          Bounds.NONE,
          List.of());
    }

    Draft dimension(int index, String value) {
      List<List<String>> its = new ArrayList<>(dimensions);
      its.set(index, List.of(value));
      return new Draft(its, statuses, flags, bounds, addresses);
    }

    Draft status(String text) {
      var range = StatusRange.parse(text).orElseThrow();
      return new Draft(dimensions, List.of(range), flags, bounds, addresses);
    }

    Draft flags(Flags its) {
      return new Draft(dimensions, statuses, its, bounds, addresses);
    }

    Draft bounds(Bounds its) {
      return new Draft(dimensions, statuses, flags, its, addresses);
    }

    Draft address(String its) {
      return new Draft(dimensions, statuses, flags, bounds, List.of(its));
    }

    RequestFilter filter() {
      var of =
          new Dimensions(
              dimensions.get(0),
              dimensions.get(1),
              dimensions.get(2),
              dimensions.get(3),
              dimensions.get(4),
              dimensions.get(5));
      return new RequestFilter(BEGIN, END, of, statuses, flags, bounds, null, addresses);
    }
  }

  private static void pages(RequestQueries queries, OrgId org) throws Exception {
    List<Double> all = new ArrayList<>();
    double worst = 0;
    String worstName = "";
    var filters = new ArrayList<>(filters().entrySet());
    for (int i = 0; i < filters.size(); i++) {
      for (int j = i; j < filters.size(); j++) {
        var one = filters.get(i);
        var two = filters.get(j);
        RequestFilter filter = two.getValue().apply(one.getValue().apply(Draft.any())).filter();
        for (int repeat = 0; repeat < REPEATS; repeat++) {
          double ms = millis(() -> queries.list(org, filter, null, PAGE));
          all.add(ms);
          if (ms > worst) {
            worst = ms;
            worstName = one.getKey() + " and " + two.getKey();
          }
        }
      }
    }
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "a page of each filter and pair: p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, worst %.1f ms (%s)",
            Results.percentile(all, 50),
            Results.percentile(all, 95),
            Results.percentile(all, 99),
            worst,
            worstName));
  }

  /** One request of all, the oldest. */
  private static void rare(RequestQueries queries, OrgId org) throws Exception {
    RequestFilter filter =
        Draft.any().bounds(new Bounds(999_999L, null, null, null, null, null)).filter();
    List<Double> pages = new ArrayList<>();
    int hits = 0;
    Page page = null;
    do {
      var after = page == null ? null : page.next();
      long began = System.nanoTime();
      page = queries.list(org, filter, after, PAGE);
      pages.add((System.nanoTime() - began) / 1e6);
      hits += page.rows().size();
    } while (page.next() != null);
    assertThat(hits).isEqualTo(1);
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "one hit in all: %d pages, the slowest %.0f ms",
            pages.size(),
            Results.percentile(pages, 100)));
  }

  // Sums

  private static void sums(UsageQueries usage, OrgId org) throws Exception {
    RequestFilter month = RequestFilter.between(END.minus(Duration.ofDays(30)), END);
    RequestFilter slow =
        Draft.any().bounds(new Bounds(null, null, 4_900, null, null, null)).filter();
    print("histogram of 30 days", () -> usage.histogram(org, month));
    print("facets of 30 days", () -> usage.facets(org, month));
    print("refused of 30 days", () -> usage.refused(org, month));
    print("histogram of 100,000 rows", () -> usage.histogram(org, slow));
  }

  private static void print(String what, Call call) throws Exception {
    List<Double> all = new ArrayList<>();
    for (int i = 0; i < 10 * REPEATS; i++) {
      all.add(millis(call));
    }
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "%s: p50 %.1f ms, p95 %.1f ms",
            what,
            Results.percentile(all, 50),
            Results.percentile(all, 95)));
  }

  // Projection

  private static void projection(Store store, ExplorerSeed seed) throws Exception {
    Instant written =
        Instant.parse(
            seed.execute(
                    "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '1 hour', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .getFirst());
    seed.lines(RandomRequests.newOrg(), written, LINES);
    seed.execute("UPDATE request_view_mark SET upto = ?", written.atOffset(ZoneOffset.UTC));
    var projection = new RequestProjection(RequestProjection.Rules.DEFAULT);
    int rows = 0;
    long began = System.nanoTime();
    long cpuBefore = THREADS.getCurrentThreadCpuTime();
    try (Connection connection = store.maintenanceSessions().getConnection()) {
      Step step = projection.step(connection);
      rows += step.rows();
      while (step.hasMore()) {
        step = projection.step(connection);
        rows += step.rows();
      }
    }
    long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
    double seconds = (System.nanoTime() - began) / 1e9;
    assertThat(rows).isEqualTo(LINES);
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "projection: %d rows in %.1f s, %.0f a second, %.2f us a row of its thread",
            rows,
            seconds,
            rows / seconds,
            cpu / 1e3 / rows));
  }

  private interface Call {
    Object run() throws SQLException;
  }

  private static double millis(Call call) throws SQLException {
    long began = System.nanoTime();
    assertThat(call.run()).isNotNull();
    return (System.nanoTime() - began) / 1e6;
  }
}
