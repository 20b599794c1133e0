package dev.tollgate.server.explorer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

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

    /** Each is at most twice the one before, so that a time has 60 slots or more. */
    private static final List<Duration> LENGTHS =
        List.of(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(3),
            Duration.ofMinutes(5),
            Duration.ofMinutes(10),
            Duration.ofMinutes(15),
            Duration.ofMinutes(30),
            Duration.ofHours(1),
            Duration.ofHours(2),
            Duration.ofHours(3),
            Duration.ofHours(6),
            Duration.ofHours(12),
            Duration.ofDays(1),
            Duration.ofDays(2),
            Duration.ofDays(4));

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
