package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tollgate.bench.Arrivals;
import dev.tollgate.bench.Failure;
import dev.tollgate.bench.LoadSchedule;
import dev.tollgate.bench.OpenRound;
import dev.tollgate.bench.RequestSender;
import dev.tollgate.bench.Tally;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A server that answers at once and stalls once, in frozen time: the stall is seen by everyone who
 * was due meanwhile, not only by the few whose requests were under way.
 */
class IntendedStartTest {
  private static final long MILLIS = 1_000_000;
  private static final long TIMEOUT_NANOS = 10_000 * MILLIS;
  private static final double PER_SECOND = 1_000;

  private final Tally tally = new Tally();
  private final List<Integer> refused = new ArrayList<>();

  /** Some connections to a server that serves nobody between two points in time. */
  private final class StallingServer implements RequestSender {
    private final long fromNanos;
    private final long toNanos;
    private final int connections;
    private final ArrayDeque<Long> underWay = new ArrayDeque<>();

    StallingServer(int connections, long fromNanos, long toNanos) {
      this.connections = connections;
      this.fromNanos = fromNanos;
      this.toNanos = toNanos;
    }

    @Override
    public boolean trySend(long intendedNanos, long nowNanos) {
      if (underWay.size() == connections) {
        return false;
      }
      tally.sent(nowNanos - intendedNanos);
      underWay.add(intendedNanos);
      return true;
    }

    /** Answers all that wait, unless it stalls. */
    void serve(LoadSchedule load, long nowNanos) {
      while (!underWay.isEmpty() && (nowNanos < fromNanos || nowNanos >= toNanos)) {
        tally.answered(nowNanos - underWay.remove());
        load.ended(nowNanos);
        load.sendDue(this, nowNanos);
      }
    }
  }

  private void run(LoadSchedule load, StallingServer server) {
    long nowNanos = 0;
    while (!load.isDone(nowNanos)) {
      load.sendDue(server, nowNanos);
      server.serve(load, nowNanos);
      nowNanos += MILLIS / 10;
    }
  }

  @Test
  void aStallIsSeenInAllRequestsThatWereDueMeanwhile() {
    Arrivals arrivals = Arrivals.of(0, PER_SECOND, 1_000 * MILLIS);
    StallingServer server = new StallingServer(2, 500 * MILLIS, 600 * MILLIS);
    run(new OpenRound(arrivals, tally, TIMEOUT_NANOS), server);

    assertThat(tally.answeredCount()).isEqualTo(1_000);
    assertThat(tally.latency().getMaxValue())
        .isEqualTo(tally.latency().highestEquivalentValue(100 * MILLIS));
    // 100 of 1,000 were due while it stalled: they waited for 100, 99, 98, ... ms.
    assertThat(tally.latency().getValueAtPercentile(89.9)).isLessThan(MILLIS);
    assertThat((double) tally.latency().getValueAtPercentile(95))
        .isCloseTo(50.0 * MILLIS, within(2.0 * MILLIS));
    assertThat((double) tally.latency().getValueAtPercentile(99))
        .isCloseTo(90.0 * MILLIS, within(2.0 * MILLIS));
    // Counted from when they were sent, only those two would tell of it.
    assertThat((double) tally.late().getValueAtPercentile(99)).isGreaterThan(80.0 * MILLIS);
  }

  @Test
  void whoWaitsForLongerThanTheTimeoutIsNotSentAndCounts() {
    Arrivals arrivals = Arrivals.of(0, PER_SECOND, 100 * MILLIS);
    StallingServer server = new StallingServer(1, 0, 60 * MILLIS);
    run(new OpenRound(arrivals, tally, 50 * MILLIS), server);

    long unsent = tally.failures().getOrDefault(Failure.UNSENT, 0L);
    assertThat(unsent).isBetween(9L, 10L);
    assertThat(tally.askedCount()).isEqualTo(100);
    assertThat(tally.answeredCount() + unsent).isEqualTo(100);
    assertThat(tally.latency().getTotalCount()).as("the given up are not left out").isEqualTo(100);
  }

  @Test
  void arrivalsAreEvenAndDoNotDrift() {
    Arrivals arrivals = Arrivals.of(1_000, 3, 10_000 * MILLIS);
    assertThat(arrivals.count()).isEqualTo(30);
    assertThat(arrivals.intendedNanos(0)).isEqualTo(1_000);
    assertThat(arrivals.intendedNanos(3)).isEqualTo(1_000 + 1_000 * MILLIS);
    assertThat(arrivals.intendedNanos(30)).isEqualTo(1_000 + 10_000 * MILLIS);
  }

  @Test
  void aConnectionThatCannotBeOpenedFailsOneRequest() {
    OpenRound round = new OpenRound(Arrivals.of(0, PER_SECOND, 3 * MILLIS), tally, TIMEOUT_NANOS);
    RequestSender unknown =
        (_, _) -> {
          refused.add(round.endedCount());
          return false;
        };
    round.sendDue(unknown, 2 * MILLIS);
    round.refused(2 * MILLIS);
    round.refused(2 * MILLIS);
    assertThat(round.isDone(2 * MILLIS)).isFalse();
    round.refused(2 * MILLIS);
    assertThat(round.isDone(2 * MILLIS)).isTrue();
    assertThat(refused).containsExactly(0);
    assertThat(tally.failures()).containsEntry(Failure.CONNECT, 3L);
  }
}
