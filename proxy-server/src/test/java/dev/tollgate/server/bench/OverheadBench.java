package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CPU time of the gateway's process for a plain chat request, or for an event of a paced stream
 * with {@code bench.events}, beside another build of it whose jars are in {@code bench.baseline}:
 * both run at once, loaded in turn, so that what else the machine does falls on both. Without a
 * baseline the present build is measured twice, which shows the noise.
 */
class OverheadBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 12);
  private static final int REQUESTS = Integer.getInteger("bench.requests", 20_000);
  private static final int UNITS = Math.max(1, PlainGateway.EVENTS);
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
      for (int round = 0; round < WARM_UP; round++) {
        before.round(REQUESTS);
        now.round(REQUESTS);
      }
      before.mark();
      now.mark();
      for (int round = 0; round < ROUNDS; round++) {
        RESULTS.print(
            String.format(
                Locale.ROOT,
                "round %d: before %.2f us, now %.2f us",
                round,
                before.round(REQUESTS) / UNITS,
                now.round(REQUESTS) / UNITS));
      }
      int measured = ROUNDS * REQUESTS;
      double a = before.whole(measured) / UNITS;
      double b = now.whole(measured) / UNITS;
      RESULTS.print("before, by thread: " + before.share(measured));
      RESULTS.print("now, by thread: " + now.share(measured));
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "now needs %.2f us of CPU per %s, before %.2f us, ratio %.3f (%d rounds of %d requests,"
                  + " with what each does behind its replies)",
              b,
              UNITS == 1 ? "plain request" : "paced event",
              a,
              b / a,
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
