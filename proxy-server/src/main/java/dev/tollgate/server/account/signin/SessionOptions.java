package dev.tollgate.server.account.signin;

import java.time.Duration;

/**
 * Lifetimes of browser sessions.
 *
 * @param idle time without a call after which a session ends
 * @param absolute longest lifetime
 */
public record SessionOptions(Duration idle, Duration absolute) {
  private static final Duration SEEN_INTERVAL_MAX = Duration.ofMinutes(1);

  /** Returns how often at most a call is recorded in the session's row. */
  Duration seenInterval() {
    Duration half = idle.dividedBy(2);
    return half.compareTo(SEEN_INTERVAL_MAX) < 0 ? half : SEEN_INTERVAL_MAX;
  }
}
