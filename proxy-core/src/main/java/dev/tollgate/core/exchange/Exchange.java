package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.claim.StoredReply;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.endpoint.InferenceCall;
import dev.tollgate.core.endpoint.ReplyFlow;
import dev.tollgate.core.endpoint.ReplyMode;
import dev.tollgate.core.endpoint.WholeReply;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.routing.NextTry;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.Refusal;
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
 * client channel's loop, and {@link Conclusion} is the only way out.
 */
final class Exchange
    implements RequestService.Running, AttemptListener, Admission.Listener, Claiming.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  static final Fault SURPRISE =
      Fault.of(ErrorCode.INTERNAL_FAILURE, "The request failed unexpectedly.");

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final Serving serving;
  private final Tries tries;
  private final InputImages images;
  private final Timeline timeline;
  private final long begunNanos;
  private final ClientReply reply;
  private final Claiming claiming;
  private final Conclusion conclusion;
  private final Delivery delivery;
  private final Departure departure = new Departure();
  private Phase phase = Phase.ADMITTED;
  private boolean refused;
  private @Nullable ScheduledFuture<?> timer;
  private @Nullable Storing storing;

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
    this.serving = new Serving(context, downstream, call, plan, begunNanos, this::askLimitsAhead);
    this.tries = serving.tries();
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    var loop = downstream.loop();
    this.images = new InputImages(context, request, call, loop, timeline, this::guarded);
    Runnable onSilence = () -> guarded(this::clientWaits);
    this.reply = new ClientReply(downstream, timeline, context.options().pingInterval(), onSilence);
    this.claiming = new Claiming(context, request, this::isInDoubt, this::guarded);
    this.conclusion =
        new Conclusion(
            context,
            request,
            reply,
            claiming,
            it -> serving.served(it, timeline, now()),
            this::now);
    this.delivery = new Delivery(reply, serving, conclusion.allowance(), timeline, this::now);
  }

  /** Routes the request; the reply goes to the downstream. */
  void begin() {
    guarded(this::admit);
  }

  // The way in

  private void admit() {
    timeline.entered(Phase.ADMITTED, now());
    become(Phase.RESERVING);
    claiming.begin(downstream.loop(), this);
  }

  @Override
  public void claimed() {
    var most = serving.setAside();
    new Admission(context, request, serving.call(), most, images, conclusion, this, this::guarded)
        .begin(downstream.loop());
  }

  @Override
  public void replayed(StoredReply stored) {
    Parting again = Delivery.replay(stored, timeline, now());
    conclude(Ending.REPLAYED, null, stored.status(), Charge.NOTHING, again);
  }

  @Override
  public void reached(Phase next) {
    become(next);
  }

  @Override
  public void refused(Fault fault, Ending ending) {
    Parting refusal = delivery.refusal(fault);
    conclude(ending, fault.code(), fault.code().status(), Charge.NOTHING, refusal);
  }

  // Tries

  @Override
  public void admitted() {
    if (serving.call().request().mode() == ReplyMode.EVENTS) {
      reply.await(context.options().commitAfter(), begunNanos);
    }
    serving.fetched(images.all());
    become(Phase.CONNECTING);
    claiming.dispatch(() -> take(tries.first(now())), this);
  }

  private void take(Tries.Step step) {
    switch (step) {
      case Tries.Step.Ask ask -> ask(ask.placement());
      case Tries.Step.Wait wait -> {
        timeline.upstreamBegins(now()); // the provider is to blame for the pause
        schedule(() -> take(tries.afterWait(now())), wait.delay());
      }
      case Tries.Step.Allow allow -> askLimits(allow.model());
      case Tries.Step.GiveUp _ -> giveUp();
      case Tries.Step.Nobody nobody -> refuse(nobody.refusal());
    }
  }

  private void askLimits(ModelId model) {
    askLimits(model, verdict -> take(tries.limited(model, verdict, now())));
  }

  /** Before the provider that is asked has failed. */
  private void askLimitsAhead(ModelId model) {
    askLimits(model, verdict -> tries.known(model, verdict));
  }

  private void askLimits(ModelId model, Consumer<Allowance.Verdict> whenKnown) {
    conclusion.askLimits(model, downstream.loop(), this::guarded, whenKnown);
  }

  private void ask(Placement placement) {
    timer = null;
    timeline.upstreamBegins(now());
    serving.ask(placement, this);
  }

  @Override
  public void sent() {
    become(Phase.WAITING);
  }

  @Override
  public void written() {
    conclusion.written(images);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    timeline.upstreamEnds(now());
    serving.failed(failure, now());
    switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, WAITING -> tryNext();
      case RELAYING -> brokeOff();
      case HEARING -> abandon();
      case STORING, SETTLING, ENDED -> throw new IllegalStateException("a failure after the end");
    }
  }

  private void tryNext() {
    Tries.Step next = tries.next(now());
    if (!(next instanceof Tries.Step.GiveUp)) {
      become(Phase.CONNECTING);
    }
    take(next);
  }

  /** Behind content, another provider may only continue what was delivered. */
  private void brokeOff() {
    if (serving.brokeOff()) {
      departure.endStream();
      become(Phase.CONNECTING);
      take(tries.next(now()));
    } else {
      giveUp();
    }
  }

  private void giveUp() {
    NextTry.Failed failed = tries.failure();
    UpstreamFailure failure = failed.failure();
    refused = failure.isRefusal();
    var request = serving.call().request();
    Fault fault = FaultOf.failure(failure, request, failed.candidate().id(), tries.records());
    end(refused ? fault : unlessBought(fault), FaultOf.ending(failure));
  }

  /** Whoever could be asked when the request came cannot be any more. */
  private void refuse(Refusal refusal) {
    ErrorCode code = refusal.fault().code();
    int status = delivery.status(code.status());
    conclude(Ending.PROVIDER_UNAVAILABLE, code, status, Charge.NOTHING, delivery.refusal(refusal));
  }

  // A stream flows

  @Override
  public void content(ByteBuf events) {
    if (phase == Phase.HEARING) {
      events.release();
      return;
    }
    try {
      relay();
      serving.delivered();
      conclusion.booking().progress(serving.deliveredTokens(), now(), serving::chargeIfBroken);
    } catch (RuntimeException | OutOfMemoryError surprise) {
      events.release();
      throw surprise;
    }
    reply.events(events);
  }

  private void relay() {
    if (phase != Phase.RELAYING) {
      timeline.firstToken(now());
      tries.firstContent(serving.attempt(), now());
      become(Phase.RELAYING);
      departure.opened(context.drains().opened(serving.candidate().provider()));
      delivery.open();
    }
  }

  @Override
  public boolean wantsMore() {
    return departure.hasLeft() || downstream.isWritable();
  }

  @Override
  public void writabilityChanged() {
    if (wantsMore()) {
      serving.resume();
    }
  }

  private void clientWaits() {
    if (downstream.isWritable()) {
      delivery.ping();
    }
  }

  // Good ends

  @Override
  public void completed() {
    ReplyFlow stream = serving.stream();
    timeline.upstreamEnds(now());
    serving.succeeded(stream.deliveredTokens(), now());
    Charge charge = serving.chargeOfWhole();
    Parting parting = departure.hasLeft() ? new Parting.Silence() : delivery.endOf(stream, charge);
    conclude(endingOf(charge), null, 200, charge, parting);
  }

  @Override
  public void plain(WholeReply whole) {
    timeline.upstreamEnds(now());
    serving.succeeded(whole.deliveredTokens(), now());
    boolean isWanted = !departure.hasLeft() || claiming.isHeld();
    if (isWanted && whole.parts() > 0 && context.outputs() instanceof Outputs.Kept kept) {
      become(Phase.STORING);
      store(whole, kept);
    } else {
      conclude(whole);
    }
  }

  private void store(WholeReply whole, Outputs.Kept kept) {
    Collector collected = serving.attempt().keep();
    storing =
        new Storing(
            kept, context, request, downstream, whole, collected, this::guarded, this::conclude);
    storing.begin();
  }

  private void conclude(WholeReply whole) {
    Charge charge = Charge.of(serving.call(), whole);
    if (departure.hasLeft() && !claiming.isHeld()) {
      conclude(departure.ending(), null, 0, charge, new Parting.Silence());
    } else {
      conclude(endingOf(charge), null, 200, charge, delivery.whole(whole, charge, storing));
    }
  }

  private Ending endingOf(Charge charge) {
    return departure.or(charge.usage().estimated() ? Ending.OK_ESTIMATED : Ending.OK);
  }

  // Bad ends

  @Override
  public void cutShort(Fault fault) {
    if (storing != null && storing.stop()) {
      return; // what was made is answered
    }
    if (!departure.hasLeft() && phase.compareTo(Phase.SETTLING) < 0) {
      Fault told = unlessBought(fault);
      cancelAttempt();
      end(told, Ending.DRAINED);
    }
  }

  private void end(Fault fault, Ending ending) {
    Charge charge = chargeOfBrokenStream();
    Parting parting = delivery.fault(fault, charge);
    conclude(ending, fault.code(), delivery.status(fault.code().status()), charge, parting);
  }

  /** Who asked again would buy it twice. */
  private Fault unlessBought(Fault fault) {
    return serving.isBought() ? fault.withRetryAfter(0).withoutRetry() : fault;
  }

  /** Whether a provider may have made what was asked for, although that did not come. */
  private boolean isInDoubt() {
    return serving.isBought() && !refused;
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  @Override
  public void surprised(RuntimeException surprise) {
    LOG.error("request {} failed", request.id(), surprise);
    try {
      endSurprised();
    } catch (RuntimeException | OutOfMemoryError again) {
      surprise.addSuppressed(again);
      lastResort();
    }
  }

  private void endSurprised() {
    if (phase.compareTo(Phase.SETTLING) >= 0) {
      lastResort();
      return;
    }
    if (storing != null && storing.stop()) {
      return;
    }
    Fault told = unlessBought(SURPRISE);
    cancelAttempt();
    if (departure.hasLeft() && !claiming.isHeld()) {
      abandon();
    } else {
      end(told, Ending.INTERNAL_ERROR);
    }
  }

  private void lastResort() {
    if (phase != Phase.ENDED) {
      letGo();
      phase = Phase.SETTLING; // from wherever it failed
      conclusion.lastResort(!departure.hasLeft(), () -> become(Phase.ENDED));
    }
  }

  private void guarded(Runnable step) {
    Guarded.run(step, this::surprised);
  }

  // The client is gone

  @Override
  public void clientLeft(ClientExit exit) {
    if (phase == Phase.ENDED || departure.hasLeft()) {
      return;
    }
    departure.left(exit);
    if (phase == Phase.SETTLING) {
      conclusion.clientLeft(exit);
      return;
    }
    reply.stop();
    if (claiming.isHeld() && phase != Phase.RELAYING) {
      // Whoever sends the same again is told what comes of it (DECISIONS 3).
      conclusion.clientLeft(exit);
      serving.resume();
      return;
    }
    if (phase == Phase.STORING) {
      conclusion.goesOn(); // it was made
      return;
    }
    if (isBoughtAndAwaited() || (phase == Phase.RELAYING && mayReadOn())) {
      become(Phase.HEARING);
      if (serving.isBought()) {
        conclusion.goesOn();
      }
      serving.attempt().resume();
    } else {
      cancelAttempt();
      abandon();
    }
  }

  /** Whether a provider makes something that is paid for: it is not given up (DECISIONS 3). */
  private boolean isBoughtAndAwaited() {
    return phase == Phase.WAITING && serving.isBought();
  }

  /** Whether the provider is heard out although the client is gone. */
  private boolean mayReadOn() {
    OnDisconnect policy = serving.candidate().provider().onDisconnect();
    Optional<Duration> time = departure.hearing(serving.stream().finished(), policy);
    time.ifPresent(most -> schedule(this::heardLongEnough, most));
    return time.isPresent();
  }

  private void heardLongEnough() {
    timer = null;
    cancelAttempt();
    abandon();
  }

  private void abandon() {
    Charge charge = chargeOfBrokenStream();
    conclude(departure.ending(), null, delivery.status(0), charge, new Parting.Silence());
  }

  private void cancelAttempt() {
    timeline.upstreamEnds(now());
    serving.cancel(now());
  }

  /** What was delivered is charged; before the first content that is nothing at all. */
  private Charge chargeOfBrokenStream() {
    return switch (phase) {
      case ADMITTED, RESERVING, LIMITING, FETCHING, CONNECTING, WAITING, STORING, ENDED ->
          serving.charged();
      case RELAYING, HEARING, SETTLING ->
          reply.isOpened() ? serving.chargeIfBroken() : Charge.NOTHING;
    };
  }

  // The way out

  private void conclude(
      Ending ending, @Nullable ErrorCode code, int status, Charge charge, Parting parting) {
    become(Phase.SETTLING);
    letGo();
    var verdict = new Conclusion.Verdict(ending, code, status, charge);
    conclusion.begin(verdict, parting, this::guarded, () -> become(Phase.ENDED));
  }

  private void letGo() {
    reply.stop();
    images.end();
    serving.end(now());
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (storing != null) {
      storing.end();
    }
    departure.endStream();
  }

  private void schedule(Runnable task, Duration delay) {
    long nanos = delay.toNanos();
    timer = downstream.loop().schedule(() -> guarded(task), nanos, TimeUnit.NANOSECONDS);
  }

  private void become(Phase next) {
    assert downstream.loop().inEventLoop();
    phase = phase.to(next);
    timeline.entered(next, now());
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }
}
