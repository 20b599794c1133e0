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

/**
 * The life of one chat request, from its admitted body to its record: the state machine of {@link
 * Phase}. It holds the policy (which provider, what the client gets, what it costs) and touches no
 * bytes. Everything happens on the client channel's loop, and {@link #finish} is the only way out.
 */
final class Exchange implements RequestService.Running, AttemptListener {
  private static final Duration SETTLING_MAX = Duration.ofSeconds(5);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final ChatCall call;
  private final RoutePlan plan;
  private final Tries tries;
  private final Timeline timeline;
  private final Keepalive keepalive;
  private Phase phase = Phase.ADMITTED;
  private Candidate candidate;
  private @Nullable Attempt attempt;
  private @Nullable ScheduledFuture<?> timer;
  private @Nullable ClientExit clientExit;
  private DrainQuota.@Nullable Place openStream;
  private boolean opened;
  private boolean committedEarly;
  private long bytesSent;

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
    this.plan = plan;
    this.tries = new Tries(plan);
    this.candidate = plan.candidates().getFirst();
    this.timeline = new Timeline(request.admittedNanos());
    this.keepalive = new Keepalive(downstream.loop(), this::clientWaits);
  }

  /** Routes the request; the reply goes to the downstream. */
  void begin() {
    timeline.entered(Phase.ADMITTED, now());
    if (call.request().isStream()) {
      keepalive.start(context.options().commitAfter(), request.admittedNanos());
    }
    become(Phase.CONNECTING);
    tryCandidate(candidate);
  }

  // Tries

  private void tryCandidate(Candidate next) {
    timer = null;
    candidate = next;
    timeline.upstreamBegins(now());
    attempt = new Attempt(next, call, context, downstream, this);
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
    switch (tries.next()) {
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
    if (phase != Phase.RELAYING) {
      timeline.upstreamEnds(now());
      timeline.firstToken(now());
      become(Phase.RELAYING);
      openStream = context.drains().opened(candidate.provider());
      open();
    }
    send(events);
    downstream.flush();
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
    if (!opened) {
      opened = true;
      timeline.answered(now());
      downstream.send(new Reply.Opened(fields(call.request().estimate(call.model()))));
      keepalive.start(context.options().pingInterval(), now());
    }
  }

  private void send(ByteBuf events) {
    bytesSent += events.readableBytes();
    keepalive.byteSent(now());
    downstream.send(new Reply.Piece(events));
  }

  /** The client of a stream has not been sent a byte for a while (DECISIONS 2). */
  private void clientWaits() {
    if (!downstream.isWritable()) {
      return;
    }
    if (!opened) {
      committedEarly = true;
      open();
    }
    ByteBuf ping = downstream.allocator().buffer(16);
    SseOut.ping(ping);
    send(ping);
    downstream.flush();
  }

  // Good ends

  @Override
  public void completed() {
    succeeded();
    ChatStream chat = chat();
    Charge charge = Charge.of(call, chat);
    if (clientExit == null) {
      open();
      ByteBuf last = downstream.allocator().buffer(512);
      if (!chat.finished()) {
        chat.writeMissingFinish(last);
      }
      chat.writeUsage(charge.usage(), charge.cost(), last);
      SseOut.done(last);
      send(last);
      downstream.send(new Reply.Ended());
      downstream.flush();
    }
    finish(served(charge), null, 200, charge);
  }

  @Override
  public void plain(ChatReply reply) {
    succeeded();
    timeline.answered(now());
    Charge charge = Charge.of(call, reply);
    ByteBuf body = downstream.allocator().buffer(1024);
    reply.writeTo(charge.usage(), charge.cost(), body);
    bytesSent += body.readableBytes();
    downstream.send(new Reply.Whole(200, "application/json", fields(charge.cost()), body));
    downstream.flush();
    finish(served(charge), null, 200, charge);
  }

  private void succeeded() {
    timeline.upstreamEnds(now());
    tries.succeeded(candidate, attempt(), now());
  }

  private Ending served(Charge charge) {
    if (clientExit != null) {
      return Ending.of(clientExit);
    }
    return charge.usage().estimated() ? Ending.OK_ESTIMATED : Ending.OK;
  }

  // Bad ends

  @Override
  public void cutShort(Fault fault) {
    cancelAttempt();
    if (clientExit == null) {
      end(fault, Ending.DRAINED);
    } else {
      settleAbandoned();
    }
  }

  /** Ends with a fault: as the reply, or in an opened stream behind its usage (DECISIONS 2). */
  private void end(Fault fault, Ending ending) {
    Charge charge = chargeOfBrokenStream();
    timeline.answered(now());
    if (opened) {
      ByteBuf last = downstream.allocator().buffer(512);
      lastStream().writeUsage(charge.usage(), charge.cost(), last);
      send(last);
    }
    downstream.send(new Reply.Refused(fault, fields(charge.cost())));
    downstream.flush();
    finish(ending, fault.code(), opened ? 200 : fault.code().status(), charge);
  }

  // The client is gone

  @Override
  public void clientLeft(ClientExit exit) {
    if (phase == Phase.ENDED || clientExit != null) {
      return;
    }
    clientExit = exit;
    keepalive.stop();
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
    Ending ending = clientExit == null ? Ending.CLIENT_ABORT : Ending.of(clientExit);
    finish(ending, null, opened ? 200 : 0, chargeOfBrokenStream());
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
      case RELAYING, SETTLING -> Charge.of(call, chat());
    };
  }

  // The way out

  private void finish(Ending ending, @Nullable ErrorCode code, int status, Charge charge) {
    become(Phase.ENDED);
    keepalive.stop();
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
    if (openStream != null) {
      openStream.end();
      openStream = null;
    }
    request.body().end();
    context.observer().ended(record(ending, code, status, charge));
  }

  private RequestRecord record(Ending ending, @Nullable ErrorCode code, int status, Charge charge) {
    return new RequestRecord(
        request.id(),
        timeline.total(now()),
        request.clientAddress(),
        request.endpoint().method(),
        request.endpoint().path(),
        status,
        ending,
        code,
        request.key(),
        new RequestRecord.Served(
            call.model().id(),
            call.request().isStream(),
            candidate.id(),
            tries.records(),
            charge.usage(),
            charge.cost(),
            timeline.firstToken(),
            timeline.upstream(now()),
            timeline.overhead(now()),
            timeline.phases()),
        request.body().length(),
        bytesSent);
  }

  private List<Field> fields(MicroUsd cost) {
    return ReplyFields.of(
        call.model().id(),
        plan,
        candidate,
        cost,
        committedEarly,
        timeline.overhead(now()),
        timeline.upstream(now()));
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
    timer = downstream.loop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
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
