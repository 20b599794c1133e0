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
import dev.tollgate.core.exchange.frame.Downstream;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.upstream.ConnectionFailure;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One try at one provider: from the wish for a connection to the end of its reply. It knows the
 * clocks and the wire; what a result means for the client is the exchange's business.
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
  private final AttemptListener listener;
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
      RequestLoop loop,
      long deadlineNanos,
      AttemptListener listener) {
    this.placement = placement;
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
    this.timeouts = new AttemptTimeouts(candidate.provider(), call.request());
    this.clock = new AttemptClock(loop, deadlineNanos, this::expired);
    this.headWait = new HeadWait(clock, timeouts, deadlineNanos);
    this.dispatch =
        new Dispatch(
            context.providers().upstreams().on(loop.eventLoop()),
            candidate.provider(),
            !call.request().mayBeRepeated(),
            this::request,
            loop,
            this);
    this.startedNanos = clock.now();
  }

  private void written() {
    call.request().releaseBody();
    listener.written();
  }

  InferenceCall call() {
    return call;
  }

  long startedNanos() {
    return startedNanos;
  }

  /** The provider's status, or 0. */
  int status() {
    return head == null ? 0 : head.status();
  }

  /** What of the request the provider did not get. */
  List<String> unsent() {
    return unsent;
  }

  /** What comes of it is told there. */
  Placement placement() {
    return placement;
  }

  /** Whether its provider may have got any of the request. */
  boolean isWritten() {
    return written;
  }

  /** How the stream's beginning was dealt with. */
  StreamContinuation opening() {
    return call.continuation();
  }

  /** Whether the last report was made, or none will follow. */
  boolean isEnded() {
    return ended;
  }

  /** Whether silence ends it as the provider's failure, and not as the request's own haste. */
  boolean isTimeoutProviderFault() {
    return (head != null || headWait.endsBeforeTotal()) && clock.isAheadOfTotal();
  }

  /** What is odd about the reply so far, though no failure. */
  Set<ProtocolAnomaly> anomalies() {
    Set<ProtocolAnomaly> ofStream = stream == null ? Set.of() : stream.anomalies();
    return dispatch.hasUnsolicitedBytes()
        ? ProtocolAnomaly.UNSOLICITED_BYTES.and(ofStream)
        : ofStream;
  }

  /** The stream's state, where one began. */
  @Nullable FlowReader stream() {
    return stream;
  }

  // The way there

  void start() {
    clock.start();
    if (credential != null && secret == null) {
      fail(Kind.UNREACHABLE, "there is no access token");
    } else {
      dispatch.start();
    }
  }

  private Optional<EncodedRequest> request() {
    if (!replyBudget.tryReserve()) {
      return Optional.empty();
    }
    Optional<EncodedRequest> encoded = wire.encode(dropped -> unsent = dropped);
    written |= encoded.isPresent();
    return encoded;
  }

  @Override
  public void sent() {
    headWait.start();
    listener.sent();
  }

  private void headCheckDue() {
    if (placement.isUnresponsive(call.request().isStream(), clock.now())
        && listener.hasAlternative()) {
      failNow(Kind.TIMED_OUT, "the provider answers nobody");
    } else {
      headWait.resume();
    }
  }

  @Override
  public void undeliverable(Kind kind, String reason) {
    fail(kind, reason);
  }

  // The reply

  @Override
  public void head(ResponseHead received) {
    if (ended) {
      return;
    }
    head = received;
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

  /** The content type that the provider gave its reply; empty where it gave none. */
  public String contentType() {
    return head == null ? "" : ReplyKind.contentType(head);
  }

  private void collect(int bytesMax, ResponseHead received) {
    collector = replyBudget.collector(bytesMax, isPlainSuccess(), received.body());
    // Nobody needs the rest of an error badly: its body has one deadline, which no byte moves.
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

  /**
   * What cannot be read to its end fails; an error is judged by its status: cut JSON says nothing.
   */
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

  /** Hands on what a read brought. */
  private void relay(FlowReader reader) {
    forwardOutput(reader);
    if (ended) {
      return;
    }
    if (reader.isEnded()) {
      conclude(reader);
    } else if (!partialEvents.tryResize(reader.heldBytes())) {
      failNow(Kind.OVERLOADED, "no room for an event in max_inflight_bytes");
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

  /** The client is writable again. */
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

  // Its end

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
      case CollectedReply.Fine fine -> {
        ended = true;
        try {
          listener.plain(this, fine.reply());
        } finally {
          dispatch.finish(true);
          release();
        }
      }
    }
  }

  /** What the reply was read from, which outlives the attempt; whoever takes it ends it. */
  public BodyCollector detachCollector() {
    BodyCollector detached = requireNonNull(collector);
    collector = null;
    return detached;
  }

  /** What goes out last, which takes over what it was made of holds of the budget. */
  public ByteBuf counted(ByteBuf body) {
    return collector == null ? partialEvents.transferPermit(body) : collector.transferPermit(body);
  }

  @Override
  public void connectionFailed(ConnectionFailure connectionFailure) {
    if (ended) {
      return;
    }
    if (stream != null) {
      forwardOutput(stream); // what came ahead of it in the same read
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
    switch (connectionFailure) {
      case ConnectionFailure.Reset reset -> reset(reset.responseBegan());
      case ConnectionFailure.Closed closed -> closed(closed.responseBegan());
      case ConnectionFailure.Malformed bad -> failNow(Kind.UNEXPECTED_REPLY, bad.reason());
    }
  }

  private void reset(boolean responseBegan) {
    if (responseBegan) {
      failNow(Kind.DISCONNECTED, "the provider reset the connection");
    } else if (!retryStale()) {
      fail(Kind.UNREACHABLE, "the provider reset the connection");
    }
  }

  private void closed(boolean responseBegan) {
    if (responseBegan && stream != null && stream.endsWithConnection()) {
      endStream(stream);
    } else if (responseBegan || !retryStale()) {
      fail(Kind.DISCONNECTED, "the provider closed the connection");
    }
  }

  private boolean retryStale() {
    clock.stop();
    return dispatch.retryStale();
  }

  private void expired() {
    if (!ended && stream != null) {
      forwardOutput(stream); // what was taken note of as delivered must be
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
      failNow(Kind.TIMED_OUT, "the provider did not answer in time");
    }
  }

  private void complete() {
    ended = true;
    try {
      listener.completed(this);
    } finally {
      dispatch.finish(stream != null && !stream.hasUnsolicitedBytes());
      release();
    }
  }

  private void fail(Kind kind, String message) {
    fail(UpstreamFailure.of(kind, message));
  }

  private void fail(UpstreamFailure failure) {
    ended = true;
    release(); // first, so that the next try finds the place free
    listener.failed(this, failure);
  }

  /** Gives the attempt up: the connection is closed, nothing is reported. */
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

  private void failNow(Kind kind, String message) {
    UpstreamFailure failure = UpstreamFailure.of(kind, message);
    fail(stream != null && stream.reply().contentSeen() ? failure.asInterruption(0) : failure);
  }

  private boolean isPlainSuccess() {
    return status() == 200 && call.request().mayBeAnsweredWhole();
  }

  /** An error's status says enough, whatever becomes of its body. */
  private boolean isCollectingError() {
    return collector != null && status() != 200;
  }
}
