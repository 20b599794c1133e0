package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Cause;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Exclusion;
import dev.tollgate.core.routing.Exclusion.Reason;
import dev.tollgate.core.routing.ExtraAttempt;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.routing.NextAttempt;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Retry state of one request: chooses each next attempt from the plan and the failures. All
 * attempts share one deadline: the request's own or, unless it is a stream, the provider's total
 * timeout. Loop-confined.
 */
final class RetryState {
  private final Fleet fleet;
  private final RoutePlan plan;
  private final long begunNanos;
  private final ModelId asked;
  private final boolean stream;
  private final boolean atMostOnce;
  private final long ownDeadline;
  private final FallbackLimits limits;
  private final AttemptHistory history;
  private final List<NextAttempt.Failed> failures = new ArrayList<>(1);
  private final List<Exclusion> excluded = new ArrayList<>(0);
  private final List<Candidate> barred = new ArrayList<>(0);
  private final List<Candidate> abandoned = new ArrayList<>(0);
  private final List<Credential> limitTooLow = new ArrayList<>(0);
  private @Nullable Placement placement;
  private @Nullable Candidate waiting;
  private NextAttempt.@Nullable Failed last;
  private NextAttempt.@Nullable Failed interruption;
  private Predicate<Candidate> canContinue = _ -> true;
  private @Nullable Candidate repeat;
  private int refusedPrefills;
  private @Nullable Candidate budgetTaken;
  private boolean selectedFailed;
  private boolean executed;

  /** Next step of the request. */
  sealed interface Step {
    record Start(Placement placement) implements Step {}

    /** Pause, then call {@link #afterWait}. */
    record Wait(Duration delay) implements Step {}

    /** Acquire the limits of a model to fall back to, then call {@link #afterLimits}. */
    record CheckLimits(ModelId model) implements Step {}

    /** No attempt follows; the client sees {@link #failure}. */
    record GiveUp() implements Step {}

    /** No candidate accepted even a first attempt. */
    record NoProvider(NoProviderRefusal refusal) implements Step {}
  }

  /**
   * @param call the request for the model that the client named
   * @param begunNanos when the whole request had arrived, on the loop's ticker
   */
  RetryState(
      Fleet fleet,
      RoutePlan plan,
      long begunNanos,
      Timeline timeline,
      InferenceCall call,
      FallbackLimits limits) {
    InferenceRequest request = call.request();
    this.fleet = fleet;
    this.plan = plan;
    this.begunNanos = begunNanos;
    this.history = new AttemptHistory(timeline);
    this.limits = limits;
    this.asked = call.model().id();
    this.stream = request.isStream();
    this.atMostOnce = !request.mayBeRepeated();
    Duration timeout =
        atMostOnce ? null : request.routing().timeout(); // an execution that is charged is awaited
    this.ownDeadline = timeout == null ? AttemptClock.NEVER : begunNanos + timeout.toNanos();
  }

  /** Returns the deadline of an attempt at this candidate, on the loop's ticker. */
  long deadline(Candidate candidate) {
    Duration total = candidate.provider().timeouts().total();
    return stream ? ownDeadline : Math.min(ownDeadline, begunNanos + total.toNanos());
  }

  // Choice

  /** Returns the first step: an attempt at the first candidate that accepts a placement. */
  Step first(long nowNanos) {
    for (Candidate candidate : plan.candidates()) {
      if (isBarred(candidate)) {
        continue;
      }
      if (!isAllowed(candidate)) {
        return new Step.CheckLimits(candidate.model().id());
      }
      if (tryPlace(candidate, nowNanos)) {
        return startStep();
      }
    }
    List<Exclusion> all = new ArrayList<>(plan.excluded());
    all.addAll(excluded);
    return new Step.NoProvider(new NoProviderRefusal(plan.strategy(), all));
  }

