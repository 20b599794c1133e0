package dev.tollgate.core.routing;

import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Health of one provider credential for one model: usable, cooling down after a 429, or refused by
 * the provider. A refused key is tried again at growing intervals, by one request at a time. Shared
 * by all loops: one atomic reference to an immutable state.
 */
public final class KeyHealth {
  static final Duration REFUSED_FIRST = Duration.ofSeconds(60);
  static final Duration REFUSED_MAX = Duration.ofMinutes(10);
  static final Duration COOLING_MAX = Duration.ofHours(1);

  /** Wait after a 429 that names none: at least the shortest backoff. */
  static final Duration COOLING_UNKNOWN = NextAttempt.BACKOFF_MIN;

  private final AtomicReference<State> state = new AtomicReference<>(new State.Usable());

  /** State of the key. */
  public sealed interface State {
    /**
     * Rank of the state: the nanoseconds until the key is usable, and much more if the provider
     * refused it.
     */
    default long severity(long nowNanos) {
      return switch (this) {
        case Usable _, Recovered _ -> 0;
        case Cooling cooling -> Math.max(0, cooling.untilNanos() - nowNanos);
        case Retired retired -> Long.MAX_VALUE / 2 + Math.max(0, retired.untilNanos() - nowNanos);
      };
    }

    record Usable() implements State {}

    /**
     * The provider accepts the key again: an attempt that began at {@code sinceNanos} showed it.
     */
    record Recovered(long sinceNanos) implements State {
      private boolean isOlder(long begunNanos) {
        return begunNanos - sinceNanos < 0;
      }
    }

    /** The provider limits the rate of the key until {@code untilNanos}. */
    record Cooling(long untilNanos) implements State {}

    /**
     * The provider refused the key, at {@code sinceNanos} last; it may be tried again at {@code
     * untilNanos}.
     */
    record Retired(long sinceNanos, long untilNanos, Duration interval) implements State {
      /**
       * True if an attempt began before the key was refused. Many may be running at that moment:
       * they report the same refusal again, or a success that is out of date.
       */
      boolean isOlder(long begunNanos) {
        return begunNanos - sinceNanos <= 0;
      }

      /** True if the attempt that began at {@code begunNanos} is the probe. */
      private boolean isProbe(long begunNanos) {
        return begunNanos == untilNanos - interval.toNanos();
      }
    }
  }

  public State state() {
    return Objects.requireNonNull(state.get());
  }

  /** Returns the nanoseconds until the key may be used; 0 means at once. */
  long waitNanos(long nowNanos) {
    return switch (state()) {
      case State.Usable _, State.Recovered _ -> 0;
      case State.Cooling cooling -> Math.max(0, cooling.untilNanos() - nowNanos);
      case State.Retired retired -> Math.max(0, retired.untilNanos() - nowNanos);
    };
  }

  boolean isRetired() {
    return state() instanceof State.Retired;
  }

  /**
   * Takes the key for one attempt. A refused key is granted to one caller per interval, or to all
   * of them as a last resort.
   */
  boolean tryUse(CredentialPolicy policy, long nowNanos) {
    State now = state();
    return switch (now) {
      case State.Usable _, State.Recovered _ -> true;
      case State.Cooling cooling -> nowNanos - cooling.untilNanos() >= 0;
      case State.Retired retired ->
          policy == CredentialPolicy.LAST_RESORT
              || (nowNanos - retired.untilNanos() >= 0
                  && state.compareAndSet(
                      now, retired(retired.sinceNanos(), nowNanos, retired.interval())));
    };
  }

  private static State.Retired retired(long sinceNanos, long nowNanos, Duration interval) {
    return new State.Retired(sinceNanos, nowNanos + interval.toNanos(), interval);
  }

  /**
   * Reports that the provider accepted the key in an attempt that began at {@code begunNanos}.
   * Returns true if the key was refused before.
   */
  boolean succeeded(long begunNanos) {
    State now = state();
    return now instanceof State.Retired retired
        && !retired.isOlder(begunNanos)
        && state.compareAndSet(now, new State.Recovered(begunNanos));
  }

  /**
   * Reports that the provider refused the key in an attempt that began at {@code begunNanos}.
   * Returns true if the key was not refused before.
   */
  boolean refused(long begunNanos, long nowNanos) {
    while (true) {
      State now = state();
      if (now instanceof State.Retired retired
          && (retired.isOlder(begunNanos) || !retired.isProbe(begunNanos))) {
        return false; // an attempt of last resort does not lengthen the wait
      }
      if (now instanceof State.Recovered recovered && recovered.isOlder(begunNanos)) {
        return false; // the provider has accepted the key since
      }
      boolean again = now instanceof State.Retired;
      Duration interval =
          now instanceof State.Retired retired ? longer(retired.interval()) : REFUSED_FIRST;
      if (state.compareAndSet(now, retired(nowNanos, nowNanos, interval))) {
        return !again;
      }
    }
  }

  /** Reports an outcome that does not show the key's state: the next request may be the probe. */
  void neutral(long begunNanos, long nowNanos) {
    State now = state();
    if (now instanceof State.Retired retired
        && !retired.isOlder(begunNanos)
        && retired.isProbe(begunNanos)) {
      state.compareAndSet(
          now, new State.Retired(retired.sinceNanos(), nowNanos, retired.interval()));
    }
  }

  private static Duration longer(Duration interval) {
    Duration doubled = interval.multipliedBy(2);
    return doubled.compareTo(REFUSED_MAX) > 0 ? REFUSED_MAX : doubled;
  }

  /**
   * Reports the wait that the provider asked for in an attempt that began at {@code begunNanos};
   * the longest wait counts.
   */
  void limited(int retryAfterSeconds, long begunNanos, long nowNanos) {
    Duration asked =
        retryAfterSeconds == 0 ? COOLING_UNKNOWN : Duration.ofSeconds(retryAfterSeconds);
    long until = nowNanos + Math.min(asked.toNanos(), COOLING_MAX.toNanos());
    while (true) {
      State now = state();
      boolean waits =
          switch (now) {
            case State.Usable _, State.Recovered _ -> false;
            case State.Cooling cooling -> cooling.untilNanos() - until >= 0;
            case State.Retired retired -> retired.isOlder(begunNanos);
          };
      if (waits || state.compareAndSet(now, new State.Cooling(until))) {
        return;
      }
    }
  }

  /** Permits a refused key to be tried at once, because it may have been repaired. */
  void resetWait(long nowNanos) {
    State now = state();
    if (now instanceof State.Retired retired) {
      state.compareAndSet(
          now, new State.Retired(retired.sinceNanos(), nowNanos, retired.interval()));
    }
  }
}
