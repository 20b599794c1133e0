package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyMode;
import dev.tollgate.core.api.StreamingReply;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.attempt.ActiveAttempts;
import dev.tollgate.core.exchange.attempt.AttemptListener;
import dev.tollgate.core.exchange.attempt.BodyCollector;
import dev.tollgate.core.exchange.attempt.RetryState;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExceptionGuard;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RateLimitPermit;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.routing.NextAttempt;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one inference request, from its admitted body to its record: the state machine of
 * {@link Phase}. It decides what follows what and touches no bytes. Everything happens on the
 * client channel's loop, and {@link Finish} is the only way out.
 */
public final class Exchange
    implements RequestService.Running,
        AttemptListener,
        Admission.Listener,
        IdempotencyGuard.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final ActiveAttempts attempts;
  private final RetryState retryState;
  private final InputImages images;
  private final Timeline timeline;
  private final long begunNanos;
  private final ClientReply reply;
  private final IdempotencyGuard idempotency;
  private final Finish finish;
  private final ReplyComposer composer;
  private final ClientDisconnect disconnect = new ClientDisconnect();
  private Phase phase = Phase.ADMITTED;
  private boolean refused;
  private @Nullable ScheduledFuture<?> timer;
  private @Nullable OutputUpload upload;

  Exchange(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      InferenceCall call,
      RoutePlan plan) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.begunNanos = now();
    this.attempts =
        new ActiveAttempts(context, downstream, call, plan, begunNanos, this::checkLimitsAhead);
    this.retryState = attempts.retryState();
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    var loop = downstream.loop();
    this.images = new InputImages(context, request, call, loop, timeline, this::guarded);
    Runnable onIdle = () -> guarded(this::clientIdle);
    this.reply = new ClientReply(downstream, timeline, context.options().pingInterval(), onIdle);
    this.idempotency =
        new IdempotencyGuard(context, request, this::isOutcomeUnknown, this::guarded);
    this.finish =
        new Finish(
            context,
            request,
            reply,
            idempotency,
            it -> attempts.served(it, timeline, now()),
            this::now);
    this.composer = new ReplyComposer(reply, attempts, finish.rateLimit(), timeline, this::now);
  }

  /** Routes the request; the reply goes to the downstream. */
  void begin() {
    guarded(this::admit);
  }

  // The way in

  private void admit() {
    timeline.entered(Phase.ADMITTED, now());
    transitionTo(Phase.RESERVING);
    idempotency.begin(downstream.loop(), this);
  }

  @Override
  public void claimed() {
    var worstCase = attempts.reservationAmount();
    new Admission(context, request, attempts.call(), worstCase, images, finish, this, this::guarded)
        .begin(downstream.loop());
  }

  @Override
  public void replayed(StoredReply stored) {
    FinalReply again = ReplyComposer.replay(stored, timeline, now());
    finish(RequestOutcome.REPLAYED, null, stored.status(), Charge.NOTHING, again);
  }

  @Override
  public void reached(Phase next) {
    transitionTo(next);
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    FinalReply refusal = composer.refusal(fault);
    finish(outcome, fault.code(), fault.code().status(), Charge.NOTHING, refusal);
  }

  // Tries

  @Override
  public void admitted() {
    if (attempts.call().request().mode() == ReplyMode.EVENTS) {
      reply.await(context.options().commitAfter(), begunNanos);
    }
    attempts.fetched(images.all());
    transitionTo(Phase.CONNECTING);
    idempotency.dispatch(() -> execute(retryState.first(now())), this);
  }

  private void execute(RetryState.Step step) {
    switch (step) {
      case RetryState.Step.Start ask -> startAttempt(ask.placement());
      case RetryState.Step.Wait wait -> {
        timeline.upstreamBegins(now()); // the provider is to blame for the pause
        schedule(() -> execute(retryState.afterWait(now())), wait.delay());
      }
      case RetryState.Step.CheckLimits allow -> checkLimits(allow.model());
      case RetryState.Step.GiveUp _ -> giveUp();
      case RetryState.Step.NoProvider nobody -> refuse(nobody.refusal());
    }
  }

  private void checkLimits(ModelId model) {
    checkLimits(model, verdict -> execute(retryState.afterLimits(model, verdict, now())));
  }

  /** Before the provider that is asked has failed. */
  private void checkLimitsAhead(ModelId model) {
    checkLimits(model, verdict -> retryState.limitsKnown(model, verdict));
  }

  private void checkLimits(ModelId model, Consumer<RateLimitPermit.Verdict> whenKnown) {
    finish.checkFallbackLimits(model, downstream.loop(), this::guarded, whenKnown);
  }

  private void startAttempt(Placement placement) {
    timer = null;
    timeline.upstreamBegins(now());
    attempts.start(placement, this);
  }

  @Override
  public void sent() {
    transitionTo(Phase.WAITING);
  }

  @Override
  public void written() {
    finish.written(images);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    timeline.upstreamEnds(now());
    attempts.failed(failure, now());
    switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, WAITING -> tryNext();
      case RELAYING -> interrupted();
      case DRAINING_UPSTREAM -> abandon();
      case STORING, SETTLING, ENDED -> throw new IllegalStateException("a failure after the end");
    }
  }

  private void tryNext() {
    RetryState.Step next = retryState.next(now());
    if (!(next instanceof RetryState.Step.GiveUp)) {
      transitionTo(Phase.CONNECTING);
    }
    execute(next);
  }

  /** Behind content, another provider may only continue what was delivered. */
  private void interrupted() {
    if (attempts.interrupted()) {
      disconnect.endStream();
      transitionTo(Phase.CONNECTING);
      execute(retryState.next(now()));
    } else {
      giveUp();
    }
  }

  private void giveUp() {
    NextAttempt.Failed failed = retryState.failure();
    UpstreamFailure failure = failed.failure();
    refused = failure.isRefusal();
    var request = attempts.call().request();
    Fault fault =
        FaultMapper.toFault(failure, request, failed.candidate().id(), retryState.records());
    end(refused ? fault : withoutRetryIfExecuted(fault), FaultMapper.toOutcome(failure));
  }

  /** Whoever could be asked when the request came cannot be any more. */
  private void refuse(NoProviderRefusal refusal) {
    ErrorCode code = refusal.fault().code();
    int status = composer.status(code.status());
    finish(
        RequestOutcome.PROVIDER_UNAVAILABLE,
        code,
        status,
        Charge.NOTHING,
        composer.refusal(refusal));
  }

  // A stream flows

  @Override
  public void content(ByteBuf events) {
    if (phase == Phase.DRAINING_UPSTREAM) {
      events.release();
      return;
    }
    try {
      relay();
      attempts.delivered();
      finish.reservation().progress(attempts.deliveredTokens(), now(), attempts::chargeIfBroken);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      events.release();
      throw unexpected;
    }
    reply.events(events);
  }

  private void relay() {
    if (phase != Phase.RELAYING) {
      timeline.firstToken(now());
      retryState.firstContent(attempts.attempt(), now());
      transitionTo(Phase.RELAYING);
      disconnect.opened(context.drains().opened(attempts.candidate().provider()));
      composer.open();
    }
  }

  @Override
  public boolean wantsMore() {
    return disconnect.hasOccurred() || downstream.isWritable();
  }

  @Override
  public void writabilityChanged() {
    if (wantsMore()) {
      attempts.resume();
    }
  }

  private void clientIdle() {
    if (downstream.isWritable()) {
      composer.ping();
    }
  }

  // Good ends

  @Override
  public void completed() {
    StreamingReply stream = attempts.stream();
    timeline.upstreamEnds(now());
    attempts.succeeded(stream.deliveredTokens(), now());
    Charge charge = attempts.chargeIfComplete();
    FinalReply finalReply =
        disconnect.hasOccurred() ? new FinalReply.None() : composer.streamEnd(stream, charge);
    finish(outcomeOf(charge), null, 200, charge, finalReply);
  }

  @Override
  public void plain(WholeReply whole) {
    timeline.upstreamEnds(now());
    attempts.succeeded(whole.deliveredTokens(), now());
    boolean isNeeded = !disconnect.hasOccurred() || idempotency.isClaimed();
    if (isNeeded && whole.parts() > 0 && context.outputs() instanceof Outputs.Kept kept) {
      transitionTo(Phase.STORING);
      store(whole, kept);
    } else {
      finish(whole);
    }
  }

  private void store(WholeReply whole, Outputs.Kept kept) {
    BodyCollector collected = attempts.attempt().detachCollector();
    upload =
        new OutputUpload(
            kept, context, request, downstream, whole, collected, this::guarded, this::finish);
    upload.begin();
  }

  private void finish(WholeReply whole) {
    Charge charge = Charge.of(attempts.call(), whole);
    if (disconnect.hasOccurred() && !idempotency.isClaimed()) {
      finish(disconnect.outcome(), null, 0, charge, new FinalReply.None());
    } else {
      finish(outcomeOf(charge), null, 200, charge, composer.whole(whole, charge, upload));
    }
  }

  private RequestOutcome outcomeOf(Charge charge) {
    return disconnect.orElse(
        charge.usage().estimated() ? RequestOutcome.OK_ESTIMATED : RequestOutcome.OK);
  }

  // Bad ends

  @Override
  public void cutShort(Fault fault) {
    if (upload != null && upload.stop()) {
      return; // what was made is answered
    }
    if (!disconnect.hasOccurred() && phase.compareTo(Phase.SETTLING) < 0) {
      Fault clientFault = withoutRetryIfExecuted(fault);
      cancelAttempt();
      end(clientFault, RequestOutcome.DRAINED);
    }
  }

  private void end(Fault fault, RequestOutcome outcome) {
    Charge charge = chargeOfBrokenStream();
    FinalReply finalReply = composer.fault(fault, charge);
    finish(outcome, fault.code(), composer.status(fault.code().status()), charge, finalReply);
  }

  /** Who asked again would buy it twice. */
  private Fault withoutRetryIfExecuted(Fault fault) {
    return attempts.mayHaveExecuted() ? fault.withRetryAfter(0).withoutRetry() : fault;
  }

  /** Whether a provider may have made what was asked for, although that did not come. */
  private boolean isOutcomeUnknown() {
    return attempts.mayHaveExecuted() && !refused;
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  @Override
  public void failedUnexpectedly(RuntimeException unexpected) {
    LOG.error("request {} failed", request.id(), unexpected);
    try {
      finishUnexpectedly();
    } catch (RuntimeException | OutOfMemoryError again) {
      unexpected.addSuppressed(again);
      forceFinish();
    }
  }

  private void finishUnexpectedly() {
    if (phase.compareTo(Phase.SETTLING) >= 0) {
      forceFinish();
      return;
    }
    if (upload != null && upload.stop()) {
      return;
    }
    Fault clientFault = withoutRetryIfExecuted(FaultMapper.UNEXPECTED_FAILURE);
    cancelAttempt();
    if (disconnect.hasOccurred() && !idempotency.isClaimed()) {
      abandon();
    } else {
      end(clientFault, RequestOutcome.INTERNAL_ERROR);
    }
  }

  private void forceFinish() {
    if (phase != Phase.ENDED) {
      release();
      phase = Phase.SETTLING; // from wherever it failed
      finish.forceFinish(!disconnect.hasOccurred(), () -> transitionTo(Phase.ENDED));
    }
  }

  private void guarded(Runnable step) {
    ExceptionGuard.run(step, this::failedUnexpectedly);
  }

  // The client is gone

  @Override
  public void clientDisconnected(DisconnectReason reason) {
    DisconnectDecision decision = DisconnectDecision.of(phase, disconnectFacts());
    if (decision instanceof DisconnectDecision.Ignore) {
      return;
    }
    disconnect.occurred(reason);
    reply.stop();
    switch (decision) {
      case DisconnectDecision.Ignore _ -> {}
      case DisconnectDecision.DropReply _ -> finish.clientDisconnected(reason);
      case DisconnectDecision.KeepForKey _ -> {
        finish.clientDisconnected(reason);
        attempts.resume();
      }
      case DisconnectDecision.KeepForMoney _ -> {
        finish.detach();
        if (phase == Phase.WAITING) {
          drainUpstream();
        }
      }
      case DisconnectDecision.DrainUpstream drain -> {
        schedule(this::drainTimedOut, drain.timeMax());
        drainUpstream();
      }
      case DisconnectDecision.Stop _ -> {
        cancelAttempt();
        abandon();
      }
    }
  }

  private DisconnectDecision.Facts disconnectFacts() {
    boolean repeated = disconnect.hasOccurred();
    return new DisconnectDecision.Facts(
        repeated,
        idempotency.isClaimed(),
        attempts.mayHaveExecuted(),
        phase == Phase.RELAYING && !repeated ? drainTime() : Optional.empty());
  }

  private Optional<Duration> drainTime() {
    OnDisconnect policy = attempts.candidate().provider().onDisconnect();
    return disconnect.drainTime(attempts.stream().finished(), policy);
  }

  private void drainUpstream() {
    transitionTo(Phase.DRAINING_UPSTREAM);
    if (attempts.mayHaveExecuted()) {
      finish.detach();
    }
    attempts.resume();
  }

  private void drainTimedOut() {
    timer = null;
    cancelAttempt();
    abandon();
  }

  private void abandon() {
    Charge charge = chargeOfBrokenStream();
    finish(disconnect.outcome(), null, composer.status(0), charge, new FinalReply.None());
  }

  private void cancelAttempt() {
    timeline.upstreamEnds(now());
    attempts.cancel(now());
  }

  /** What was delivered is charged; before the first content that is nothing at all. */
  private Charge chargeOfBrokenStream() {
    return switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, WAITING, STORING, ENDED ->
          attempts.chargeSoFar();
      case RELAYING, DRAINING_UPSTREAM, SETTLING ->
          reply.isOpened() ? attempts.chargeIfBroken() : Charge.NOTHING;
    };
  }

  // The way out

  private void finish(
      RequestOutcome outcome,
      @Nullable ErrorCode code,
      int status,
      Charge charge,
      FinalReply finalReply) {
    transitionTo(Phase.SETTLING);
    release();
    var verdict = new Finish.Verdict(outcome, code, status, charge);
    finish.begin(verdict, finalReply, this::guarded, () -> transitionTo(Phase.ENDED));
  }

  private void release() {
    reply.stop();
    images.end();
    attempts.end(now());
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (upload != null) {
      upload.end();
    }
    disconnect.endStream();
  }

  private void schedule(Runnable task, Duration delay) {
    long nanos = delay.toNanos();
    timer = downstream.loop().schedule(() -> guarded(task), nanos, TimeUnit.NANOSECONDS);
  }

  private void transitionTo(Phase next) {
    assert downstream.loop().inEventLoop();
    phase = phase.to(next);
    timeline.entered(next, now());
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }
}
