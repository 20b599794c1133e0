package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ReplyMode;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.exchange.attempt.ActiveAttempts;
import dev.tollgate.core.exchange.attempt.CurrentAttempt;
import dev.tollgate.core.exchange.attempt.FallbackLimits;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.ClientReply;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.FaultMapper;
import dev.tollgate.core.exchange.frame.Outputs;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestService.DisconnectReason;
import dev.tollgate.core.exchange.frame.RequestTask;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.idempotency.StoredReply;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.routing.RoutePlan;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine of one inference request ({@link Phase}), from its received body to its log record.
 * It orders the steps and touches no bytes; {@link Finish} is its only end. Loop-confined.
 */
public final class Exchange
    implements RequestTask, ActiveAttempts.Listener, Admission.Listener, IdempotencyGuard.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final RequestLoop loop;
  private final Holdings holdings;
  private final Timeline timeline;
  private final long begunNanos;
  private final InputMedia media;
  private final ActiveAttempts attempts;
  private final CurrentAttempt current;
  private final IdempotencyGuard idempotency;
  private final ClientReply reply;
  private final ReplyComposer composer;
  private final Finish finish;
  private final ClientDisconnect disconnect;
  private Phase phase = Phase.ADMITTED;
  private boolean refused;
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
    this.loop = new RequestLoop(downstream.loop(), this::failedUnexpectedly);
    this.holdings = new Holdings(context, request, loop);
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    this.begunNanos = loop.now();
    this.media = new InputMedia(context, request, call, plan, timeline, loop);
    var limit = new FallbackLimits(request, holdings.rateLimit());
    this.attempts =
        new ActiveAttempts(context, downstream, holdings.work(), call, plan, timeline, limit, this);
    this.current = attempts.current();
    this.disconnect = new ClientDisconnect(context.clientless(), request, current);
    this.idempotency = new IdempotencyGuard(context, request, loop);
    Runnable onIdle = () -> loop.run(this::clientIdle);
    this.reply = new ClientReply(downstream, timeline, context.options(), onIdle);
    this.composer = new ReplyComposer(reply, current, holdings.rateLimit());
    this.finish = new Finish(context, request, holdings, reply, idempotency, current, loop);
  }

  // Admission

  @Override
  public void begin() {
    loop.run(
        () -> {
          timeline.entered(Phase.ADMITTED, loop.now());
          transitionTo(Phase.RESERVING);
          idempotency.begin(this);
        });
  }

  @Override
  public void claimed() {
    loop.check();
    new Admission(context, request, downstream, holdings, media, loop, this).begin(current);
  }

  @Override
  public void replayed(StoredReply stored) {
    FinalReply again = ReplyComposer.replay(stored, timeline, loop.now());
    finish(RequestOutcome.REPLAYED, null, stored.status(), Charge.NOTHING, again);
  }

  @Override
  public void reached(Phase next) {
    disconnect.streamEnded(); // no content flows until the next attempt brings some
    transitionTo(next);
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    FinalReply refusal = composer.refusal(fault);
    finish(outcome, fault, fault.code().status(), Charge.NOTHING, refusal);
  }

  @Override
  public void admitted() {
    if (current.call().request().mode() == ReplyMode.EVENTS) {
      reply.await(context.options().commitAfter(), begunNanos);
    }
    attempts.admitted(media.fetchedMedia(), media.declined());
    transitionTo(Phase.CONNECTING);
    idempotency.dispatch(attempts::start, this);
  }

  // Attempts

  @Override
  public void written() {
    loop.check();
    media.release();
    holdings.releaseBodyArray();
  }

  @Override
  public void failed() {
    loop.check();
    switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, WAITING -> attempts.advance();
      case RELAYING -> attempts.continueStream();
      case DRAINING_UPSTREAM -> abandon();
      case STORING, SETTLING, ENDED -> throw new IllegalStateException("a failure after the end");
    }
  }

  @Override
  public void exhausted() {
    var failure = current.failure();
    refused = failure.isRefusal();
    Fault fault = current.fault();
    end(refused ? fault : withoutRetryIfExecuted(fault), FaultMapper.toOutcome(failure));
  }

  @Override
  public void noProvider(NoProviderRefusal refusal) {
    Fault fault = refusal.fault();
    int status = composer.status(fault.code().status());
    FinalReply last = composer.refusal(refusal);
    finish(FaultMapper.toOutcome(refusal), fault, status, Charge.NOTHING, last);
  }

  // Stream

  @Override
  public void content(ByteBuf events) {
    loop.check();
    if (phase == Phase.DRAINING_UPSTREAM) {
      events.release();
      return;
    }
    try {
      if (phase != Phase.RELAYING) {
        relay();
      }
      current.delivered();
      holdings.progress(current.deliveredTokens(), current::chargeIfBroken);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      events.release();
      throw unexpected;
    }
    reply.content(events);
  }

  private void relay() {
    current.firstContent();
    transitionTo(Phase.RELAYING);
    disconnect.streamBegan();
    composer.open();
  }

  @Override
  public boolean wantsMore() {
    return disconnect.hasOccurred() || downstream.isWritable();
  }

  @Override
  public void writabilityChanged() {
    loop.check();
    if (wantsMore()) {
      attempts.resume();
    }
  }

  private void clientIdle() {
    if (downstream.isWritable()) {
      composer.ping();
    }
  }

  // Ends with a result

  @Override
  public void completed() {
    Charge charge = current.chargeIfComplete();
    FinalReply last = disconnect.hasOccurred() ? new FinalReply.None() : composer.streamEnd(charge);
    finish(disconnect.outcomeOf(charge), null, 200, charge, last);
  }

  @Override
  public void plain(WholeReply whole) {
    boolean isNeeded = !disconnect.hasOccurred() || idempotency.isClaimed();
    if (isNeeded && whole.parts() > 0 && context.media().outputs() instanceof Outputs.Kept kept) {
      transitionTo(Phase.STORING);
      var collected = current.attempt().detachCollector();
      upload = new OutputUpload(kept, context, request, loop, whole, collected, this::finish);
      upload.begin();
    } else {
      finish(whole);
    }
  }

  private void finish(WholeReply whole) {
    Charge charge = current.chargeOf(whole);
    if (disconnect.hasOccurred() && !idempotency.isClaimed()) {
      finish(disconnect.outcome(), null, 0, charge, new FinalReply.None());
    } else {
      finish(
          disconnect.outcomeOf(charge), null, 200, charge, composer.whole(whole, charge, upload));
    }
  }

  // Ends with a fault

  @Override
  public void cutShort(Fault fault) {
    loop.check();
    if (upload != null && upload.stop()) {
      return; // what was made is sent
    }
    if (!disconnect.hasOccurred() && phase.compareTo(Phase.SETTLING) < 0) {
      Fault clientFault = withoutRetryIfExecuted(fault);
      attempts.cancel();
      end(clientFault, RequestOutcome.DRAINED);
    }
  }

  private void end(Fault fault, RequestOutcome outcome) {
    Charge charge = chargeOfBrokenStream();
    FinalReply finalReply = composer.fault(fault, charge);
    finish(outcome, fault, composer.status(fault.code().status()), charge, finalReply);
  }

  /** Forbids the retry of a request that may have been executed: the client would pay twice. */
  private Fault withoutRetryIfExecuted(Fault fault) {
    return current.mayHaveExecuted() ? fault.withRetryAfter(0).withoutRetry() : fault;
  }

  /** Ends the request because of an exception: logged once, and a fault for the client. */
  private void failedUnexpectedly(RuntimeException unexpected) {
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
    attempts.cancel();
    if (disconnect.hasOccurred() && !idempotency.isClaimed()) {
      abandon();
    } else {
      end(clientFault, RequestOutcome.INTERNAL_ERROR);
    }
  }

  private void forceFinish() {
    if (phase != Phase.ENDED) {
      release();
      phase = Phase.SETTLING; // from whichever phase failed
      finish.forceFinish(!disconnect.hasOccurred(), () -> transitionTo(Phase.ENDED));
    }
  }

  // Ends without a client

  @Override
  public void clientDisconnected(DisconnectReason reason) {
    loop.check();
    DisconnectDecision decision = disconnect.occurred(reason, phase, idempotency.isClaimed());
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
        readOn();
      }
      case DisconnectDecision.AwaitUsage await -> readOnFor(await.timeMax());
      case DisconnectDecision.DrainUpstream drain -> {
        holdings.rateLimit().end(current.chargeIfBroken().usage().computedTokens());
        readOnFor(drain.bounds().time());
      }
      case DisconnectDecision.Stop _ -> stop();
    }
  }

  private void readOnFor(Duration timeMax) {
    disconnect.drain(loop.schedule(this::stop, timeMax));
    readOn();
  }

  private void readOn() {
    if (phase != Phase.STORING) {
      transitionTo(Phase.DRAINING_UPSTREAM);
      attempts.resume();
    }
  }

  private void stop() {
    attempts.cancel();
    abandon();
  }

  private void abandon() {
    Charge charge = chargeOfBrokenStream();
    finish(disconnect.outcome(), null, composer.status(0), charge, new FinalReply.None());
  }

  /** Returns the charge of what was delivered: nothing before the first content. */
  private Charge chargeOfBrokenStream() {
    return switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, WAITING, STORING, ENDED ->
          current.chargeSoFar();
      case RELAYING, DRAINING_UPSTREAM, SETTLING ->
          reply.isOpened() ? current.chargeIfBroken() : Charge.NOTHING;
    };
  }

  // The end

  private void finish(
      RequestOutcome outcome,
      @Nullable Fault fault,
      int status,
      Charge charge,
      FinalReply finalReply) {
    transitionTo(Phase.SETTLING);
    release();
    boolean outcomeUnknown = current.mayHaveExecuted() && !refused;
    var verdict = new Finish.Verdict(outcome, fault, status, charge, outcomeUnknown);
    finish.begin(verdict, finalReply, () -> transitionTo(Phase.ENDED));
  }

  private void release() {
    reply.stop();
    media.end();
    attempts.end();
    if (upload != null) {
      upload.end();
    }
    disconnect.end();
  }

  private void transitionTo(Phase next) {
    loop.check();
    phase = phase.to(next);
    timeline.entered(next, loop.now());
  }
}
