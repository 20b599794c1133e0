package dev.tollgate.server.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.bench.Results;
import dev.tollgate.server.explorer.ExplorerSeed.Seeded;
import dev.tollgate.server.explorer.RequestProjection.Step;
import dev.tollgate.server.explorer.RequestQueries.Page;
import dev.tollgate.server.explorer.RequestQueries.Position;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the explorer's queries take on the rows of one organization among those of others, over
 * thirty days, and how many rows a second the projection takes over. Bounds stand beside the
 * figures.
 */
class ExplorerBench {
  private static final int ROWS = Integer.getInteger("bench.rows", 1_000_000);
  private static final int ORGS = Integer.getInteger("bench.orgs", 20);
  private static final int DAYS = Integer.getInteger("bench.days", 30);
  private static final int LINES = Integer.getInteger("bench.lines", 200_000);
  private static final int REPEATS = Integer.getInteger("bench.repeats", 5);
  private static final int PAGE = 50;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** A folder that is given keeps the rows for the next run. */
  private static final String FOLDER = System.getProperty("bench.folder", "");

  private static final Results RESULTS = Results.of("explorer");

  @TempDir private Path folder = Path.of("");

  @Test
  void queries() throws Exception {
    Path at = FOLDER.isEmpty() ? folder : Path.of(FOLDER);
    try (DataDirLock lock = DataDirLock.acquire(at);
        Store store = Store.start(lock, StoreOptions.embedded(at))) {
      var seed = new ExplorerSeed(store.maintenanceSessions());
      long began = System.nanoTime();
      Seeded seeded = seed.seeded(ROWS, ORGS, DAYS);
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "%d days, %d rows of each of %d organizations, made in %.0f s; a day's view %s",
              DAYS,
              ROWS,
              ORGS,
              (System.nanoTime() - began) / 1e9,
              size(seed, seeded)));
      var filters = new BenchFilters(seeded.end().minus(Duration.ofDays(DAYS)), seeded.end());
      pages(store, seeded.org(), filters);
      rare(new RequestQueries(store.pool()), seeded.org(), filters.rare());
      sums(new UsageQueries(store.pool()), seeded, filters);
    }
  }

  private static String size(ExplorerSeed seed, Seeded seeded) throws SQLException {
    String table =
        ExplorerSeed.table(seeded.end().atOffset(ZoneOffset.UTC).toLocalDate().minusDays(1));
    return seed.execute(
            """
            SELECT pg_size_pretty(pg_relation_size('%s')) || ' and its indexes '
                   || pg_size_pretty(pg_indexes_size('%s'))
            """
                .formatted(table, table))
        .getFirst();
  }

  // Pages

  private static void pages(Store store, OrgId org, BenchFilters filters) throws Exception {
    Map<String, List<Double>> singles = times(store, org, filters.single());
    Map<String, List<Double>> pairs = times(store, org, filters.pairs());
    for (var each : singles.entrySet()) {
      report("page by " + each.getKey(), each.getValue(), 100, 250);
    }
    for (var each : worst(pairs).values()) {
      report("page by " + each.getKey(), each.getValue(), 100, 250);
    }
    report("page by one filter", all(singles.values()), 100, 250);
    report("page by two", all(pairs.values()), 100, 250);
  }

  /** Times of pages with the counted refusals, in rounds over all filters. */
  private static Map<String, List<Double>> times(
      Store store, OrgId org, Map<String, RequestFilter> filters) throws SQLException {
    var queries = new RequestQueries(store.pool());
    var usage = new UsageQueries(store.pool());
    Map<String, List<Double>> times = new LinkedHashMap<>();
    for (int i = 0; i < REPEATS; i++) {
      for (var each : filters.entrySet()) {
        double ms =
            millis(
                () -> {
                  usage.refused(org, each.getValue());
                  return queries.list(org, each.getValue(), null, PAGE);
                });
        times.computeIfAbsent(each.getKey(), _ -> new ArrayList<>()).add(ms);
      }
    }
    return times;
  }

  /** Returns the five slowest. */
  private static Map<Double, Map.Entry<String, List<Double>>> worst(
      Map<String, List<Double>> times) {
    TreeMap<Double, Map.Entry<String, List<Double>>> byMedian = new TreeMap<>();
    times.entrySet().forEach(each -> byMedian.put(Results.percentile(each.getValue(), 50), each));
    while (byMedian.size() > 5) {
      byMedian.pollFirstEntry();
    }
    return byMedian.descendingMap();
  }

  private static List<Double> all(Collection<List<Double>> times) {
    return times.stream().flatMap(List::stream).toList();
  }

  private static void rare(RequestQueries queries, OrgId org, RequestFilter filter)
      throws Exception {
    List<Double> pages = new ArrayList<>();
    List<RequestRow> hits = new ArrayList<>();
    Instant scannedTo = filter.to();
    Position after = null;
    do {
      long began = System.nanoTime();
      Page page = queries.list(org, filter, after, PAGE);
      pages.add((System.nanoTime() - began) / 1e6);
      hits.addAll(page.rows());
      after = page.next();
      assertThat(page.scannedTo()).isBefore(scannedTo);
      scannedTo = page.scannedTo();
    } while (after != null);
    assertThat(hits).hasSize(1);
    assertThat(scannedTo).isEqualTo(filter.from());
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "one hit in all: %d pages (bound 10), the slowest %.1f ms (bound 1000)",
            pages.size(),
            Results.percentile(pages, 100)));
  }

  // Sums

  private static void sums(UsageQueries usage, Seeded seeded, BenchFilters filters)
      throws Exception {
    OrgId org = seeded.org();
    Instant end = seeded.end();
    RequestFilter month = RequestFilter.between(filters.from(), end);
    RequestFilter day = RequestFilter.between(end.minus(Duration.ofDays(1)), end);
    time("histogram of all days", () -> usage.histogram(org, month));
    time("histogram by key", () -> usage.histogram(org, filters.one("key")));
    time("histogram by model", () -> usage.histogram(org, filters.one("model")));
    time("histogram of 100,000 rows, by ms", () -> usage.histogram(org, filters.one("ms")));
    time("histogram of a day", () -> usage.histogram(org, day));
    time("facets of all days", () -> usage.facets(org, month));
    time("facets by key", () -> usage.facets(org, filters.one("key")));
    time("facets of a day", () -> usage.facets(org, day));
  }

  private static void time(String what, Call call) throws Exception {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < 10 * REPEATS; i++) {
      times.add(millis(call));
    }
    report(what, times, 150, 0);
  }

  // Projection

  @Test
  void projection() throws Exception {
    try (DataDirLock lock = DataDirLock.acquire(folder);
        Store store = Store.start(lock, StoreOptions.embedded(folder))) {
      var seed = new ExplorerSeed(store.maintenanceSessions());
      Instant written = Instant.now().minus(Duration.ofHours(1));
      seed.lines(RandomRequests.newOrg(), written, LINES);
      seed.execute("UPDATE request_view_mark SET upto = ?", written.atOffset(ZoneOffset.UTC));
      var projection = new RequestProjection(RequestProjection.Rules.DEFAULT);
      long began = System.nanoTime();
      long cpuBefore = THREADS.getCurrentThreadCpuTime();
      try (Connection connection = store.maintenanceSessions().getConnection()) {
        Step step = projection.step(connection);
        int rows = step.rows();
        while (step.hasMore()) {
          step = projection.step(connection);
          rows += step.rows();
        }
        assertThat(rows).isEqualTo(LINES);
      }
      long cpu = THREADS.getCurrentThreadCpuTime() - cpuBefore;
      double seconds = (System.nanoTime() - began) / 1e9;
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "projection: %d rows in %.1f s, %.0f a second (bound 5000), %.2f us a row of its thread",
              LINES,
              seconds,
              LINES / seconds,
              cpu / 1e3 / LINES));
    }
  }

  private interface Call {
    Object run() throws SQLException;
  }

  private static double millis(Call call) throws SQLException {
    long began = System.nanoTime();
    assertThat(call.run()).isNotNull();
    return (System.nanoTime() - began) / 1e6;
  }

  /**
   * @param p99Max 0: none
   */
  private static void report(String what, List<Double> times, int p95Max, int p99Max)
      throws IOException {
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "%s: p50 %.1f ms, p95 %.1f ms (bound %d), p99 %.1f ms%s",
            what,
            Results.percentile(times, 50),
            Results.percentile(times, 95),
            p95Max,
            Results.percentile(times, 99),
            p99Max == 0 ? "" : " (bound " + p99Max + ")"));
  }
}
