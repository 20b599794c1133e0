package dev.tollgate.server.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Tracker of how long the ledger store has answered this node without a break. That is long enough
 * once every live node must have sent a heartbeat. It uses the wall clock, which continues while
 * the machine is suspended.
 */
final class StoreUptime {
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

  /** Greatest gap between two answers; a longer one is an interruption of this node. */
  private static final Duration GAP_MAX = Duration.ofSeconds(90);

  private final InstantSource clock;
  private @Nullable Instant since;
  private @Nullable Instant last;

  StoreUptime(InstantSource clock) {
    this.clock = clock;
  }

  /** Records an answer; true if the store has answered for long enough. */
  boolean answeredLongEnough() {
    Instant now = clock.instant();
    Instant began = since;
    if (began == null || last == null || now.isBefore(last) || now.isAfter(last.plus(GAP_MAX))) {
      began = now;
    }
    since = began;
    last = now;
    return !now.isBefore(began.plus(LONG_ENOUGH));
  }

  /** Records a failure to answer. */
  void interrupted() {
    since = null;
  }
}
