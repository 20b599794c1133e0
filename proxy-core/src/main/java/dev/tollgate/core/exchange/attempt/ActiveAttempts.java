package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExceptionGuard;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ReplyFields;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who serves a request at the moment: the candidate, the try at it, and the tries so far. The model
 * that serves is the one that headers, bodies, log and charge name. Loop-confined.
 */
public final class ActiveAttempts implements RacingAttempt.Race {
  private final ExchangeContext context;
  private final Downstream downstream;
  private final RoutePlan plan;
  private final RetryState retryState;
  private final Resumption resumption;
  private final StreamCharges charges = new StreamCharges();
  private final Hedge hedge;
  private final Consumer<ModelId> checkLimits;
  private InferenceCall call;
  private Candidate candidate;
  private @Nullable Attempt attempt;
  private @Nullable RacingAttempt second;
  private @Nullable RacingAttempt first;
  private @Nullable StreamingReply relayed;
  private @Nullable InferenceCall relayedCall;
  private @Nullable Candidate relayedBy;
  private @Nullable String routing; // as the client was told

  /**
   * @param begunNanos when the whole request was here, on the loop's ticker
   * @param checkLimits asks whether the limits of a model let the request fall back to it
   */
  public ActiveAttempts(
      ExchangeContext context,
      Downstream downstream,
      InferenceCall call,
      RoutePlan plan,
      long begunNanos,
      Consumer<ModelId> checkLimits) {
    this.checkLimits = checkLimits;
    this.context = context;
    this.downstream = downstream;
    this.plan = plan;
    this.candidate = plan.candidates().getFirst();
    this.call = call.at(candidate.model());
    this.retryState = new RetryState(context.fleet(), plan, begunNanos, call.request());
    this.resumption = new Resumption(call, plan.rules().resumeBytesMax(), context.inflight());
    this.hedge = new Hedge(call.request(), plan.rules(), downstream.loop());
  }

  /** The tries so far, and what follows them. */
  public RetryState retryState() {
    return retryState;
  }

  /** The request as it is put to whoever serves it. */
  public InferenceCall call() {
    return call;
  }

  /** The images that the request named by URL are here. */
  public void fetched(Map<Integer, FetchResult.Image> images) {
    call = call.with(images);
  }

  public Candidate candidate() {
    return candidate;
  }

  /** The most that the request can cost at whoever may serve it. */
  public MicroUsd estimate() {
    return plan.maxCost(call.request()::estimate);
  }

  /**
   * What is set aside for it. A stream that may be continued is written by two providers at least,
   * and each of them is owed for what it wrote.
   */
  public MicroUsd reservationAmount() {
    MicroUsd once = estimate();
    return resumption.isContinuable() ? once.plus(once) : once;
  }

  /** Whether what was set aside reaches for one more try at its worst. */
  private boolean isCovered(Candidate next) {
    long owed = charges.soFar().cost().value();
    return owed + call.request().estimate(next.model()).value() <= reservationAmount().value();
  }

  /** Makes a try. */
  public void start(Placement placement, AttemptListener listener) {
    RacingAttempt racing = newRacingAttempt(placement, listener);
    first = racing;
    makeActive(racing);
    if (racing.call().continuation().wire().isEmpty()) {
      hedge.await(
          () -> ExceptionGuard.run(() -> late(racing, listener), listener::failedUnexpectedly));
    }
    racing.attempt().start();
  }

  private RacingAttempt newRacingAttempt(Placement placement, AttemptListener listener) {
    Candidate asked = placement.candidate();
    InferenceCall own = call.at(asked.model()).with(resumption.opening(asked));
    return new RacingAttempt(
        placement, own, context, downstream, retryState.deadline(asked), this, listener);
  }

  private void makeActive(RacingAttempt racing) {
    attempt = racing.attempt();
    candidate = attempt.placement().candidate();
    call = racing.call();
  }

  // A second try beside the first

  /** The first token is late. */
  private void late(RacingAttempt waiting, AttemptListener listener) {
    hedge.stop();
    if (!waiting.attempt().isEnded()) {
      retryState.hedge(waiting.attempt(), now()).ifPresent(at -> begin(waiting, at, listener));
    }
  }

  private void begin(RacingAttempt waiting, Placement placement, AttemptListener listener) {
    RacingAttempt begun;
    try {
      begun = newRacingAttempt(placement, listener);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      placement.neutral(now());
      throw unexpected;
    }
    second = begun;
    hedge.begun(waiting, begun);
    begun.attempt().start();
  }

  @Override
  public void won(RacingAttempt racing) {
    hedge.stop();
    hedge.won(racing);
    RacingAttempt rival = rivalOf(racing);
    if (rival != null) {
      makeActive(racing);
      second = null;
      if (rival == first) {
        retryState.hedgeLost(rival.attempt(), now());
      } else {
        retryState.abandoned(rival.attempt(), now());
      }
      rival.attempt().cancel();
    }
  }

  @Override
  public boolean lost(RacingAttempt racing, UpstreamFailure failure) {
    RacingAttempt rival = rivalOf(racing);
    if (rival == null) {
      hedge.stop();
      return false;
    }
    second = null;
    if (racing == first && !failure.canFallBack()) {
      // What the request itself caused is not routed around; the second was asked for its speed.
      hedge.stop();
      makeActive(racing);
      retryState.abandoned(rival.attempt(), now());
      rival.attempt().cancel();
      return false;
    }
    retryState.failed(racing.attempt(), failure, failure, now());
    makeActive(rival);
    return true;
  }

