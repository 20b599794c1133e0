package dev.tollgate.core.exchange.attempt;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.exchange.frame.BodyWork;
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.upstream.ConnectionFailure;
import io.netty.buffer.ByteBuf;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a reply from one provider, from acquiring a connection to the end of the
 * reply. It handles timeouts and wire formats; the exchange decides what the client gets.
 * Loop-confined.
 */
public final class Attempt implements Dispatch.Listener {
  private final Placement placement;
  private final Candidate candidate;
  private final @Nullable Credential credential;
  private final @Nullable Secret secret;
  private final Dialect dialect;
  private final UpstreamRequestEncoder wire;
  private final InferenceCall call;
  private final Downstream downstream;
  private final BodyWork bodies;
  private final AttemptListener listener;
  private final InstantSource wall;
  private final AttemptTimeouts timeouts;
  private final AttemptClock clock;
  private final HeadWait headWait;
  private final Dispatch dispatch;
  private final StreamMemory partialEvents;
  private final ReplyBudget replyBudget;
  private final long startedNanos;
  private @Nullable ResponseHead head;
  private @Nullable FlowReader stream;
  private @Nullable StreamClock streamClock;
  private @Nullable BodyCollector collector;
  private List<String> unsent = List.of();
  private boolean written;
  private boolean paused;
  private boolean ended;

  Attempt(
      Placement placement,
      InferenceCall call,
      ExchangeContext context,
      Downstream downstream,
      BodyWork bodies,
      long deadlineNanos,
      AttemptListener listener) {
    this.placement = placement;
    this.bodies = bodies;
    this.candidate = placement.candidate();
    this.credential = placement.credential();
    this.secret = credential == null ? null : credential.effectiveSecret().orElse(null);
    this.dialect = Dialects.named(candidate.provider().dialect());
    this.wire =
        UpstreamRequestEncoder.of(candidate, secret, call, downstream, context, this::written);
    this.call = call;
    this.downstream = downstream;
    this.partialEvents = StreamMemory.ofEvent(context.inflight());
    this.replyBudget = ReplyBudget.of(call.request(), candidate, context.inflight());
    this.listener = listener;
    this.wall = context.providers().clock();
    this.timeouts = new AttemptTimeouts(candidate.provider(), call.request());
    this.clock = new AttemptClock(bodies.loop(), deadlineNanos, this::expired);
    this.headWait = new HeadWait(clock, timeouts, deadlineNanos);
    this.dispatch =
        new Dispatch(
            context.providers().upstreams().on(bodies.loop().eventLoop()),
            candidate.provider(),
            !call.request().mayBeRepeated(),
            this::encode,
            bodies.loop(),
            this);
    this.startedNanos = clock.now();
  }

  /**
   * Releases the body, unless the request came too late to be sent: another attempt may need it.
   */
  private void written() {
    if (written) {
      call.request().releaseBody();
      listener.written();
    }
  }

  InferenceCall call() {
    return call;
  }

  long startedNanos() {
    return startedNanos;
  }

  /** Returns the provider's status; 0 if none arrived. */
  int status() {
    return head == null ? 0 : head.status();
  }

  /** Returns the JSON paths of what the provider does not get as the client sent it. */
  List<String> unsent() {
    return unsent;
  }

  Placement placement() {
    return placement;
  }

  /** True if the provider may have received any of the request. */
  boolean isWritten() {
    return written;
  }

  /** Returns how often the request was sent again, because its connection had been dead. */
  int resent() {
    return dispatch.resent();
  }

  /** Returns how the attempt continues what was delivered. */
  StreamContinuation opening() {
    return call.continuation();
  }

  /** True if the last report was made, or none will follow. */
  boolean isEnded() {
    return ended;
  }

  /** True if the next timeout is the provider's, and not the request's own deadline. */
  boolean isTimeoutProviderFault() {
    return (head != null || headWait.endsBeforeTotal()) && clock.isAheadOfTotal();
  }

  /** Returns the deviations of the reply from the wire format so far. */
  Set<ProtocolAnomaly> anomalies() {
    Set<ProtocolAnomaly> ofStream = stream == null ? Set.of() : stream.anomalies();
    return dispatch.hasUnsolicitedBytes()
        ? ProtocolAnomaly.UNSOLICITED_BYTES.and(ofStream)
        : ofStream;
  }

  /** Returns the reader of the stream; null if none began. */
  @Nullable FlowReader stream() {
    return stream;
  }

  // Request

