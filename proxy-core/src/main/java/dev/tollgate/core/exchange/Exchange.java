package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatReply;
import dev.tollgate.core.endpoint.ChatStream;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.NextTry;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.Refusal;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one chat request, from its admitted body to its record: the state machine of {@link
 * Phase}. It holds the policy (which provider, what the client gets, what it costs) and touches no
 * bytes. Everything happens on the client channel's loop, and {@link Conclusion} is the only way
 * out.
 */
final class Exchange implements RequestService.Running, AttemptListener, Admission.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final Duration HEARING_MAX = Duration.ofSeconds(5);
  static final Fault SURPRISE =
      Fault.of(ErrorCode.INTERNAL_FAILURE, "The request failed unexpectedly.");

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final Serving serving;
  private final Tries tries;
  private final Timeline timeline;
  private final long begunNanos;
  private final ClientReply reply;
  private final Conclusion conclusion;
  private Phase phase = Phase.ADMITTED;
  private @Nullable ScheduledFuture<?> timer;
  private @Nullable ClientExit clientExit;
  private DrainQuota.@Nullable Place openStream;
  private boolean committedEarly;

  Exchange(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      ChatCall call,
      RoutePlan plan) {
    this.context = context;
    this.request = request;
    this.downstream = downstream;
    this.begunNanos = now();
    this.serving = new Serving(context, downstream, call, plan, begunNanos);
    this.tries = serving.tries();
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    Runnable onSilence = () -> guarded(this::clientWaits);
    this.reply = new ClientReply(downstream, timeline, context.options().pingInterval(), onSilence);
    this.conclusion = new Conclusion(context, request, reply, this::served, this::now);
  }

  /** Routes the request; the reply goes to the downstream. */
  void begin() {
    guarded(this::admit);
  }

  // The way in

  private void admit() {
    timeline.entered(Phase.ADMITTED, now());
    become(Phase.RESERVING);
    MicroUsd most = serving.estimate();
    new Admission(context, request, serving.call(), most, conclusion, this, this::guarded)
        .begin(downstream.loop());
  }

  @Override
  public void reserved() {
    become(Phase.LIMITING);
  }

  @Override
  public void admitted() {
    tryFirst();
  }

  @Override
  public void refused(Fault fault, Ending ending) {
    var refusal = new Parting.Refusal(null, fault, fields(MicroUsd.ZERO));
    conclude(ending, fault.code(), fault.code().status(), Charge.NOTHING, refusal);
  }

  // Tries

  private void tryFirst() {
    if (serving.call().request().isStream()) {
      reply.await(context.options().commitAfter(), begunNanos);
    }
    become(Phase.CONNECTING);
    take(tries.first(now()));
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
    conclusion
        .allowance()
        .askToo(
            request,
            model,
            downstream.loop(),
            this::guarded,
            verdict -> {
              if (!conclusion.isOver()) {
                take(tries.limited(model, verdict, now()));
              }
            });
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
  public void failed(UpstreamFailure failure) {
    timeline.upstreamEnds(now());
    serving.failed(failure, now());
    switch (phase) {
      case ADMITTED, RESERVING, LIMITING, CONNECTING, WAITING -> tryNext();
      case RELAYING -> brokeOff();
      case HEARING -> abandon();
      case SETTLING, ENDED -> throw new IllegalStateException("a failure after the end");
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
      endOpenStream();
      become(Phase.CONNECTING);
      take(tries.next(now()));
    } else {
      giveUp();
    }
  }

  private void giveUp() {
    NextTry.Failed failed = tries.failure();
    UpstreamFailure failure = failed.failure();
    Fault fault = FaultOf.failure(failure, failed.candidate().id(), tries.records());
    end(fault, FaultOf.ending(failure));
  }

  /** Whoever could be asked when the request came cannot be any more. */
  private void refuse(Refusal refusal) {
    ByteBuf usage = usageIfOpened(Charge.NOTHING);
    var parting = new Parting.Refusal(usage, refusal.fault(), ReplyFields.of(refusal));
    ErrorCode code = refusal.fault().code();
    int status = status(code.status());
    conclude(Ending.PROVIDER_UNAVAILABLE, code, status, Charge.NOTHING, parting);
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
    } catch (RuntimeException surprise) {
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
      openStream = context.drains().opened(serving.candidate().provider());
      open();
    }
  }

  @Override
  public boolean wantsMore() {
    return phase == Phase.HEARING || downstream.isWritable();
  }

  @Override
  public boolean hasAlternative() {
    return serving.hasAlternative();
  }

  @Override
  public void writabilityChanged() {
    if (wantsMore()) {
      serving.resume();
    }
  }

  private void open() {
    if (!reply.isOpened()) {
      reply.open(fields(serving.estimate()));
    }
  }

  /** The client of a stream has not been sent a byte for a while (DECISIONS 2). */
  private void clientWaits() {
    if (downstream.isWritable()) {
      committedEarly |= !reply.isOpened();
      open();
      reply.ping();
    }
  }

  // Good ends

  @Override
  public void completed() {
    ChatStream chat = serving.chat();
    succeeded(chat.deliveredTokens());
    Charge charge = serving.chargeOfWhole();
    Parting parting = new Parting.Silence();
    if (clientExit == null) {
      open();
      parting = new Parting.Last(written(512, last -> writeEnd(chat, charge, last)));
    }
    conclude(endingOf(charge), null, 200, charge, parting);
  }

  private static void writeEnd(ChatStream chat, Charge charge, ByteBuf last) {
    if (!chat.finished()) {
      chat.writeMissingFinish(last);
    }
    chat.writeUsage(charge.usage(), charge.cost(), last);
    SseOut.done(last);
  }

  @Override
  public void plain(ChatReply chat) {
    succeeded(chat.deliveredTokens());
    Charge charge = Charge.of(serving.call(), chat);
    ByteBuf body = written(1024, out -> chat.writeTo(charge.usage(), charge.cost(), out));
    var parting = new Parting.Whole(fields(charge.cost()), serving.attempt().counted(body));
    conclude(endingOf(charge), null, 200, charge, parting);
  }

  private ByteBuf written(int bytes, Consumer<ByteBuf> write) {
    ByteBuf out = reply.buffer(bytes);
    try {
      write.accept(out);
      return out;
    } catch (RuntimeException surprise) {
      out.release();
      throw surprise;
    }
  }

  private void succeeded(long tokens) {
    timeline.upstreamEnds(now());
    serving.succeeded(tokens, now());
  }

  private Ending endingOf(Charge charge) {
    if (clientExit != null) {
      return Ending.of(clientExit);
    }
    return charge.usage().estimated() ? Ending.OK_ESTIMATED : Ending.OK;
  }

  // Bad ends

  @Override
  public void cutShort(Fault fault) {
    if (clientExit == null && phase.compareTo(Phase.SETTLING) < 0) {
      cancelAttempt();
      end(fault, Ending.DRAINED);
    }
  }

  /** Ends with a fault: as the reply, or in an opened stream behind its usage (DECISIONS 2). */
  private void end(Fault fault, Ending ending) {
    Charge charge = chargeOfBrokenStream();
    ByteBuf usage = usageIfOpened(charge);
    var refusal = new Parting.Refusal(usage, fault, fields(charge.cost()));
    conclude(ending, fault.code(), status(fault.code().status()), charge, refusal);
  }

  private @Nullable ByteBuf usageIfOpened(Charge charge) {
    if (!reply.isOpened()) {
      return null;
    }
    ChatStream stream = serving.lastStream();
    return written(512, out -> stream.writeUsage(charge.usage(), charge.cost(), out));
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  @Override
  public void surprised(RuntimeException surprise) {
    LOG.error("request {} failed", request.id(), surprise);
    try {
      endSurprised();
    } catch (RuntimeException again) {
      surprise.addSuppressed(again);
      lastResort();
    }
  }

  private void endSurprised() {
    if (phase.compareTo(Phase.SETTLING) >= 0) {
      lastResort();
      return;
    }
    cancelAttempt();
    if (clientExit == null) {
      end(SURPRISE, Ending.INTERNAL_ERROR);
    } else {
      abandon();
    }
  }

  private void lastResort() {
    if (phase != Phase.ENDED) {
      letGo();
      phase = Phase.SETTLING; // from wherever it failed
      conclusion.lastResort(clientExit == null, () -> become(Phase.ENDED));
    }
  }

  private void guarded(Runnable step) {
    Guarded.run(step, this::surprised);
  }

  private int status(int unopened) {
    return reply.isOpened() ? 200 : unopened;
  }

  // The client is gone

  @Override
  public void clientLeft(ClientExit exit) {
    if (phase == Phase.ENDED || clientExit != null) {
      return;
    }
    clientExit = exit;
    if (phase == Phase.SETTLING) {
      conclusion.clientLeft(exit);
      return;
    }
    reply.stop();
    if (phase == Phase.RELAYING && mayReadOn()) {
      become(Phase.HEARING);
      serving.attempt().resume();
    } else {
      cancelAttempt();
      abandon();
    }
  }

  /** Whether the provider is heard out although the client is gone (DECISIONS 3). */
  private boolean mayReadOn() {
    if (serving.chat().finished()) {
      schedule(this::heardLongEnough, HEARING_MAX);
      return true;
    }
    return switch (serving.candidate().provider().onDisconnect()) {
      case OnDisconnect.Cancel _ -> false;
      case OnDisconnect.Drain policy -> {
        boolean may = openStream != null && openStream.tryDrain(policy.share());
        if (may) {
          schedule(this::heardLongEnough, policy.time());
        }
        yield may;
      }
    };
  }

  private void heardLongEnough() {
    timer = null;
    cancelAttempt();
    abandon();
  }

  private void abandon() {
    ClientExit exit = clientExit == null ? ClientExit.ABORTED : clientExit;
    Charge charge = chargeOfBrokenStream();
    conclude(Ending.of(exit), null, status(0), charge, new Parting.Silence());
  }

  private void cancelAttempt() {
    timeline.upstreamEnds(now());
    serving.cancel(now());
  }

  /** What was delivered is charged; before the first content that is nothing at all. */
  private Charge chargeOfBrokenStream() {
    return switch (phase) {
      case ADMITTED, RESERVING, LIMITING, CONNECTING, WAITING, ENDED -> serving.charged();
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
    serving.end(now());
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    endOpenStream();
  }

  private void endOpenStream() {
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
  }

  private RequestRecord.Served served(Charge charge) {
    return serving.served(charge, timeline, now());
  }

  private List<FieldLines> fields(MicroUsd cost) {
    return conclusion.allowance().addedTo(serving.fields(cost, committedEarly, timeline, now()));
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
