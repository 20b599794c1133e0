package dev.tollgate.server.explorer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Requests of a filter over time, in slots of equal length.
 *
 * @param scannedTo all requests since this time are counted
 */
public record RequestHistogram(
    Duration interval, List<Slot> slots, Instant scannedTo, Instant asOf) {
  public RequestHistogram {
    slots = List.copyOf(slots);
  }

  /** Requests of one slot by class of their outcome; the refused include those only counted. */
  public record Slot(
      Instant at, long ok, long clientError, long providerError, long refused, long costMicro) {}

  /** Length of a slot, so that a time has at most {@value #SLOTS_MAX}. */
  record Interval(Duration length) {
    static final int SLOTS_MAX = 120;

    /** In seconds; each is at most twice the one before, so that a time has 60 slots or more. */
    private static final List<Duration> LENGTHS =
        LongStream.of(
                1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 7_200, 10_800,
                21_600, 43_200, 86_400, 172_800, 345_600)
            .mapToObj(Duration::ofSeconds)
            .toList();

    static Interval of(Instant from, Instant to) {
      for (Duration length : LENGTHS) {
        var interval = new Interval(length);
        if (interval.slots(from, to) <= SLOTS_MAX) {
          return interval;
        }
      }
      return new Interval(LENGTHS.getLast());
    }

    Interval atLeast(Duration least) {
      return length.compareTo(least) < 0 ? new Interval(least) : this;
    }

    /** Returns the begin of the slot that a time lies in. */
    Instant begin(Instant at) {
      return UsageSums.begin(at, length);
    }

    long slots(Instant from, Instant to) {
      if (!to.isAfter(from)) {
        return 0;
      }
      return Duration.between(begin(from), to.minusNanos(1)).dividedBy(length) + 1;
    }
  }

  /** Counts of a histogram that is being made. Confined to one thread. */
  static final class Counts {
    private final Interval interval;
    private final Instant first;
    private final long[][] requests;
    private final long[] costs;

    Counts(Interval interval, Instant from, Instant to) {
      int slots = (int) Math.min(interval.slots(from, to), 10 * Interval.SLOTS_MAX);
      this.interval = interval;
      this.first = interval.begin(from);
      this.requests = new long[slots][OutcomeClass.values().length];
      this.costs = new long[slots];
    }

    /** Returns the begin of the first slot. */
    Instant first() {
      return first;
    }

    /** Adds requests; those out of the histogram's time are left out. */
    @SuppressWarnings("EnumOrdinal") // an index
    void add(Instant at, OutcomeClass outcome, long count, long costMicro) {
      long slot =
          Math.floorDiv(at.toEpochMilli() - first.toEpochMilli(), interval.length().toMillis());
      if (slot < 0 || slot >= costs.length) {
        return;
      }
      requests[(int) slot][outcome.ordinal()] += count;
      costs[(int) slot] += costMicro;
    }

    RequestHistogram histogram(Instant scannedTo, Instant asOf) {
      List<Slot> slots = new ArrayList<>(costs.length);
      for (int i = 0; i < costs.length; i++) {
        slots.add(
            new Slot(
                first.plus(interval.length().multipliedBy(i)),
                count(i, OutcomeClass.OK),
                count(i, OutcomeClass.CLIENT_ERROR),
                count(i, OutcomeClass.PROVIDER_ERROR),
                count(i, OutcomeClass.REFUSED),
                costs[i]));
      }
      return new RequestHistogram(interval.length(), slots, scannedTo, asOf);
    }

    @SuppressWarnings("EnumOrdinal") // an index
    private long count(int slot, OutcomeClass outcome) {
      return requests[slot][outcome.ordinal()];
    }
  }
}