  void start() {
    clock.start();
    if (credential != null && secret == null) {
      fail(Kind.UNREACHABLE, "there is no access token");
    } else {
      dispatch.start();
    }
  }

  private void encode(Consumer<EncodedRequest> then) {
    wire.encode(replyBudget, bodies, one -> encoded(one, then), why -> fail(Kind.OVERLOADED, why));
  }

  private void encoded(EncodedRequest request, Consumer<EncodedRequest> then) {
    unsent = request.unsent();
    written |= !ended; // else it is dropped
    then.accept(request);
  }

  @Override
  public void sent() {
    headWait.start();
    listener.sent();
  }

  private void headCheckDue() {
    if (placement.isUnresponsive(call.request().isStream(), clock.now())
        && listener.hasAlternative()) {
      fail(Kind.TIMED_OUT, "the provider does not respond to any request");
    } else {
      headWait.resume();
    }
  }

  // Reply

  @Override
  public void head(ResponseHead received) {
    if (ended) {
      return;
    }
    head = received.status() == 200 ? received : received.dated(wall.instant());
    placement.answered(clock.now());
    switch (ReplyKind.of(received, call.request(), candidate.provider())) {
      case ReplyKind.Stream _ ->
          begin(StreamReader.of(call, candidate, dialect, downstream.allocator()));
      case ReplyKind.Bytes _ -> begin(new BytesReader(call.bytes(), downstream.allocator()));
      case ReplyKind.Whole whole -> collect(whole.bytesMax(), received);
      case ReplyKind.Refused refused -> fail(Kind.UNEXPECTED_REPLY, refused.reason());
    }
  }

  private void begin(FlowReader reader) {
    stream = reader;
    streamClock = new StreamClock(clock, timeouts.clocks());
  }

  /** Returns the content type of the reply; empty if it has none. */
  public String contentType() {
    return head == null ? "" : ReplyKind.contentType(head);
  }

  private void collect(int bytesMax, ResponseHead received) {
    collector = replyBudget.collector(bytesMax, isPlainSuccess(), received.body());
    // The body of an error is optional: it has one deadline, which bytes do not move.
    clock.runFor(isPlainSuccess() ? timeouts.untilPlainBody() : timeouts.idle());
  }

  @Override
  public void body(ByteBuf bytes) {
    try {
      if (ended) {
        return;
      }
      if (stream != null) {
        stream.feed(bytes);
      } else if (collector != null) {
        if (isPlainSuccess()) {
          clock.runFor(timeouts.idle());
        }
        collected(collector.take(bytes));
      }
    } finally {
      bytes.release();
    }
  }

  private void collected(BodyCollector.TakeResult taken) {
    switch (taken) {
      case ALL -> {}
      case TOO_LARGE ->
          concludeErrorOrFail(!isPlainSuccess(), ReplyBudget.exceeded(call.request()));
      case NO_ROOM -> concludeErrorOrFail(isCollectingError(), ReplyBudget.EXHAUSTED);
    }
  }

  /** Fails, unless the body is an error's: its status is enough without a complete body. */
  private void concludeErrorOrFail(boolean error, UpstreamFailure failure) {
    if (error) {
      concludeCollected();
    } else {
      fail(failure);
    }
  }

  @Override
  public void readComplete() {
    if (!ended && stream != null) {
      relay(stream);
    }
    if (ended) {
      return;
    }
    if (listener.wantsMore()) {
      dispatch.read();
    } else {
      paused = true;
      clock.pause();
    }
  }

  /** Forwards the output of a read, then checks for the end of the stream. */
  private void relay(FlowReader reader) {
    forwardOutput(reader);
    if (ended) {
      return;
    }
    if (reader.isEnded()) {
      conclude(reader);
    } else if (!partialEvents.tryResize(reader.heldBytes())) {
      fail(Kind.OVERLOADED, "no room for an event in max_inflight_bytes");
    } else if (streamClock != null) {
      streamClock.bytesReceived(reader);
    }
  }

  private void forwardOutput(FlowReader reader) {
    ByteBuf events = reader.takeOutput();
    if (events != null) {
      listener.content(this, events);
    }
  }

  /** Reads on, because the client is writable again. */
  public void resume() {
    if (paused && !ended) {
      paused = false;
      long pausedNanos = clock.resume();
      if (streamClock != null) {
        streamClock.paused(pausedNanos);
      }
      dispatch.read();
    }
  }

  // End

  @Override
  public void bodyEnd() {
    if (ended) {
      return;
    }
    if (stream != null) {
      endStream(stream);
    } else {
      concludeCollected();
    }
  }

