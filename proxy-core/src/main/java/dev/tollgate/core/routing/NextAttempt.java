package dev.tollgate.core.routing;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/** What follows a failed try: a pure function (docs/decisions/retries.md#attempts). */
public sealed interface NextAttempt {
  Duration REPEAT_AFTER_MAX = Duration.ofSeconds(2);
  Duration BACKOFF_MIN = Duration.ofMillis(300);
  Duration BACKOFF_MAX = Duration.ofMillis(600);

  /** Try this candidate after {@code delay}. */
  record Retry(Candidate candidate, Duration delay) implements NextAttempt {}

  /** The last failure is what the client sees. */
  record GiveUp() implements NextAttempt {}

  /** A try that failed. */
  record Failed(Candidate candidate, UpstreamFailure failure) {
    /** Whether another model at this provider may fail like that, too. */
    private boolean isOfTheProviderOf(Candidate other) {
      return candidate.isSameProvider(other) && !failure.isModelSpecific();
    }
  }

  /**
   * Chooses after {@code failed}, the tries so far with the last one at the end: the same provider
   * with one other key where only the key was to blame; else another provider of the same model at
   * once; else one provider once more; else another model, rather where nothing failed.
   *
   * @param barred who is not to be asked, whatever the plan says
   * @param hasOtherKey whether a provider may be asked at once with another key
   */
  static NextAttempt after(
      RoutePlan plan,
      List<Failed> failed,
      Predicate<Candidate> barred,
      Predicate<Candidate> hasOtherKey,
      RandomGenerator random) {
    Failed last = failed.getLast();
    boolean tooLong = last.failure().kind() == Kind.CONTEXT_TOO_LONG;
    if (failed.size() >= plan.attemptsMax() || !(last.failure().canFallBack() || tooLong)) {
      return new GiveUp();
    }
    if (last.failure().kind() == Kind.CREDENTIAL_REFUSED
        && isFirstOf(last.candidate(), failed)
        && !barred.test(last.candidate())
        && hasOtherKey.test(last.candidate())) {
      return new Retry(last.candidate(), Duration.ZERO);
    }
    List<Candidate> unattempted =
        plan.ranked().stream()
            .filter(one -> failed.stream().noneMatch(f -> f.candidate().isSame(one)))
            .filter(barred.negate())
            .filter(one -> fits(one, failed))
            .toList();
    return sameModel(unattempted, failed)
        .<NextAttempt>map(one -> new Retry(one, Duration.ZERO))
        .or(() -> repeated(failed, barred, hasOtherKey, random))
        .or(() -> otherModel(unattempted, failed).map(one -> new Retry(one, Duration.ZERO)))
        .orElse(new GiveUp());
  }

  /** Whether a model is larger than all those that the request did not fit into. */
  private static boolean fits(Candidate candidate, List<Failed> failed) {
    return failed.stream()
        .filter(one -> one.failure().kind() == Kind.CONTEXT_TOO_LONG)
        .allMatch(
            one -> candidate.model().contextLength() > one.candidate().model().contextLength());
  }

  /** Another provider of the model, else another route at one that is not silent. */
  private static Optional<Candidate> sameModel(List<Candidate> unattempted, List<Failed> failed) {
    Candidate last = failed.getLast().candidate();
    List<Candidate> others = unattempted.stream().filter(one -> one.isSameModel(last)).toList();
    return others.stream()
        .filter(one -> failed.stream().noneMatch(f -> f.candidate().isSameProvider(one)))
        .findFirst()
        .or(() -> others.stream().filter(one -> !isUnresponsive(one, failed)).findFirst());
  }

  /** Another model at a provider that is not to blame, else at one that is but is not silent. */
  private static Optional<Candidate> otherModel(List<Candidate> unattempted, List<Failed> failed) {
    Candidate last = failed.getLast().candidate();
    List<Candidate> others =
        unattempted.stream()
            .filter(one -> !one.isSameModel(last) && !isUnresponsive(one, failed))
            .toList();
    return others.stream()
        .filter(one -> failed.stream().noneMatch(f -> f.isOfTheProviderOf(one)))
        .findFirst()
        .or(() -> others.stream().findFirst());
  }

  private static boolean isUnresponsive(Candidate candidate, List<Failed> failed) {
    return failed.stream()
        .anyMatch(
            one ->
                one.failure().kind() == Kind.TIMED_OUT
                    && one.candidate().isSameProvider(candidate));
  }

  private static Optional<NextAttempt> repeated(
      List<Failed> failed,
      Predicate<Candidate> barred,
      Predicate<Candidate> hasOtherKey,
      RandomGenerator random) {
    Candidate last = failed.getLast().candidate();
    for (Failed earlier : failed) {
      Candidate candidate = earlier.candidate();
      boolean may = candidate.isSameModel(last) && isFirstOf(candidate, failed);
      if (!may || barred.test(candidate) || !fits(candidate, failed)) {
        continue;
      }
      if (isOfTheKey(earlier.failure()) && hasOtherKey.test(candidate)) {
        return Optional.of(new Retry(candidate, Duration.ZERO));
      }
      if (earlier.failure().canRetrySameProvider() && !mustWait(earlier.failure())) {
        return Optional.of(new Retry(candidate, delay(earlier.failure(), random)));
      }
    }
    return Optional.empty();
  }

  /** Whether waiting may be spared by another key of the same provider. */
  private static boolean isOfTheKey(UpstreamFailure failure) {
    return failure.kind() == Kind.RATE_LIMITED || failure.kind() == Kind.LIMIT_TOO_LOW;
  }

  private static boolean isFirstOf(Candidate candidate, List<Failed> failed) {
    return failed.stream().filter(one -> one.candidate().isSame(candidate)).count() == 1;
  }

  private static boolean mustWait(UpstreamFailure failure) {
    return failure.kind() == Kind.RATE_LIMITED && !isShort(failure);
  }

  private static boolean isShort(UpstreamFailure failure) {
    return failure.retryAfterSeconds() <= REPEAT_AFTER_MAX.toSeconds();
  }

  private static Duration delay(UpstreamFailure failure, RandomGenerator random) {
    return failure.retryAfterSeconds() > 0 && isShort(failure)
        ? Duration.ofSeconds(failure.retryAfterSeconds())
        : Duration.ofMillis(random.nextLong(BACKOFF_MIN.toMillis(), BACKOFF_MAX.toMillis() + 1));
  }
}
