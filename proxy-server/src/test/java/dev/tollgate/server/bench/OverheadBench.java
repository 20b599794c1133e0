package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CPU time of the gateway's process for a plain chat request, beside another build of it whose jars
 * are in {@code bench.baseline}: both run at once, loaded in turn, so that what else the machine
 * does falls on both. Without a baseline the present build is measured twice, which shows the
 * noise.
 */
class OverheadBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 12);
  private static final int REQUESTS = Integer.getInteger("bench.requests", 20_000);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 4);
  private static final int CLIENTS = Integer.getInteger("bench.clients", 16);
  private static final String ADDRESS = "(http://[0-9.:]+)";
  private static final Results RESULTS = Results.of("overhead");

  @TempDir private Path folder = Path.of("");

  @Test
  void microsecondsPerRequest() throws Exception {
    Path baseline = Path.of(System.getProperty("bench.baseline", MeasuredProcess.LIB.toString()));
    try (MeasuredProcess mock =
            MeasuredProcess.start(
                folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
        PlainGateway before = gateway(baseline, "before", mock.awaitLine(ADDRESS));
        PlainGateway now = gateway(MeasuredProcess.LIB, "now", before.upstream())) {
      List<Double> differences = new ArrayList<>();
      for (int round = 0; round < WARM_UP; round++) {
        before.round(REQUESTS);
        now.round(REQUESTS);
      }
      before.mark();
      now.mark();
      for (int round = 0; round < ROUNDS; round++) {
        double a = before.round(REQUESTS);
        double b = now.round(REQUESTS);
        differences.add(b - a);
        RESULTS.print(
            String.format(Locale.ROOT, "round %d: before %.1f us, now %.1f us", round, a, b));
      }
      RESULTS.print("before, by thread: " + before.share(ROUNDS * REQUESTS));
      RESULTS.print("now, by thread: " + now.share(ROUNDS * REQUESTS));
      differences.sort(null);
      double median = differences.get(differences.size() / 2);
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "now needs %.1f us of CPU more per plain request than before (median of %d rounds of %d"
                  + " requests)",
              median,
              ROUNDS,
              REQUESTS));
      assertThat(before.refused() + now.refused()).as("requests that were refused").isZero();
    }
  }

  private PlainGateway gateway(Path lib, String name, String upstream) throws Exception {
    return PlainGateway.start(
        lib,
        Files.createDirectory(folder.resolve(name)),
        upstream,
        PlainGateway.NO_LIMITS,
        CLIENTS);
  }
}
