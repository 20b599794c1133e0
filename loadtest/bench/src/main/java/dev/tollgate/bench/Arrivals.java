package dev.tollgate.bench;

/**
 * When each request of a round should start: evenly spaced, decided before the first one is sent
 * and never moved by how long answers take. Immutable.
 */
public record Arrivals(long startNanos, double perSecond, int count) {
  public static Arrivals of(long startNanos, double perSecond, long roundNanos) {
    int count = (int) Math.max(1, Math.round(perSecond * roundNanos / 1e9));
    return new Arrivals(startNanos, perSecond, count);
  }

  /** When the n-th should start. */
  public long intendedNanos(int n) {
    return startNanos + Math.round(n * (1e9 / perSecond));
  }
}
