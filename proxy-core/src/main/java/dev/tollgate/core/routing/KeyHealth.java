package dev.tollgate.core.routing;

import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What is known of one key of a provider for one model: it serves, it cools after a 429, or the
 * provider refused it. A refused key is asked again now and then, by one request at a time. Shared
 * by all loops: one atomic reference to an immutable state.
 */
public final class KeyHealth {
  static final Duration REFUSED_FIRST = Duration.ofSeconds(60);
  static final Duration REFUSED_MAX = Duration.ofMinutes(10);
  static final Duration COOLING_MAX = Duration.ofHours(1);

  /** A 429 that names no wait is repeated after a backoff of at least this. */
  static final Duration COOLING_UNKNOWN = NextAttempt.BACKOFF_MIN;

  private final AtomicReference<State> state = new AtomicReference<>(new State.Usable());

  /** What the key is now. */
  public sealed interface State {
    /** Nanoseconds for which it is not used, and much more where the provider refused it. */
    default long severity(long nowNanos) {
      return switch (this) {
        case Usable _, Recovered _ -> 0;
        case Cooling cooling -> Math.max(0, cooling.untilNanos() - nowNanos);
        case Retired retired -> Long.MAX_VALUE / 2 + Math.max(0, retired.untilNanos() - nowNanos);
      };
    }

    record Usable() implements State {}

    /** The provider takes it again: it did in a try that began at {@code sinceNanos}. */
    record Recovered(long sinceNanos) implements State {
      private boolean isOlder(long begunNanos) {
        return begunNanos - sinceNanos < 0;
      }
    }

    /** The provider limits its rate until then. */
    record Cooling(long untilNanos) implements State {}

    /** The provider refused it, at {@code sinceNanos} last; it may be tried again then. */
    record Retired(long sinceNanos, long untilNanos, Duration interval) implements State {
      /**
       * Whether a try began before the key was refused. Many may be under way in that moment: what
       * comes of them is the same refusal again, or says how it was before.
       */
      boolean isOlder(long begunNanos) {
        return begunNanos - sinceNanos <= 0;
      }

      /** Whether the try that began then is the one that was let through. */
      private boolean isProbe(long begunNanos) {
        return begunNanos == untilNanos - interval.toNanos();
      }
    }
  }

  public State state() {
    return Objects.requireNonNull(state.get());
  }

  /** Nanoseconds until the key may be used; 0: at once. */
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
   * Takes the key for one try; a refused one is given to one of those who ask, or to all of them as
   * a last resort.
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

  /** The provider took it in a try that began then. Says whether that was news. */
  boolean succeeded(long begunNanos) {
    State now = state();
    return now instanceof State.Retired retired
        && !retired.isOlder(begunNanos)
        && state.compareAndSet(now, new State.Recovered(begunNanos));
  }

  /** The provider refused it in a try that began then. Says whether that was news. */
  boolean refused(long begunNanos, long nowNanos) {
    while (true) {
      State now = state();
      if (now instanceof State.Retired retired
          && (retired.isOlder(begunNanos) || !retired.isProbe(begunNanos))) {
        return false; // a last resort brings no longer wait
      }
      if (now instanceof State.Recovered recovered && recovered.isOlder(begunNanos)) {
        return false; // the provider has taken it since
      }
      boolean again = now instanceof State.Retired;
      Duration interval =
          now instanceof State.Retired retired ? longer(retired.interval()) : REFUSED_FIRST;
      if (state.compareAndSet(now, retired(nowNanos, nowNanos, interval))) {
        return !again;
      }
    }
  }

  /** A probe said nothing about the key: the next request may take its place. */
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

  /** The provider asked to wait in a try that began then; the longest wait counts. */
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

  /** Somebody who may have mended it wants it tried at once. */
  void resetWait(long nowNanos) {
    State now = state();
    if (now instanceof State.Retired retired) {
      state.compareAndSet(
          now, new State.Retired(retired.sinceNanos(), nowNanos, retired.interval()));
    }
  }
}
