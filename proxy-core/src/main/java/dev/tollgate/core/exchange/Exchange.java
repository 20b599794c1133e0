package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatReply;
import dev.tollgate.core.endpoint.ChatStream;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NextTry;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of one chat request, from its admitted body to its record: the state machine of {@link
 * Phase}. It holds the policy (which provider, what the client gets, what it costs) and touches no
 * bytes. Everything happens on the client channel's loop, and {@link #finish} is the only way out.
 */
final class Exchange implements RequestService.Running, AttemptListener {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final Duration SETTLING_MAX = Duration.ofSeconds(5);
  static final Fault SURPRISE =
      Fault.of(ErrorCode.INTERNAL_FAILURE, "The request failed unexpectedly.");

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final ChatCall call;
  private final Tries tries;
  private final Timeline timeline;
  private final long begunNanos;
  private final ClientReply reply;
  private Phase phase = Phase.ADMITTED;
  private Candidate candidate;
  private @Nullable Attempt attempt;
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
    this.call = call;
    this.begunNanos = now();
    this.tries = new Tries(plan, begunNanos, call.request().isStream());
    this.candidate = plan.candidates().getFirst();
    this.timeline = new Timeline(request.admittedNanos(), request.body().uploadNanos());
    Runnable onSilence = () -> guarded(this::clientWaits);
    this.reply = new ClientReply(downstream, timeline, context.options().pingInterval(), onSilence);
  }

  /** Routes the request; the reply goes to the downstream. */
  void begin() {
    guarded(this::tryFirst);
  }

  private void tryFirst() {
    timeline.entered(Phase.ADMITTED, now());
    if (call.request().isStream()) {
      reply.await(context.options().commitAfter(), begunNanos);
    }
    become(Phase.CONNECTING);
    tryCandidate(candidate);
  }

  // Tries

  private void tryCandidate(Candidate next) {
    timer = null;
    candidate = next;
    timeline.upstreamBegins(now());
    attempt = new Attempt(next, call, context, downstream, tries.deadline(next), this);
    attempt.start();
  }

  @Override
  public void sent() {
    become(Phase.WAITING);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    timeline.upstreamEnds(now());
    tries.failed(candidate, attempt(), failure, now());
    switch (phase) {
      case ADMITTED, CONNECTING, WAITING -> tryNext(failure);
      case RELAYING -> giveUp(failure);
      case SETTLING -> settleAbandoned();
      case ENDED -> throw new IllegalStateException("a failure after the end");
    }
  }

  private void tryNext(UpstreamFailure failure) {
    switch (tries.next(now())) {
      case NextTry.Try next -> {
        become(Phase.CONNECTING);
        if (next.delay().isZero()) {
          tryCandidate(next.candidate());
        } else {
          timeline.upstreamBegins(now()); // the provider is to blame for the pause
          schedule(() -> tryCandidate(next.candidate()), next.delay());
        }
      }
      case NextTry.GiveUp _ -> giveUp(failure);
    }
  }

  private void giveUp(UpstreamFailure failure) {
    end(FaultOf.failure(failure, candidate.id(), tries.records()), FaultOf.ending(failure));
  }

  // A stream flows

  @Override
  public void content(ByteBuf events) {
    if (phase == Phase.SETTLING) {
      events.release();
      return;
    }
    try {
      relay();
    } catch (RuntimeException surprise) {
      events.release();
      throw surprise;
    }
    reply.events(events);
  }

  private void relay() {
    if (phase != Phase.RELAYING) {
      timeline.firstToken(now());
      become(Phase.RELAYING);
      openStream = context.drains().opened(candidate.provider());
      open();
    }
  }

  @Override
  public boolean wantsMore() {
    return phase == Phase.SETTLING || downstream.isWritable();
  }

  @Override
  public void writabilityChanged() {
    if (attempt != null && wantsMore()) {
      attempt.resume();
    }
  }

  private void open() {
    if (!reply.isOpened()) {
      reply.open(fields(call.request().estimate(call.model())));
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
    succeeded();
    ChatStream chat = chat();
    Charge charge = Charge.of(call, chat);
    if (clientExit == null) {
      open();
      ByteBuf last = reply.buffer(512);
      if (!chat.finished()) {
        chat.writeMissingFinish(last);
      }
      chat.writeUsage(charge.usage(), charge.cost(), last);
      SseOut.done(last);
      reply.end(last);
    }
    finish(endingOf(charge), null, 200, charge);
  }

  @Override
  public void plain(ChatReply chat) {
    succeeded();
    Charge charge = Charge.of(call, chat);
    ByteBuf body = reply.buffer(1024);
    chat.writeTo(charge.usage(), charge.cost(), body);
    reply.whole(fields(charge.cost()), attempt().counted(body));
    finish(endingOf(charge), null, 200, charge);
  }

  private void succeeded() {
    timeline.upstreamEnds(now());
    tries.succeeded(candidate, attempt(), now());
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
    if (clientExit == null) {
      cancelAttempt();
      end(fault, Ending.DRAINED);
    }
  }

  /** Ends with a fault: as the reply, or in an opened stream behind its usage (DECISIONS 2). */
  private void end(Fault fault, Ending ending) {
    Charge charge = chargeOfBrokenStream();
    if (reply.isOpened()) {
      ByteBuf last = reply.buffer(512);
      lastStream().writeUsage(charge.usage(), charge.cost(), last);
      reply.events(last);
    }
    reply.refuse(fault, fields(charge.cost()));
    finish(ending, fault.code(), status(fault.code().status()), charge);
  }

  /** A fault of ours: told once to the log, and to the client where it still waits. */
  @Override
  public void surprised(RuntimeException surprise) {
    LOG.error("request {} failed", request.id(), surprise);
    if (phase != Phase.ENDED) {
      cancelAttempt();
      if (clientExit == null) {
        reply.refuse(SURPRISE, List.of());
      }
      int status = status(SURPRISE.code().status());
      finish(Ending.INTERNAL_ERROR, SURPRISE.code(), status, Charge.NOTHING);
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
    reply.stop();
    if (phase == Phase.RELAYING && mayReadOn()) {
      become(Phase.SETTLING);
      attempt().resume();
    } else {
      cancelAttempt();
      settleAbandoned();
    }
  }

  /** Whether the provider is heard out although the client is gone (DECISIONS 3). */
  private boolean mayReadOn() {
    if (chat().finished()) {
      schedule(this::settlingTooLong, SETTLING_MAX);
      return true;
    }
    return switch (candidate.provider().onDisconnect()) {
      case OnDisconnect.Cancel _ -> false;
      case OnDisconnect.Drain policy -> {
        boolean may = openStream != null && openStream.tryDrain(policy.share());
        if (may) {
          schedule(this::settlingTooLong, policy.time());
        }
        yield may;
      }
    };
  }

  private void settlingTooLong() {
    timer = null;
    cancelAttempt();
    settleAbandoned();
  }

  private void settleAbandoned() {
    ClientExit exit = clientExit == null ? ClientExit.ABORTED : clientExit;
    finish(Ending.of(exit), null, status(0), chargeOfBrokenStream());
  }

  private void cancelAttempt() {
    timeline.upstreamEnds(now());
    if (attempt != null && !attempt.isOver()) {
      tries.cancelled(candidate, attempt, now());
      attempt.cancel();
    }
  }

  /** What was delivered is charged; before the first content that is nothing. */
  private Charge chargeOfBrokenStream() {
    return switch (phase) {
      case ADMITTED, CONNECTING, WAITING, ENDED -> Charge.NOTHING;
      case RELAYING, SETTLING -> Charge.ofBroken(call, chat());
    };
  }

  // The way out

  private void finish(Ending ending, @Nullable ErrorCode code, int status, Charge charge) {
    become(Phase.ENDED);
    reply.stop();
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
    request.body().end();
    long bytes = reply.bytesSent();
    context.observer().ended(request.record(ending, code, status, served(charge), bytes, now()));
  }

  private RequestRecord.Served served(Charge charge) {
    return new RequestRecord.Served(
        call.model().id(),
        call.request().isStream(),
        candidate.id(),
        tries.records(),
        charge.usage(),
        charge.cost(),
        timeline.firstToken(),
        timeline.upstream(now()),
        timeline.overhead(now()),
        timeline.phases());
  }

  private List<Field> fields(MicroUsd cost) {
    String reason = tries.reason(candidate, attempt, cost, committedEarly);
    return ReplyFields.of(call, candidate, reason, cost, timeline, now());
  }

  private Attempt attempt() {
    if (attempt == null) {
      throw new IllegalStateException("no attempt in phase " + phase);
    }
    return attempt;
  }

  private ChatStream chat() {
    StreamReader stream = attempt().stream();
    if (stream == null) {
      throw new IllegalStateException("no stream in phase " + phase);
    }
    return stream.chat();
  }

  /** The stream that ends an opened reply: the last provider's, or one of our own. */
  private ChatStream lastStream() {
    StreamReader stream = attempt == null ? null : attempt.stream();
    return stream == null ? call.stream(candidate.id()) : stream.chat();
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
