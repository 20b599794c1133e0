package dev.tollgate.core.routing;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.id.ProviderId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What follows a failed try: the order of preference of DECISIONS 6 as a pure function. */
public sealed interface NextTry {
  Duration REPEAT_AFTER_MAX = Duration.ofSeconds(2);
  Duration BACKOFF_MIN = Duration.ofMillis(300);
  Duration BACKOFF_MAX = Duration.ofMillis(600);

  /** Try this candidate after {@code delay}. */
  record Try(Candidate candidate, Duration delay) implements NextTry {}

  /** The last failure is what the client sees. */
  record GiveUp() implements NextTry {}

  /** A try that failed. */
  record Failed(Candidate candidate, UpstreamFailure failure) {}

  /**
   * Chooses after {@code failed}, the tries so far with the last one at the end: another provider
   * at once, else one provider once more.
   */
  static NextTry after(RoutePlan plan, List<Failed> failed, RandomGenerator random) {
    UpstreamFailure last = failed.getLast().failure();
    if (failed.size() >= plan.attemptsMax() || !last.isWorthAnother()) {
      return new GiveUp();
    }
    Set<ProviderId> tried = new HashSet<>();
    failed.forEach(f -> tried.add(f.candidate().id()));
    for (Candidate candidate : plan.candidates()) {
      if (!tried.contains(candidate.id())) {
        return new Try(candidate, Duration.ZERO);
      }
    }
    for (Failed earlier : failed) {
      if (mayRepeat(earlier, failed)) {
        return new Try(earlier.candidate(), delay(earlier.failure(), random));
      }
    }
    return new GiveUp();
  }

  private static boolean mayRepeat(Failed earlier, List<Failed> failed) {
    long tries =
        failed.stream().filter(f -> f.candidate().id().equals(earlier.candidate().id())).count();
    boolean mustWaitLonger =
        earlier.failure().kind() == Kind.RATE_LIMITED && !isShort(earlier.failure());
    return tries == 1 && earlier.failure().isWorthRepeating() && !mustWaitLonger;
  }

  private static boolean isShort(UpstreamFailure failure) {
    return failure.retryAfterSeconds() <= REPEAT_AFTER_MAX.toSeconds();
  }

  private static Duration delay(UpstreamFailure failure, RandomGenerator random) {
    if (failure.retryAfterSeconds() > 0 && isShort(failure)) {
      return Duration.ofSeconds(failure.retryAfterSeconds());
    }
    return Duration.ofMillis(random.nextLong(BACKOFF_MIN.toMillis(), BACKOFF_MAX.toMillis() + 1));
  }
}