  /** Returns the step after a failure: an attempt only if it can begin before its deadline. */
  Step next(long nowNanos) {
    if (executed) {
      return new Step.GiveUp();
    }
    Candidate repeated = repeat;
    repeat = null;
    if (repeated != null && mayRepeat(repeated, nowNanos) && tryPlace(repeated, nowNanos)) {
      failures.removeLast(); // both are one attempt
      refusedPrefills++;
      return startStep();
    }
    while (begun() < plan.attemptsMax() // attempts that lost a race count
        && NextAttempt.after(
                plan,
                failures,
                this::isBarred,
                candidate -> hasOtherKey(candidate, nowNanos),
                ThreadLocalRandom.current())
            instanceof NextAttempt.Retry(Candidate candidate, Duration delay)) {
      long begins = nowNanos + delay.toNanos();
      Optional<Exclusion> obstacle = obstacle(candidate, begins);
      if (obstacle.isPresent()) {
        bar(candidate, obstacle.get());
      } else if (begins >= deadline(candidate)) {
        barred.add(candidate);
      } else if (!isExemptFromBudget(candidate, delay) && !tryTakeRetry(candidate, nowNanos)) {
        barred.add(candidate);
      } else if (!isAllowed(candidate)) {
        budgetTaken =
            candidate; // first, so that the limit is not acquired for an attempt without budget
        return new Step.CheckLimits(candidate.model().id());
      } else if (!delay.isZero()) {
        waiting = candidate;
        return new Step.Wait(delay);
      } else if (tryPlace(candidate, nowNanos)) {
        return startStep();
      }
    }
    return new Step.GiveUp();
  }

  private Optional<Exclusion> obstacle(Candidate candidate, long nowNanos) {
    return fleet.obstacle(plan.org(), candidate, plan.credentialPolicy(), nowNanos);
  }

  private boolean hasOtherKey(Candidate candidate, long nowNanos) {
    return limitTooLow.isEmpty()
        ? fleet.hasUsableKey(candidate, nowNanos)
        : fleet.hasUsableKey(candidate, limitTooLow, nowNanos);
  }

  private boolean mayRepeat(Candidate candidate, long nowNanos) {
    return nowNanos < deadline(candidate) && obstacle(candidate, nowNanos).isEmpty();
  }

  /** Returns the number of attempts; a replay and the refused prefill before it are one. */
  private int begun() {
    return history.count() - refusedPrefills;
  }

  /**
   * Returns the step after {@link Step.CheckLimits}: if it was refused, another model if there is
   * one.
   */
  Step afterLimits(ModelId model, RateLimitPermit.Verdict verdict, long nowNanos) {
    limitsKnown(model, verdict);
    return failures.isEmpty() ? first(nowNanos) : next(nowNanos);
  }

  /** Excludes the candidates of a model whose limits refused. */
  private void limitsKnown(ModelId model, RateLimitPermit.Verdict verdict) {
    switch (verdict) {
      case RateLimitPermit.Verdict.Granted _ -> {}
      case RateLimitPermit.Verdict.Refused refused ->
          bar(model, TimeUnit.SECONDS.toNanos(refused.fault().retryAfterSeconds()));
    }
  }

  private void bar(ModelId model, long waitNanos) {
    for (Candidate candidate : plan.ranked()) {
      if (candidate.model().id().equals(model)) {
        bar(candidate, new Exclusion(model, candidate.id(), Reason.MODEL_LIMITED, waitNanos));
      }
    }
  }

  /** True if the limits of its model are granted; the requested model was counted at admission. */
  private boolean isAllowed(Candidate candidate) {
    ModelId model = candidate.model().id();
    return model.equals(asked) || limits.isGranted(model);
  }

  /** Returns the step after {@link Step.Wait}. */
  Step afterWait(long nowNanos) {
    Candidate candidate = waiting;
    waiting = null;
    return candidate != null && tryPlace(candidate, nowNanos) ? startStep() : next(nowNanos);
  }

  /**
   * True for an attempt that takes nothing from the retry budget: the first one at another
   * provider, and one with the next key of a provider whose first key was refused.
   */
  private boolean isExemptFromBudget(Candidate candidate, Duration delay) {
    boolean isPaid = budgetTaken != null && budgetTaken.isSame(candidate);
    boolean instead =
        failures.size() == 1 && !failures.getFirst().candidate().isSameProvider(candidate);
    boolean nextKey =
        delay.isZero() && failures.stream().anyMatch(one -> one.candidate().isSame(candidate));
    return isPaid || instead || nextKey;
  }

  private boolean tryTakeRetry(Candidate candidate, long nowNanos) {
    return fleet.tryTakeFromBudget(ExtraAttempt.RETRY, candidate, plan.rules(), nowNanos);
  }

