package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider.OnDisconnect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatReply;
import dev.tollgate.core.endpoint.ChatStream;
import dev.tollgate.core.exchange.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.RequestService.ClientExit;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.NextTry;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The life of one chat request, from its admitted body to its record: the state machine of {@link
 * Phase}. It holds the policy (which provider, what the client gets, what it costs) and touches no
 * bytes. Everything happens on the client channel's loop, and {@link #finish} is the only way out.
 */
final class Exchange implements RequestService.Running, Attempt.Listener {
  private static final Duration SETTLING_MAX = Duration.ofSeconds(5);

  private final ExchangeContext context;
  private final ExchangeRequest request;
  private final Downstream downstream;
  private final ChatCall call;
  private final RoutePlan plan;
  private final MicroUsd estimate;
  private final Timeline timeline;
  private final Keepalive keepalive;
  private final List<AttemptRecord> attempts = new ArrayList<>(1);
  private final List<NextTry.Failed> failures = new ArrayList<>(1);
  private Phase phase = Phase.ADMITTED;
  private Candidate candidate;
  private @Nullable Attempt attempt;
  private @Nullable ScheduledFuture<?> waiting;
  private @Nullable ClientExit clientExit;
  private DrainQuota.@Nullable Place drain;
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
    this.candidate = plan.candidates().getFirst();
    this.estimate = call.request().estimate(call.model());
    this.timeline = new Timeline(request.admittedNanos());
    this.keepalive = new Keepalive(downstream.loop(), this::clientWaits);
  }

  /** Routes the request; the reply goes to the downstream. */
  void begin() {
    timeline.entered(Phase.ADMITTED, now());
    if (call.request().isStream()) {
      keepalive.start(context.options().commitAfter(), request.admittedNanos());
    }
    tryCandidate(candidate);
  }

  private void tryCandidate(Candidate next) {
    become(Phase.CONNECTING);
    waiting = null;
    candidate = next;
    timeline.upstreamBegins(now());
    var trying =
        new Attempt(
            next,
            call,
            context.upstreams().on(downstream.loop()),
            downstream.loop(),
            downstream.allocator(),
            context.inflight(),
            this);
    attempt = trying;
    trying.start();
  }

  @Override
  public void sent() {
    become(Phase.WAITING);
  }

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
      drain = context.drains().opened(candidate.provider());
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
      downstream.send(new Reply.Opened(fields(estimate)));
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
    if (phase == Phase.SETTLING || !downstream.isWritable()) {
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

  @Override
  public void completed() {
    ChatStream chat = chat();
    attempted("ok");
    Usage usage = usage(chat);
    MicroUsd cost = cost(usage);
    if (clientExit == null) {
      open();
      ByteBuf last = downstream.allocator().buffer(512);
      if (!chat.finished()) {
        chat.writeMissingFinish(last);
      }
      chat.writeUsage(usage, cost, last);
      SseOut.done(last);
      send(last);
      downstream.send(new Reply.Ended());
      downstream.flush();
    }
    finish(served(usage), null, 200, usage, cost);
  }

  @Override
  public void plain(ChatReply reply) {
    attempted("ok");
    timeline.answered(now());
    Usage usage = reply.reportedUsage().orElseGet(() -> estimated(reply.deliveredTokens()));
    MicroUsd cost = cost(usage);
    ByteBuf body = downstream.allocator().buffer(1024);
    reply.writeTo(usage, cost, body);
    bytesSent += body.readableBytes();
    downstream.send(new Reply.Whole(200, "application/json", fields(cost), body));
    downstream.flush();
    finish(served(usage), null, 200, usage, cost);
  }

  private Ending served(Usage usage) {
    if (clientExit != null) {
      return left(clientExit);
    }
    return usage.estimated() ? Ending.OK_ESTIMATED : Ending.OK;
  }

  private static Ending left(ClientExit exit) {
    return switch (exit) {
      case ABORTED -> Ending.CLIENT_ABORT;
      case STALLED -> Ending.CLIENT_STALLED;
    };
  }

  @Override
  public void failed(UpstreamFailure failure) {
    attempted(failure.kind().name().toLowerCase(Locale.ROOT));
    failures.add(new NextTry.Failed(candidate, failure));
    if (phase == Phase.SETTLING) {
      settleAbandoned();
      return;
    }
    if (phase == Phase.RELAYING) {
      giveUp(failure);
      return;
    }
    switch (NextTry.after(plan, failures, ThreadLocalRandom.current())) {
      case NextTry.Try next -> tryLater(next);
      case NextTry.GiveUp _ -> giveUp(failure);
    }
  }

  private void tryLater(NextTry.Try next) {
    if (next.delay().isZero()) {
      tryCandidate(next.candidate());
      return;
    }
    become(Phase.CONNECTING);
    waiting =
        downstream
            .loop()
            .schedule(
                () -> tryCandidate(next.candidate()), next.delay().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void giveUp(UpstreamFailure failure) {
    end(FaultOf.failure(failure, candidate.id(), attempts), FaultOf.ending(failure));
  }

  @Override
  public void cutShort(Fault fault) {
    cancelAttempt();
    end(fault, Ending.DRAINED);
  }

  /** Ends with a fault: as the reply, or in an opened stream behind its usage (DECISIONS 2). */
  private void end(Fault fault, Ending ending) {
    Usage usage = usageOfBrokenStream();
    MicroUsd cost = cost(usage);
    timeline.answered(now());
    if (clientExit == null) {
      if (opened) {
        ByteBuf last = downstream.allocator().buffer(512);
        lastStream().writeUsage(usage, cost, last);
        send(last);
      }
      downstream.send(new Reply.Refused(fault, fields(cost)));
      downstream.flush();
    }
    finish(ending, fault.code(), opened ? 200 : fault.code().status(), usage, cost);
  }

  @Override
  public void clientLeft(ClientExit exit) {
    if (phase == Phase.ENDED || clientExit != null) {
      return;
    }
    clientExit = exit;
    keepalive.stop();
    if (phase == Phase.RELAYING && mayReadOn()) {
      become(Phase.SETTLING);
      if (attempt != null) {
        attempt.resume();
      }
      return;
    }
    cancelAttempt();
    settleAbandoned();
  }

  /** Whether the provider is heard out although the client is gone (DECISIONS 3). */
  private boolean mayReadOn() {
    Duration time = SETTLING_MAX;
    if (!chat().finished()) {
      switch (candidate.provider().onDisconnect()) {
        case OnDisconnect.Cancel _ -> {
          return false;
        }
        case OnDisconnect.Drain policy -> {
          if (drain == null || !drain.tryDrain(policy.share())) {
            return false;
          }
          time = policy.time();
        }
      }
    }
    waiting =
        downstream.loop().schedule(this::settlingTooLong, time.toNanos(), TimeUnit.NANOSECONDS);
    return true;
  }

  private void settlingTooLong() {
    waiting = null;
    cancelAttempt();
    settleAbandoned();
  }

  private void settleAbandoned() {
    Usage usage = usageOfBrokenStream();
    ClientExit exit = clientExit;
    finish(
        exit == null ? Ending.CLIENT_ABORT : left(exit),
        null,
        opened ? 200 : 0,
        usage,
        cost(usage));
  }

  private void cancelAttempt() {
    if (attempt != null && phase != Phase.CONNECTING) {
      attempted("cancelled");
    }
    if (attempt != null) {
      attempt.cancel();
    }
  }

  private void attempted(String outcome) {
    timeline.upstreamEnds(now());
    if (attempt != null) {
      attempts.add(
          new AttemptRecord(
              candidate.id(),
              outcome,
              attempt.status(),
              Duration.ofNanos(now() - attempt.startedNanos())));
    }
  }

  private ChatStream chat() {
    StreamReader stream = attempt == null ? null : attempt.stream();
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

  private Usage usage(ChatStream chat) {
    return chat.reportedUsage().orElseGet(() -> estimated(chat.deliveredTokens()));
  }

  /** What was delivered is charged; before the first content that is nothing. */
  private Usage usageOfBrokenStream() {
    if (phase != Phase.RELAYING && phase != Phase.SETTLING) {
      return Usage.estimate(0, 0);
    }
    return usage(chat());
  }

  private Usage estimated(long deliveredTokens) {
    return Usage.estimate(call.request().promptTokensLikely(), deliveredTokens);
  }

  private MicroUsd cost(Usage usage) {
    boolean nothing = usage.totalTokens() == 0;
    return nothing ? MicroUsd.ZERO : Cost.ofTokens(usage, call.model().prices());
  }

  private List<Field> fields(MicroUsd cost) {
    return ReplyFields.of(
        call.model().id(),
        plan,
        candidate,
        cost,
        committedEarly,
        timeline.overhead(now()),
        timeline.upstream());
  }

  private void finish(
      Ending ending, @Nullable ErrorCode code, int status, Usage usage, MicroUsd cost) {
    become(Phase.ENDED);
    keepalive.stop();
    if (waiting != null) {
      waiting.cancel(false);
      waiting = null;
    }
    if (drain != null) {
      drain.end();
      drain = null;
    }
    request.body().end();
    context.observer().ended(record(ending, code, status, usage, cost));
  }

  private RequestRecord record(
      Ending ending, @Nullable ErrorCode code, int status, Usage usage, MicroUsd cost) {
    Model model = call.model();
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
            model.id(),
            call.request().isStream(),
            candidate.id(),
            List.copyOf(attempts),
            usage,
            cost,
            timeline.firstToken(),
            timeline.upstream(),
            timeline.overhead(now()),
            timeline.phases()),
        request.body().length(),
        bytesSent);
  }

  private void become(Phase next) {
    assert downstream.loop().inEventLoop();
    if (!phase.next().contains(next)) {
      throw new IllegalStateException(phase + " does not lead to " + next);
    }
    phase = next;
    timeline.entered(next, now());
  }

  private long now() {
    return downstream.loop().ticker().nanoTime();
  }
}
