package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Cause;
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
 * Choice of the next attempt of one request, from its plan and the failures so far. All attempts
 * share one deadline: the request's own or, unless it is a stream, the provider's total timeout.
 * Loop-confined.
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
  private final AttemptHistory history = new AttemptHistory();
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
  private @Nullable Candidate budgetTaken;
  private boolean selectedFailed;
  private boolean executed;

  /** What is to be done next. */
  sealed interface Step {
    record Start(Placement placement) implements Step {}

    /** Ask again for a step after this time. */
    record Wait(Duration delay) implements Step {}

    /** Ask the limits of a model to fall back to, then say what they said. */
    record CheckLimits(ModelId model) implements Step {}

    /** The last failure is what the client sees. */
    record GiveUp() implements Step {}

    /** Nobody could be asked at all. */
    record NoProvider(NoProviderRefusal refusal) implements Step {}
  }

  /**
   * @param begunNanos when the whole request was here, on the loop's ticker
   */
  RetryState(
      Fleet fleet,
      RoutePlan plan,
      long begunNanos,
      InferenceRequest request,
      FallbackLimits limits) {
    this.fleet = fleet;
    this.plan = plan;
    this.begunNanos = begunNanos;
    this.limits = limits;
    this.asked = request.model();
    this.stream = request.isStream();
    this.atMostOnce = !request.mayBeRepeated();
    Duration timeout =
        atMostOnce ? null : request.routing().timeout(); // what is bought is heard out
    this.ownDeadline = timeout == null ? AttemptClock.NEVER : begunNanos + timeout.toNanos();
  }

  /** When the whole request must be over if this candidate is asked, on the loop's ticker. */
  long deadline(Candidate candidate) {
    Duration total = candidate.provider().timeouts().total();
    return stream ? ownDeadline : Math.min(ownDeadline, begunNanos + total.toNanos());
  }

  // Who is asked

  /** The first try: at the first candidate that can be asked. */
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

  /** What follows the last failure: a try only if it can begin before its deadline. */
  Step next(long nowNanos) {
    if (executed) {
      return new Step.GiveUp();
    }
    Candidate repeated = repeat;
    repeat = null;
    if (repeated != null && mayRepeat(repeated, nowNanos) && tryPlace(repeated, nowNanos)) {
      return startStep();
    }
    while (history.count() < plan.attemptsMax() // those that were outrun count, too
        && NextAttempt.after(
                plan,
                failures,
                this::isBarred,
                candidate -> hasOtherKey(candidate, nowNanos),
                ThreadLocalRandom.current())
            instanceof NextAttempt.Retry(Candidate candidate, Duration delay)) {
      long begins = nowNanos + delay.toNanos();
      Optional<Exclusion> obstacle = fleet.obstacle(candidate, plan.credentialPolicy(), begins);
      if (obstacle.isPresent()) {
        bar(candidate, obstacle.get());
      } else if (begins >= deadline(candidate)) {
        barred.add(candidate);
      } else if (!isExemptFromBudget(candidate, delay) && !tryTakeRetry(candidate, nowNanos)) {
        barred.add(candidate);
      } else if (!isAllowed(candidate)) {
        budgetTaken = candidate; // its model's limit is not drawn from for a try that is not made
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

  private boolean hasOtherKey(Candidate candidate, long nowNanos) {
    return limitTooLow.isEmpty()
        ? fleet.hasUsableKey(candidate, nowNanos)
        : fleet.hasUsableKey(candidate, limitTooLow, nowNanos);
  }

  private boolean mayRepeat(Candidate candidate, long nowNanos) {
    return history.count() < plan.attemptsMax()
        && nowNanos < deadline(candidate)
        && fleet.obstacle(candidate, plan.credentialPolicy(), nowNanos).isEmpty()
        && tryTakeRetry(candidate, nowNanos);
  }

  /**
   * What follows a {@link Step.CheckLimits}: another model if it was refused, and if there is one.
   */
  Step afterLimits(ModelId model, RateLimitPermit.Verdict verdict, long nowNanos) {
    limitsKnown(model, verdict);
    return failures.isEmpty() ? first(nowNanos) : next(nowNanos);
  }

  /** What the limits of a model said, before or after it is to be asked. */
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

  /** The model that was asked for was counted when the request was admitted. */
  private boolean isAllowed(Candidate candidate) {
    ModelId model = candidate.model().id();
    return model.equals(asked) || limits.isGranted(model);
  }

  /** What follows a {@link Step.Wait}. */
  Step afterWait(long nowNanos) {
    Candidate candidate = waiting;
    waiting = null;
    return candidate != null && tryPlace(candidate, nowNanos) ? startStep() : next(nowNanos);
  }

  /**
   * The first provider that is asked instead of another costs nothing: it was not asked before. Nor
   * does its next key: once the first one was refused, nobody uses that any more.
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
        candidate, plan.credentialPolicy(), limitTooLow, nowNanos, ThreadLocalRandom.current());
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
      throw new IllegalStateException("nobody is asked");
    }
    history.started(placement, last == null ? null : Cause.of(last));
    return new Step.Start(placement);
  }

  // What comes of it

  /**
   * The failure that the client is told of: the last one, but where content was delivered the one
   * that broke that off, whoever failed to continue it.
   */
  NextAttempt.Failed failure() {
    NextAttempt.Failed reported = interruption == null ? last : interruption;
    if (reported == null) {
      throw new IllegalStateException("nobody failed");
    }
    return reported;
  }

  /**
   * The last failure broke off what was being delivered.
   *
   * @param mayContinue who may be asked from now on
   */
  void interrupted(Predicate<Candidate> mayContinue) {
    interruption = last;
    canContinue = mayContinue;
  }

  /** The first content of a stream came. */
  void firstContent(Attempt attempt, long nowNanos) {
    if (interruption == null) {
      attempt.placement().firstContent(nowNanos);
    } else {
      attempt.placement().continued();
    }
  }

  void succeeded(Attempt attempt, long tokens, long nowNanos) {
    if (interruption != null) {
      attempt.placement().continued(); // also where it had nothing to add
    }
    history.ended(attempt, "ok", "", nowNanos);
    attempt.placement().succeeded(tokens, nowNanos);
    selectedFailed = false;
  }

  void cancelled(Attempt attempt, long nowNanos) {
    history.ended(attempt, "cancelled", "", nowNanos);
    attempt.placement().neutral(nowNanos);
    selectedFailed = false;
  }

  /** The last one refused how it was asked, and comes next in another way. */
  void repeat(Candidate candidate) {
    repeat = candidate;
  }

  /** It was late, and the try beside it was faster. */
  void hedgeLost(Attempt attempt, long nowNanos) {
    attempt.placement().hedgeLost(nowNanos);
    abandoned(attempt, nowNanos);
  }

  /** Nobody waits for it: that says nothing about this one, which is not asked again. */
  void abandoned(Attempt attempt, long nowNanos) {
    cancelled(attempt, nowNanos);
    abandoned.add(attempt.placement().candidate());
  }

  /**
   * A second try beside one whose first token is late: at another provider of its model that is in
   * no doubt, if its retry budget allows it. It is to be ended like any other. One that must get a
   * verdict has its time for itself.
   */
  Optional<Placement> hedge(Attempt late, long nowNanos) {
    Candidate slow = late.placement().candidate();
    if (history.count() >= plan.attemptsMax() || needsVerdict(late)) {
      return Optional.empty();
    }
    return plan.ranked().stream()
        .filter(one -> one.isSameModel(slow) && !one.isSameProvider(slow))
        .filter(one -> failures.stream().noneMatch(f -> f.candidate().isSameProvider(one)))
        .filter(one -> !isBarred(one) && nowNanos < deadline(one))
        .filter(one -> fleet.isHealthy(one, nowNanos))
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
   * @param forRetry the failure as it counts for what follows
   */
  void failed(Attempt attempt, UpstreamFailure failure, UpstreamFailure forRetry, long nowNanos) {
    String outcome = failure.kind().wire();
    history.ended(attempt, outcome, failure.reason(), nowNanos);
    executed |= mayHaveExecuted(attempt);
    barred.clear(); // who could not be asked a while ago perhaps can now
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

  /** Whether what a try asked for may have been made, and is not asked for again. */
  boolean mayHaveExecuted(Attempt attempt) {
    return atMostOnce && attempt.isWritten();
  }

  /**
   * Who sets itself a short deadline must not open a circuit for all others with it, nor must a
   * provider that used up the time of the next one.
   */
  private boolean isCallerTimeout(Candidate candidate, UpstreamFailure failure, long nowNanos) {
    boolean ranOut = failure.kind() == Kind.TIMED_OUT || failure.kind() == Kind.INTERRUPTED;
    boolean isFirst = failures.size() == 1;
    return ranOut && nowNanos >= (isFirst ? ownDeadline : deadline(candidate));
  }

  /** Whatever is still open says nothing about its provider. */
  void end(long nowNanos) {
    if (placement != null) {
      placement.neutral(nowNanos);
    }
  }

  /**
   * The value of {@code X-LLM-Routing-Reason}.
   *
   * @param attempt the last try at {@code selected}, perhaps under way
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
    return plan.fallbacks(history.count(), one -> isFallback(one, selected, nowNanos));
  }

  /**
   * Whether another provider than this, which is silent, could be asked now. Whether the limits of
   * another model let the request is asked once; until that is known the model does not count.
   */
  boolean hasFallback(Candidate unresponsive, long nowNanos) {
    if (atMostOnce) {
      return false; // who is silent has it
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
        && fleet.obstacle(candidate, plan.credentialPolicy(), nowNanos).isEmpty();
  }

  List<AttemptRecord> records() {
    return history.records();
  }
}
