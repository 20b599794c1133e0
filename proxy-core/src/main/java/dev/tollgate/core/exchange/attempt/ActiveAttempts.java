package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.FetchedMedia;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NoProviderRefusal;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runner of one request's upstream attempts: starts them one after the other, or two in a race, and
 * decides what follows a failure. Loop-confined.
 */
public final class ActiveAttempts implements AttemptListener {
  private final ExchangeContext context;
  private final Downstream downstream;
  private final BodyWork bodies;
  private final RequestLoop loop;
  private final Timeline timeline;
  private final FallbackLimits limits;
  private final Listener listener;
  private final RetryState retryState;
  private final Resumption resumption;
  private final Hedge hedge;
  private final CurrentAttempt current;
  private @Nullable ScheduledFuture<?> backoff;

  /** Listener through which attempts report to their exchange. */
  public interface Listener {
    /** A phase begins: {@code CONNECTING} for another attempt, or {@code WAITING} for a reply. */
    void reached(Phase next);

    /** A provider has all of a request that may not be repeated. */
    void written();

    /**
     * The next bytes for the client; the first ones are the first usable event. The listener owns
     * them.
     */
    void content(ByteBuf events);

    /** True if the attempts are to read on; if false, {@link #resume} is called later. */
    boolean wantsMore();

    /** The stream is complete. */
    void completed();

    /** The whole reply of a plain request. */
    void plain(WholeReply reply);

    /** The last attempt failed and no other runs: the listener decides what follows. */
    void failed();

    /** No further attempt follows; the failure is {@link CurrentAttempt#failure}. */
    void exhausted();

    /** No attempt could be started at all. */
    void noProvider(NoProviderRefusal refusal);
  }

  public ActiveAttempts(
      ExchangeContext context,
      Downstream downstream,
      BodyWork bodies,
      InferenceCall call,
      RoutePlan plan,
      Timeline timeline,
      FallbackLimits limits,
      Listener listener) {
    this.context = context;
    this.downstream = downstream;
    this.bodies = bodies;
    this.loop = bodies.loop();
    this.timeline = timeline;
    this.limits = limits;
    this.listener = listener;
    this.retryState =
        new RetryState(context.providers().fleet(), plan, loop.now(), timeline, call, limits);
    this.resumption = new Resumption(call, plan.rules().resumeBytesMax(), context.inflight());
    this.hedge = new Hedge(call.request(), plan.rules(), loop);
    var ratios = context.clientless().ratios();
    this.current =
        new CurrentAttempt(plan, call, timeline, retryState, resumption, hedge, ratios, loop);
  }

  /** Returns the attempt that serves at the moment. */
  public CurrentAttempt current() {
    return current;
  }

  // Steps

  /**
   * Takes the media that the request named by URL.
   *
   * @param declined candidates that may not get the request because of its URLs
   */
  public void admitted(FetchedMedia media, List<Candidate> declined) {
    loop.check();
    if (!media.images().isEmpty()) {
      current.fetched(media);
    }
    retryState.exclude(declined);
  }

  /** Starts the first attempt, at the first candidate that accepts a placement. */
  public void start() {
    loop.check();
    execute(retryState.first(loop.now()));
  }

  /** Starts what follows a failure before content, or reports that nothing does. */
  public void advance() {
    loop.check();
    RetryState.Step next = retryState.next(loop.now());
    if (!(next instanceof RetryState.Step.GiveUp)) {
      listener.reached(Phase.CONNECTING);
    }
    execute(next);
  }

  /** Starts what follows a failure after content: another provider may only continue it. */
  public void continueStream() {
    loop.check();
    retryState.interrupted(next -> resumption.canContinue(next) && current.isCovered(next));
    if (resumption.interrupted()) {
      current.interrupted();
      listener.reached(Phase.CONNECTING);
      execute(retryState.next(loop.now()));
    } else {
      listener.exhausted();
    }
  }

  private void execute(RetryState.Step step) {
    switch (step) {
      case RetryState.Step.Start start -> start(start.placement());
      case RetryState.Step.Wait wait -> {
        timeline.upstreamBegins(loop.now()); // the pause counts as the provider's time
        backoff = loop.schedule(() -> execute(retryState.afterWait(loop.now())), wait.delay());
      }
      case RetryState.Step.CheckLimits check -> checkLimits(check.model());
      case RetryState.Step.GiveUp _ -> listener.exhausted();
      case RetryState.Step.NoProvider none -> listener.noProvider(none.refusal());
    }
  }

  private void checkLimits(ModelId model) {
    limits.acquire(model, verdict -> execute(retryState.afterLimits(model, verdict, loop.now())));
  }

  private void start(Placement placement) {
    backoff = null;
    timeline.upstreamBegins(loop.now());
    Attempt started = newAttempt(placement);
    current.activate(started);
    if (started.opening().wire().isEmpty()) {
      hedge.await(() -> firstTokenLate(started));
    }
    started.start();
  }

