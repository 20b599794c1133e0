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
 * CPU time of the gateway's process for a plain chat request of a model with three providers,
 * beside the same with one: loaded in turn within one run. The first provider always serves.
 */
class CandidatesBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 16);
  private static final int REQUESTS = Integer.getInteger("bench.requests", 20_000);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 24);
  private static final int CLIENTS = Integer.getInteger("bench.clients", 16);
  private static final Results RESULTS = Results.of("candidates");

  @TempDir private Path folder = Path.of("");

  @Test
  void threeAndOne() throws Exception {
    try (MeasuredProcess mock =
            MeasuredProcess.start(
                folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
        PlainGateway one = gateway("one", mock.awaitLine("(http://[0-9.:]+)"), 1);
        PlainGateway three = gateway("three", one.upstream(), 3)) {
      List<Double> ofOne = new ArrayList<>();
      List<Double> ofThree = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        double a = one.round(REQUESTS);
        double b = three.round(REQUESTS);
        if (round >= 0) {
          ofOne.add(a);
          ofThree.add(b);
          ratios.add(b / a);
          RESULTS.print(
              String.format(Locale.ROOT, "round %d: one %.1f us, three %.1f us", round, a, b));
        }
      }
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "three candidates %.1f us, one %.1f us of CPU per plain request, ratio %.3f"
                  + " (medians of %d rounds of %d requests)",
              Results.median(ofThree),
              Results.median(ofOne),
              Results.median(ratios),
              ROUNDS,
              REQUESTS));
      assertThat(one.refused() + three.refused()).as("requests that were refused").isZero();
    }
  }

  private PlainGateway gateway(String name, String upstream, int candidates) throws IOException {
    Path home = Files.createDirectory(folder.resolve(name));
    return PlainGateway.start(home, upstream, candidates, CLIENTS);
  }
}