  private boolean tryPlace(Candidate candidate, long nowNanos) {
    return switch (placing(candidate, nowNanos)) {
      case Fleet.PlacementResult.Placed placed -> {
        placement = placed.placement();
        budgetTaken = null;
        yield true;
      }
      case Fleet.PlacementResult.Excluded refused -> {
        bar(candidate, refused.exclusion());
        yield false;
      }
    };
  }

  private Fleet.PlacementResult placing(Candidate candidate, long nowNanos) {
    return fleet.place(
        plan.org(),
        candidate,
        plan.credentialPolicy(),
        limitTooLow,
        nowNanos,
        ThreadLocalRandom.current());
  }

  private void bar(Candidate candidate, Exclusion exclusion) {
    excluded.add(exclusion);
    barred.add(candidate);
  }

  private boolean isBarred(Candidate candidate) {
    return candidate.isIn(barred) || candidate.isIn(abandoned) || !canContinue.test(candidate);
  }

  private Step startStep() {
    if (placement == null) {
      throw new IllegalStateException("no placement");
    }
    history.started(placement, last == null ? null : Cause.of(last));
    return new Step.Start(placement);
  }

  /** Excludes candidates that may not get the request, for good. */
  void exclude(List<Candidate> declined) {
    abandoned.addAll(declined);
  }

  // Results

  /**
   * Returns the failure that the client sees: the one that interrupted the content, if there is
   * one, else the last.
   */
  NextAttempt.Failed failure() {
    NextAttempt.Failed reported = interruption == null ? last : interruption;
    if (reported == null) {
      throw new IllegalStateException("no attempt failed");
    }
    return reported;
  }

  /**
   * Notes that the last failure interrupted the content.
   *
   * @param mayContinue accepts the candidates that may be asked from now on
   */
  void interrupted(Predicate<Candidate> mayContinue) {
    interruption = last;
    canContinue = mayContinue;
  }

  /** Notes the first content of a stream. */
  void firstContent(Attempt attempt, long nowNanos) {
    if (interruption == null) {
      attempt.placement().firstContent(nowNanos);
    } else {
      attempt.placement().continued(nowNanos);
    }
  }

  void succeeded(Attempt attempt, long tokens, long nowNanos) {
    if (interruption != null) {
      attempt.placement().continued(nowNanos); // also if it added nothing
    }
    history.ended(attempt, "ok", nowNanos);
    attempt.placement().succeeded(tokens, nowNanos);
    selectedFailed = false;
  }

  void cancelled(Attempt attempt, long nowNanos) {
    history.ended(attempt, "cancelled", nowNanos);
    attempt.placement().neutral(nowNanos);
    selectedFailed = false;
  }

  /** Makes the candidate the next one, because it refused only the prefilled answer. */
  void repeat(Candidate candidate) {
    repeat = candidate;
  }

  /** Ends an attempt that was late and lost the race. */
  void hedgeLost(Attempt attempt, long nowNanos) {
    attempt.placement().hedgeLost(nowNanos);
    abandoned(attempt, nowNanos);
  }

  /** Ends an attempt without a verdict on its provider, which is not asked again. */
  void abandoned(Attempt attempt, long nowNanos) {
    cancelled(attempt, nowNanos);
    abandoned.add(attempt.placement().candidate());
  }

  /**
   * Returns the placement of a second attempt beside a late one: at another, healthy provider of
   * its model whose retry budget allows it. An attempt that probes a breaker is not hedged, because
   * it must get its verdict.
   */
  Optional<Placement> hedge(Attempt late, long nowNanos) {
    Candidate slow = late.placement().candidate();
    if (begun() >= plan.attemptsMax() || needsVerdict(late)) {
      return Optional.empty();
    }
    return plan.ranked().stream()
        .filter(one -> one.isSameModel(slow) && !one.isSameProvider(slow))
        .filter(one -> failures.stream().noneMatch(f -> f.candidate().isSameProvider(one)))
        .filter(one -> !isBarred(one) && nowNanos < deadline(one))
        .filter(one -> fleet.isHealthy(plan.org(), one, nowNanos))
        .filter(one -> fleet.tryTakeFromBudget(ExtraAttempt.HEDGE, one, plan.rules(), nowNanos))
        .findFirst()
        .flatMap(one -> placeHedge(slow, one, nowNanos));
  }

  private static boolean needsVerdict(Attempt late) {
    Placement placement = late.placement();
    return placement.isProbe() || (late.isTimeoutProviderFault() && placement.tryClaimProbe());
  }