  private void endStream(FlowReader reader) {
    reader.end();
    forwardOutput(reader);
    if (!ended) {
      conclude(reader);
    }
  }

  private void conclude(FlowReader reader) {
    UpstreamFailure failure = reader.failure(dialect, status());
    if (failure == null) {
      complete();
    } else {
      fail(failure);
    }
  }

  private void concludeCollected() {
    BodyCollector body = collector;
    if (body == null || head == null) {
      fail(ReplyBudget.EXHAUSTED);
      return;
    }
    body.complete();
    switch (CollectedReply.of(call, candidate.provider(), dialect, head, body)) {
      case CollectedReply.Failed failed -> fail(failed.failure());
      case CollectedReply.Fine fine -> succeed(() -> listener.plain(this, fine.reply()), true);
    }
  }

  /** Returns the bytes of the reply, which outlive the attempt; owned by the caller. */
  public BodyCollector detachCollector() {
    BodyCollector detached = requireNonNull(collector);
    collector = null;
    return detached;
  }

  /** Returns the final body with the permit of the bytes that it was made of. */
  public ByteBuf counted(ByteBuf body) {
    return collector == null ? partialEvents.transferPermit(body) : collector.transferPermit(body);
  }

  @Override
  public void connectionFailed(ConnectionFailure connectionFailure) {
    if (ended) {
      return;
    }
    if (stream != null) {
      forwardOutput(stream); // of the same read, ahead of the failure
      if (ended) {
        return;
      }
      if (stream.isEnded() || stream.reply().finished()) {
        conclude(stream);
        return;
      }
    }
    if (isCollectingError()) {
      concludeCollected();
      return;
    }
    clock.stop();
    switch (connectionFailure) {
      case ConnectionFailure.Reset reset -> reset(reset.responseBegan(), reset.reason());
      case ConnectionFailure.Closed closed -> closed(closed.responseBegan());
      case ConnectionFailure.Malformed bad -> fail(Kind.UNEXPECTED_REPLY, bad.reason());
    }
  }

  private void reset(boolean responseBegan, String reason) {
    if (responseBegan || !dispatch.resend()) {
      Kind kind = responseBegan ? Kind.DISCONNECTED : Kind.UNREACHABLE;
      fail(kind, reason);
    }
  }

  private void closed(boolean responseBegan) {
    if (responseBegan && stream != null && stream.endsWithConnection()) {
      endStream(stream);
    } else if (responseBegan || !dispatch.resend()) {
      fail(UpstreamFailure.of(Kind.DISCONNECTED, "the provider closed the connection"));
    }
  }

  private void expired() {
    if (!ended && stream != null) {
      forwardOutput(stream); // the counts include it already
    }
    if (ended) {
      return;
    }
    if (stream != null && stream.reply().finished()) {
      complete();
    } else if (head == null && headWait.isRunning()) {
      headCheckDue();
    } else if (isCollectingError()) {
      concludeCollected();
    } else {
      fail(Kind.TIMED_OUT, "the provider did not answer in time");
    }
  }

  private void complete() {
    boolean trusted = stream != null && !stream.hasUnsolicitedBytes();
    succeed(() -> listener.completed(this), trusted);
  }

  private void succeed(Runnable report, boolean trusted) {
    ended = true;
    try {
      report.run();
    } finally {
      dispatch.finish(trusted);
      release();
    }
  }

  @Override
  public void fail(UpstreamFailure failure) {
    ended = true;
    release(); // first, so that the next attempt finds the permits free
    listener.failed(this, wire.redacted(wire.attributed(failure)));
  }

  /** Cancels the attempt: closes the connection and reports nothing. */
  void cancel() {
    if (!ended) {
      ended = true;
      release();
    }
  }

  private void release() {
    clock.close();
    dispatch.cancel();
    if (stream != null) {
      stream.release();
    }
    if (collector != null) {
      collector.end();
      collector = null;
    }
    partialEvents.end();
    replyBudget.end();
  }

  private void fail(Kind kind, String reason) {
    if (!ended) {
      UpstreamFailure failure = UpstreamFailure.of(kind, reason);
      fail(stream != null && stream.reply().contentSeen() ? failure.asInterruption(0) : failure);
    }
  }

  private boolean isPlainSuccess() {
    return status() == 200 && call.request().mayBeAnsweredWhole();
  }

  /** True for an error, which is judged by its status even if its body is incomplete. */
  private boolean isCollectingError() {
    return collector != null && status() != 200;
  }
}
