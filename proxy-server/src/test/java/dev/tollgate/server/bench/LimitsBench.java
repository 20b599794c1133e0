package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CPU time of the gateway's process for a plain chat request with every limit on, high enough to
 * refuse nobody, beside the same with all limits off: loaded in turn within one run.
 */
class LimitsBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 20);
  private static final int REQUESTS = Integer.getInteger("bench.requests", 20_000);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 30);
  private static final int CLIENTS = Integer.getInteger("bench.clients", 16);
  private static final Results RESULTS = Results.of("limits");

  private static final String RATES =
      "requests_per_second: 100000000, requests_per_minute: 100000000";
  private static final String ALL_LIMITS =
      "limits: { global: { RATES }, org: { RATES }, model: { default: { RATES } },"
          + " key: { RATES, tokens_per_minute: 100000000, concurrency: 100000 } }";

  @TempDir private Path folder = Path.of("");

  @Test
  void withAndWithoutLimits() throws Exception {
    try (MeasuredProcess mock =
            MeasuredProcess.start(
                folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
        PlainGateway off =
            gateway("off", mock.awaitLine("(http://[0-9.:]+)"), PlainGateway.NO_LIMITS);
        PlainGateway on = gateway("on", off.upstream(), ALL_LIMITS.replace("RATES", RATES))) {
      List<Double> without = new ArrayList<>();
      List<Double> with = new ArrayList<>();
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        double a = off.round(REQUESTS);
        double b = on.round(REQUESTS);
        if (round >= 0) {
          without.add(a);
          with.add(b);
          RESULTS.print(
              String.format(Locale.ROOT, "round %d: off %.1f us, on %.1f us", round, a, b));
        }
      }
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "limits on %.1f us, off %.1f us of CPU per plain request, ratio %.3f"
                  + " (medians of %d rounds of %d requests)",
              Results.median(with),
              Results.median(without),
              Results.median(with) / Results.median(without),
              ROUNDS,
              REQUESTS));
      assertThat(off.refused() + on.refused()).as("requests that were refused").isZero();
    }
  }

  private PlainGateway gateway(String name, String upstream, String limits) throws IOException {
    Path home = Files.createDirectory(folder.resolve(name));
    return PlainGateway.start(MeasuredProcess.LIB, home, upstream, limits, CLIENTS);
  }
}