  private Optional<Placement> placeHedge(Candidate slow, Candidate candidate, long nowNanos) {
    return switch (placing(candidate, nowNanos)) {
      case Fleet.PlacementResult.Placed placed -> {
        history.started(placed.placement(), Cause.late(slow));
        yield Optional.of(placed.placement());
      }
      case Fleet.PlacementResult.Excluded _ -> Optional.empty();
    };
  }

  /**
   * Ends an attempt that failed.
   *
   * @param forRetry the failure by which the next attempt is chosen
   */
  void failed(Attempt attempt, UpstreamFailure failure, UpstreamFailure forRetry, long nowNanos) {
    history.failed(attempt, failure, nowNanos);
    executed |= mayHaveExecuted(attempt);
    barred.clear(); // a candidate that was excluded a while ago may be usable now
    Placement failing = attempt.placement();
    Credential key = failing.credential();
    if (failure.kind() == Kind.LIMIT_TOO_LOW && key != null) {
      limitTooLow.add(key);
    }
    last = new NextAttempt.Failed(failing.candidate(), failure);
    failures.add(new NextAttempt.Failed(failing.candidate(), forRetry));
    boolean callerTimeout = isCallerTimeout(failing.candidate(), failure, nowNanos);
    if (callerTimeout) {
      failing.neutral(nowNanos);
    } else {
      failing.failed(failure, nowNanos);
    }
    selectedFailed = failure.isProviderFault() && !callerTimeout;
  }

  /** True if an attempt may have been executed, and must not be repeated. */
  boolean mayHaveExecuted(Attempt attempt) {
    return atMostOnce && attempt.isWritten();
  }

  /**
   * True if the request's deadline expired, and not the provider's: a client's short timeout must
   * not open a circuit for others, nor must the time that an earlier attempt used up.
   */
  private boolean isCallerTimeout(Candidate candidate, UpstreamFailure failure, long nowNanos) {
    boolean ranOut = failure.kind() == Kind.TIMED_OUT || failure.kind() == Kind.INTERRUPTED;
    boolean isFirst = failures.size() == 1;
    return ranOut && nowNanos >= (isFirst ? ownDeadline : deadline(candidate));
  }

  /** Ends an open placement as neutral. */
  void end(long nowNanos) {
    if (placement != null) {
      placement.neutral(nowNanos);
    }
  }

  /**
   * Returns the value of {@code X-LLM-Routing-Reason}.
   *
   * @param attempt the last attempt at {@code selected}, perhaps still running
   */
  String reason(
      Candidate selected,
      @Nullable Attempt attempt,
      MicroUsd cost,
      boolean committedEarly,
      long nowNanos) {
    boolean asking = attempt != null && !attempt.isEnded();
    boolean healthy = asking || !selectedFailed;
    List<Candidate> fallbacks = fallbacks(selected, nowNanos);
    return plan.reason(selected, healthy, fallbacks, cost, committedEarly);
  }

  private List<Candidate> fallbacks(Candidate selected, long nowNanos) {
    return plan.fallbacks(begun(), one -> isFallback(one, selected, nowNanos));
  }

  /**
   * True if another provider could be asked now instead of an unresponsive one. The limits of
   * another model are acquired once; until the answer the model does not count.
   */
  boolean hasFallback(Candidate unresponsive, long nowNanos) {
    if (atMostOnce) {
      return false; // the unresponsive provider has the request
    }
    for (Candidate one : fallbacks(unresponsive, nowNanos)) {
      boolean could = failures.isEmpty() || fleet.hasBudget(one, plan.rules(), nowNanos);
      if (!could || one.isSameProvider(unresponsive) || isBarred(one)) {
        continue;
      }
      if (isAllowed(one) || isAllowedOrRequest(one.model().id())) {
        return true;
      }
    }
    return false;
  }

  private boolean isAllowedOrRequest(ModelId model) {
    limits.acquireAhead(model, verdict -> limitsKnown(model, verdict));
    return limits.isGranted(model);
  }

  private boolean isFallback(Candidate candidate, Candidate selected, long nowNanos) {
    return !candidate.isSame(selected)
        && !history.includes(candidate)
        && !isBarred(candidate)
        && obstacle(candidate, nowNanos).isEmpty();
  }

  List<AttemptRecord> records() {
    return history.records();
  }
}
