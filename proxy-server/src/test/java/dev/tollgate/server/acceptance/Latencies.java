package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** Durations of requests, one after the other, in milliseconds. */
final class Latencies {
  private Latencies() {}

  static List<Long> measure(GatewayProcess node, String model, int times) {
    List<Long> took = new ArrayList<>();
    for (int n = 0; n < times; n++) {
      long asked = System.nanoTime();
      assertThat(ChatRequests.ask(node, model).status()).isEqualTo(200);
      took.add((System.nanoTime() - asked) / 1_000_000);
    }
    return took;
  }

  /** Returns the 95th percentile. */
  static long slowest(List<Long> millis) {
    List<Long> sorted = millis.stream().sorted().toList();
    return sorted.get(sorted.size() * 95 / 100);
  }
}