  @Override
  public boolean hasAlternative() {
    return second != null || retryState.hasFallback(candidate, now(), checkLimits);
  }

  /** Who else is asked at the moment. */
  private @Nullable RacingAttempt rivalOf(RacingAttempt racing) {
    return second == null ? null : racing == second ? first : second;
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }

  /** The last try. */
  public Attempt attempt() {
    if (attempt == null) {
      throw new IllegalStateException("nobody was asked");
    }
    return attempt;
  }

  /** Whether what was asked for may have been made, is paid for, and is not asked for again. */
  public boolean mayHaveExecuted() {
    return attempt != null && retryState.mayHaveExecuted(attempt);
  }

  /** The client reads again. */
  public void resume() {
    if (attempt != null) {
      attempt.resume();
    }
    if (second != null) {
      second.attempt().resume();
    }
  }

  /** The last try failed. */
  public void failed(UpstreamFailure failure, long nowNanos) {
    UpstreamFailure reclassified = Resumption.reclassified(call.continuation(), failure);
    UpstreamFailure failureForRetry =
        resumption.failureForRetry(candidate, call.continuation(), reclassified);
    retryState.failed(attempt(), reclassified, failureForRetry, nowNanos);
    if (resumption.shouldRepeat(candidate)) {
      retryState.repeat(candidate);
    }
  }

  /** The last try brought all that there was. */
  public void succeeded(long tokens, long nowNanos) {
    resumption.completed();
    retryState.succeeded(attempt(), tokens, nowNanos);
  }

  /** The failure came behind content: whether another provider may continue the stream. */
  public boolean interrupted() {
    retryState.interrupted(next -> resumption.canContinue(next) && isCovered(next));
    if (!resumption.interrupted()) {
      return false;
    }
    charges.interrupted(call, stream());
    return true;
  }

  /** The client was sent more. */
  public void delivered() {
    relayed = stream();
    relayedCall = call;
    relayedBy = candidate;
    resumption.keep(call.continuation());
  }

  /** Nobody waits for the try any more. */
  public void cancel(long nowNanos) {
    if (attempt != null && !attempt.isEnded()) {
      retryState.cancelled(attempt, nowNanos);
      attempt.cancel();
    }
    if (second != null) {
      retryState.cancelled(second.attempt(), nowNanos);
      second.attempt().cancel();
      second = null;
    }
  }

  /** The stream that is being relayed. */
  public StreamingReply stream() {
    FlowReader stream = attempt().stream();
    if (stream == null) {
      throw new IllegalStateException("no stream");
    }
    return stream.reply();
  }

  /** The stream that ends an opened reply: the last one with content, or one of our own. */
  public StreamingReply lastStream() {
    if (relayed != null) {
      return relayed;
    }
    FlowReader stream = attempt == null ? null : attempt.stream();
    return stream == null ? call.stream(candidate.id()) : stream.reply();
  }

  /** What a stream owes while nobody delivers. */
  public Charge chargeSoFar() {
    return charges.soFar();
  }

  /** What it owes if it breaks off now. */
  public Charge chargeIfBroken() {
    return charges.broken(call, stream());
  }

  /** What it owes now that it is complete; who only repeated what was delivered gets nothing. */
  public Charge chargeIfComplete() {
    StreamingReply last = stream();
    boolean onlyRepeated = charges.isBegun() && !last.isWritten();
    return onlyRepeated ? charges.soFar() : charges.whole(call, last);
  }

  /** Our count of what was delivered. */
  public long deliveredTokens() {
    return charges.tokens(stream());
  }

  /** Nothing is kept any more, and nobody asked. */
  public void end(long nowNanos) {
    hedge.stop();
    if (second != null) {
      second.attempt().placement().neutral(nowNanos);
    }
    if (attempt != null) {
      attempt.placement().neutral(nowNanos);
    }
    retryState.end(nowNanos);
    resumption.end();
  }

  /** The headers of a reply. */
  public List<FieldLines> fields(
      MicroUsd cost, boolean committedEarly, Timeline timeline, long nowNanos) {
    routing = routing(cost, committedEarly, nowNanos);
    return ReplyFields.of(call, candidate, routing, cost, timeline, nowNanos);
  }

  private String routing(MicroUsd cost, boolean committedEarly, long nowNanos) {
    return retryState.reason(candidate, attempt, cost, committedEarly, nowNanos)
        + resumption.reasonSuffix();
  }

  /** What is recorded of it: whoever delivered last served it, whatever came of those behind. */
  public RequestRecord.Served served(Charge charge, Timeline timeline, long nowNanos) {
    InferenceCall served = relayedCall == null ? call : relayedCall;
    return new RequestRecord.Served(
        served.model().id(),
        served.request().isStream(),
        (relayedBy == null ? candidate : relayedBy).id(),
        routing == null ? routing(charge.cost(), false, nowNanos) : routing,
        retryState.records(),
        resumption.outcome(),
        hedge.outcome(),
        charge.usage(),
        charge.cost(),
        timeline.firstToken(),
        timeline.upstream(nowNanos),
        timeline.overhead(nowNanos),
        timeline.phases());
  }
}