  private Attempt newAttempt(Placement placement) {
    Candidate at = placement.candidate();
    InferenceCall own = current.call().at(at.model()).with(resumption.opening(at));
    return new Attempt(placement, own, context, downstream, bodies, retryState.deadline(at), this);
  }

  // A second attempt beside the first

  private void firstTokenLate(Attempt waiting) {
    hedge.stop();
    if (!waiting.isEnded()) {
      retryState.hedge(waiting, loop.now()).ifPresent(at -> startHedge(waiting, at));
    }
  }

  private void startHedge(Attempt waiting, Placement placement) {
    Attempt second;
    try {
      second = newAttempt(placement);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      placement.neutral(loop.now());
      throw unexpected;
    }
    hedge.begin(waiting, second);
    second.start();
  }

  /** Ends a race: the attempt that delivers first continues, and the other is cancelled. */
  private void resolveRace(Attempt winner) {
    Attempt rival = hedge.won(winner);
    if (rival != null) {
      current.activate(winner);
      if (hedge.isFirst(rival)) {
        retryState.hedgeLost(rival, loop.now());
      } else {
        retryState.abandoned(rival, loop.now());
      }
      rival.cancel();
    }
  }

  // Reports of the attempts

  @Override
  public void sent() {
    listener.reached(Phase.WAITING);
  }

  @Override
  public void written() {
    listener.written();
  }

  @Override
  public void content(Attempt from, ByteBuf events) {
    try {
      resolveRace(from);
    } catch (RuntimeException | OutOfMemoryError unexpected) {
      events.release();
      throw unexpected;
    }
    listener.content(events);
  }

  @Override
  public boolean wantsMore() {
    return listener.wantsMore();
  }

  @Override
  public boolean hasAlternative() {
    return hedge.isRacing() || retryState.hasFallback(current.candidate(), loop.now());
  }

  @Override
  public void completed(Attempt from) {
    resolveRace(from);
    succeeded(current.stream().deliveredTokens());
    listener.completed();
  }

  @Override
  public void plain(Attempt from, WholeReply reply) {
    resolveRace(from);
    succeeded(reply.deliveredTokens());
    listener.plain(reply);
  }

  private void succeeded(long tokens) {
    long now = loop.now();
    timeline.upstreamEnds(now);
    resumption.completed();
    retryState.succeeded(current.attempt(), tokens, now);
  }

  @Override
  public void failed(Attempt from, UpstreamFailure failure) {
    Attempt rival = hedge.rivalOf(from);
    hedge.endRace();
    if (rival != null && !(hedge.isFirst(from) && !failure.canFallBack())) {
      retryState.failed(from, failure, failure, loop.now());
      current.activate(rival);
      return; // the rival continues alone
    }
    hedge.stop();
    if (rival != null) {
      // The request itself caused the failure: another provider is no way around it.
      current.activate(from);
      retryState.abandoned(rival, loop.now());
      rival.cancel();
    }
    failed(failure);
  }

  private void failed(UpstreamFailure failure) {
    long now = loop.now();
    timeline.upstreamEnds(now);
    Candidate candidate = current.candidate();
    StreamContinuation opening = current.call().continuation();
    UpstreamFailure reclassified = Resumption.reclassified(opening, failure);
    UpstreamFailure failureForRetry = resumption.failureForRetry(candidate, opening, reclassified);
    retryState.failed(current.attempt(), reclassified, failureForRetry, now);
    if (resumption.shouldRepeat(candidate)) {
      retryState.repeat(candidate);
    }
    listener.failed();
  }

  // Orders of the exchange

  /** Reads on, after the client took what was sent. */
  public void resume() {
    loop.check();
    Attempt attempt = current.attemptOrNull();
    if (attempt != null) {
      Attempt rival = hedge.rivalOf(attempt);
      attempt.resume();
      if (rival != null) {
        rival.resume();
      }
    }
  }

  /** Cancels the attempts that run: their result is not needed. */
  public void cancel() {
    loop.check();
    long now = loop.now();
    timeline.upstreamEnds(now);
    Attempt attempt = current.attemptOrNull();
    if (attempt == null) {
      return;
    }
    Attempt rival = hedge.rivalOf(attempt);
    hedge.endRace();
    if (!attempt.isEnded()) {
      cancel(attempt, now);
    }
    if (rival != null) {
      cancel(rival, now);
    }
  }

  private void cancel(Attempt running, long now) {
    retryState.cancelled(running, now);
    running.cancel();
  }

  /** Ends the timers, the placements as neutral, and the copy of the stream kept for resuming. */
  public void end() {
    loop.check();
    long now = loop.now();
    limits.end();
    hedge.stop();
    if (backoff != null) {
      backoff.cancel(false);
      backoff = null;
    }
    Attempt attempt = current.attemptOrNull();
    if (attempt != null) {
      Attempt rival = hedge.rivalOf(attempt);
      if (rival != null) {
        rival.placement().neutral(now);
      }
      attempt.placement().neutral(now);
    }
    retryState.end(now);
    resumption.end();
  }
}
