package dev.tollgate.bench;

/**
 * Intended start times of the requests in one measurement round, evenly spaced and fixed before the
 * first request. They do not depend on response times. Immutable.
 */
public record Arrivals(long startNanos, double perSecond, int count) {
  public static Arrivals of(long startNanos, double perSecond, long roundNanos) {
    int count = (int) Math.max(1, Math.round(perSecond * roundNanos / 1e9));
    return new Arrivals(startNanos, perSecond, count);
  }

  /** Returns the intended start of the n-th request. */
  public long intendedNanos(int n) {
    return startNanos + Math.round(n * (1e9 / perSecond));
  }
}
