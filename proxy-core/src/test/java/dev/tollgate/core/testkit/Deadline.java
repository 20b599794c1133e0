package dev.tollgate.core.testkit;

import java.time.Duration;

/** A point in time after which a waiting test fails; nothing in the testkit waits without one. */
final class Deadline {
  /** Generous on purpose: only a test that would otherwise hang reaches it. */
  static final Duration USUAL = Duration.ofSeconds(10);

  private final String awaited;
  private final Duration span;
  private final long atNanos;

  private Deadline(String awaited, Duration span) {
    this.awaited = awaited;
    this.span = span;
    this.atNanos = System.nanoTime() + span.toNanos();
  }

  static Deadline in(Duration span, String awaited) {
    return new Deadline(awaited, span);
  }

  /** Returns the time left, at least one nanosecond; fails the test if there is none. */
  long leftNanos() {
    long left = atNanos - System.nanoTime();
    if (left <= 0) {
      throw missed();
    }
    return left;
  }

  /** Returns the time left in milliseconds, at least one; fails the test if there is none. */
  int leftMillis() {
    return (int) Math.max(1, leftNanos() / 1_000_000);
  }

  AssertionError missed() {
    return new AssertionError("waited " + span + " without success for " + awaited);
  }
}
