package dev.tollgate.server.explorer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.postgres.TestLedgerStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The histograms of the sums count each duration in its bucket, however they are put together. */
class UsageSumsIT {
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private final Random random = new Random(28);

  @Test
  void eachBucketEndsAtTheSquareRootOfTwoTimesItsBegin() throws Exception {
    assertThat(buckets("latency_bucket", 1)).isEqualTo(expected(1));
    assertThat(buckets("latency_bucket_us", 10)).isEqualTo(expected(10));
  }

  /** Durations around the begin of each bucket, and the extreme ones. */
  private static List<Integer> durations(int first) {
    List<Integer> all = new ArrayList<>(List.of(0, 1, Integer.MAX_VALUE));
    for (int i = 0; i < LatencyHistogram.BUCKETS + 2; i++) {
      int begin = (int) Math.floor(first * Math.pow(2, i / 2.0));
      IntStream.rangeClosed(begin - 1, begin + 2).filter(ms -> ms >= 0).forEach(all::add);
    }
    return all;
  }

  private static List<String> buckets(String function, int first) throws Exception {
    return testStore.execute(
        "SELECT %s(d::integer) FROM unnest(string_to_array(?, ',')) WITH ORDINALITY AS t (d, n)"
            .formatted(function)
            .concat(" ORDER BY n"),
        String.join(",", durations(first).stream().map(String::valueOf).toList()));
  }

  private static List<String> expected(int first) {
    List<String> buckets = new ArrayList<>();
    for (int duration : durations(first)) {
      int bucket = 0;
      while (bucket < LatencyHistogram.BUCKETS - 1
          && duration >= first * Math.pow(2, (bucket + 1) / 2.0)) {
        bucket++;
      }
      buckets.add(String.valueOf(bucket));
    }
    return buckets;
  }

  @Test
  void whatIsAddedAndTakenAwayLeavesTheRest() throws Exception {
    int[] counts = new int[LatencyHistogram.BUCKETS];
    String sum = "{}";
    for (int round = 0; round < 50; round++) {
      int step = random.nextBoolean() ? 1 : -1;
      List<String> buckets = new ArrayList<>();
      for (int i = random.nextInt(1, 20); i > 0; i--) {
        int bucket = random.nextInt(LatencyHistogram.BUCKETS);
        counts[bucket] += step;
        buckets.add(String.valueOf(bucket));
      }
      sum =
          testStore
              .execute(
                  "SELECT latency_hist_add(?::integer[], latency_hist(?::integer[], ?))::text",
                  sum,
                  "{" + String.join(",", buckets) + "}",
                  step)
              .getFirst();
    }
    assertThat(sum)
        .isEqualTo(
            IntStream.of(counts)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(",", "{", "}")));
    assertThat(testStore.execute("SELECT latency_hist_add(?::integer[], '{}')::text", sum))
        .containsExactly(sum);
    assertThat(testStore.execute("SELECT latency_hist(NULL, 1)::text")).containsExactly("{}");
  }
}
