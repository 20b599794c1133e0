package dev.tollgate.core.routing;

import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Decision, after a failed attempt, which candidate is tried next or that none is, made by a pure
 * function (docs/decisions/retries.md#attempts).
 */
public sealed interface NextAttempt {
  Duration REPEAT_AFTER_MAX = Duration.ofSeconds(2);
  Duration BACKOFF_MIN = Duration.ofMillis(300);
  Duration BACKOFF_MAX = Duration.ofMillis(600);

  /** Try {@code candidate} after {@code delay}. */
  record Retry(Candidate candidate, Duration delay) implements NextAttempt {}

  /** Make no further attempt: the client gets the last failure. */
  record GiveUp() implements NextAttempt {}

  /** An attempt that failed. */
  record Failed(Candidate candidate, UpstreamFailure failure) {
    /** True if the failure may affect other models of the same provider too. */
    private boolean isOfTheProviderOf(Candidate other) {
      return candidate.isSameProvider(other) && !failure.isModelSpecific();
    }
  }

  /**
   * Decides what follows {@code failed}, the attempts so far in order: the same provider with
   * another key, once, if only the key was at fault; else another provider of the same model at
   * once; else one provider once more; else another model, preferably at a provider that did not
   * fail.
   *
   * @param barred candidates that must not be tried, whatever the plan
   * @param hasOtherKey true if a provider may be tried at once with another key
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

  /** True if the context is larger than those of all routes that the request did not fit into. */
  private static boolean fits(Candidate candidate, List<Failed> failed) {
    return failed.stream()
        .filter(one -> one.failure().kind() == Kind.CONTEXT_TOO_LONG)
        .allMatch(one -> candidate.contextLength() > one.candidate().contextLength());
  }

  /**
   * Returns another provider of the model, else another route at a provider that did not time out.
   */
  private static Optional<Candidate> sameModel(List<Candidate> unattempted, List<Failed> failed) {
    Candidate last = failed.getLast().candidate();
    List<Candidate> others = unattempted.stream().filter(one -> one.isSameModel(last)).toList();
    return others.stream()
        .filter(one -> failed.stream().noneMatch(f -> f.candidate().isSameProvider(one)))
        .findFirst()
        .or(() -> others.stream().filter(one -> !isUnresponsive(one, failed)).findFirst());
  }

  /**
   * Returns another model at a provider that did not fail, else at one that failed but did not time
   * out.
   */
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

  /** True if another key of the same provider makes waiting unnecessary. */
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
