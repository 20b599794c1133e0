package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.Dialect;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatReply;
import dev.tollgate.core.http.ResponseHead;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.upstream.Acquired;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.Breakage;
import dev.tollgate.core.upstream.Lease;
import dev.tollgate.core.upstream.UpstreamListener;
import dev.tollgate.core.upstream.UpstreamPool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One try at one provider: from the wish for a connection to the end of its reply. It knows the
 * clocks and the wire; what a result means for the client is the exchange's business. It reports
 * exactly one of {@code plain}, {@code completed} and {@code failed}, or nothing after {@link
 * #cancel}. Loop-confined.
 */
final class Attempt implements UpstreamListener {
  private static final int HELD_BYTES_FREE = 64 * 1024;
  // The provider finished; it may still owe the usage chunk (DECISIONS 3).
  private static final Duration USAGE_MAX = Duration.ofSeconds(5);

  private final Candidate candidate;
  private final Dialect dialect;
  private final ChatCall call;
  private final UpstreamPool pool;
  private final ByteBufAllocator allocator;
  private final InflightBytes inflight;
  private final Listener listener;
  private final AttemptClock clock;
  private final long startedNanos;
  private @Nullable Acquisition acquisition;
  private @Nullable Lease lease;
  private @Nullable StreamReader stream;
  private @Nullable Collector collector;
  private InflightBytes.@Nullable Permit eventPermit;
  private @Nullable ResponseHead head;
  private boolean retriedStale;
  private boolean paused;
  private boolean finishClock;
  private boolean over;
  private long eventSince = -1;

  /** What an attempt reports, each on the loop. */
  interface Listener {
    /** The request is on its way. */
    void sent();

    /** The next bytes for the client; the first ones are the first usable event. Owned. */
    void content(ByteBuf events);

    /** Whether the attempt shall read on; where not, {@link Attempt#resume} is called later. */
    boolean wantsMore();

    /** The stream is complete; its usage is in {@link Attempt#stream}. */
    void completed();

    /** The whole reply of a plain request. */
    void plain(ChatReply reply);

    void failed(UpstreamFailure failure);
  }

  Attempt(
      Candidate candidate,
      ChatCall call,
      UpstreamPool pool,
      EventLoop loop,
      ByteBufAllocator allocator,
      InflightBytes inflight,
      Listener listener) {
    this.candidate = candidate;
    this.dialect = Dialect.named(candidate.provider().dialect());
    this.call = call;
    this.pool = pool;
    this.allocator = allocator;
    this.inflight = inflight;
    this.listener = listener;
    Duration total = call.request().isStream() ? null : clocks().total();
    this.clock = new AttemptClock(loop, total, this::expired);
    this.startedNanos = clock.now();
  }

  private Provider.Clocks clocks() {
    return candidate.provider().clocks();
  }

  Candidate candidate() {
    return candidate;
  }

  long startedNanos() {
    return startedNanos;
  }

  /** The provider's status, or 0. */
  int status() {
    return head == null ? 0 : head.status();
  }

  void start() {
    acquire(false);
  }

  private void acquire(boolean fresh) {
    acquisition = pool.acquire(candidate.provider(), fresh, this::acquired);
  }

  private void acquired(Acquired acquired) {
    if (over) {
      if (acquired instanceof Acquired.Leased late) {
        late.lease().end();
      }
      return;
    }
    switch (acquired) {
      case Acquired.Leased leased -> send(leased.lease());
      case Acquired.Unreachable unreachable ->
          fail(UpstreamFailure.of(Kind.UNREACHABLE, unreachable.reason()));
      case Acquired.TimedOut _ ->
          fail(UpstreamFailure.of(Kind.TIMED_OUT, "no connection within the connect timeout"));
      case Acquired.PoolFull _ ->
          fail(UpstreamFailure.of(Kind.POOL_FULL, "all connections to the provider are in use"));
    }
  }

  private void send(Lease acquired) {
    lease = acquired;
    boolean streamed = call.request().isStream();
    acquired.send(
        UpstreamCall.encode(
            allocator,
            candidate.provider(),
            Operation.CHAT,
            streamed,
            call.request().bodyFor(candidate.route())),
        this);
    if (!over) {
      clock.runFor(clocks().responseHeader());
      listener.sent();
      acquired.read();
    }
  }

  @Override
  public void head(ResponseHead received) {
    head = received;
    switch (ReplyKind.of(received, call.request().isStream(), candidate.provider())) {
      case ReplyKind.Stream _ -> {
        stream =
            new StreamReader(
                call.stream(candidate.id()), candidate.provider().eventBytesMax(), allocator);
        clock.runFor(clocks().firstToken());
      }
      case ReplyKind.Whole whole -> collect(whole.bytesMax());
      case ReplyKind.Refused refused ->
          fail(UpstreamFailure.of(Kind.UNEXPECTED_REPLY, refused.reason()));
    }
  }

  private void collect(int bytesMax) {
    inflight.tryAcquire(0).ifPresent(permit -> collector = new Collector(bytesMax, permit));
    clock.runFor(clocks().idle());
  }

  @Override
  public void body(ByteBuf bytes) {
    try {
      if (over) {
        return;
      }
      if (stream != null) {
        stream.feed(bytes);
      } else if (collector != null) {
        took(collector.take(bytes));
      }
    } finally {
      bytes.release();
    }
  }

  private void took(Collector.Taken taken) {
    switch (taken) {
      case ALL -> {}
      case TOO_LARGE -> {
        if (isPlainSuccess()) {
          fail(UpstreamFailure.of(Kind.MALFORMED, "the reply is larger than max_event_bytes"));
        } else {
          bodyEnd();
        }
      }
      case NO_ROOM ->
          fail(UpstreamFailure.of(Kind.OVERLOADED, "no room for the reply in max_inflight_bytes"));
    }
  }

  private boolean isPlainSuccess() {
    return status() == 200 && !call.request().isStream();
  }

  @Override
  public void readComplete() {
    if (over) {
      return;
    }
    if (stream != null && !relay(stream)) {
      return;
    }
    if (stream == null && collector != null) {
      clock.runFor(clocks().idle());
    }
    readOn();
  }

  private void readOn() {
    if (over || lease == null) {
      return;
    }
    if (listener.wantsMore()) {
      lease.read();
    } else {
      paused = true;
      clock.stop();
    }
  }

  /** The client is writable again. */
  void resume() {
    if (paused && !over && lease != null) {
      paused = false;
      eventSince = -1;
      if (stream != null) {
        runStreamClock(stream);
      }
      lease.read();
    }
  }

  /** Hands on what a read brought; false where that ended the attempt. */
  private boolean relay(StreamReader reader) {
    ByteBuf events = reader.takeOutput();
    if (events != null) {
      listener.content(events);
    }
    if (over) {
      return false;
    }
    if (reader.state() != StreamReader.State.OPEN) {
      conclude(reader);
      return false;
    }
    if (!account(reader.heldBytes())) {
      fail(afterContent(Kind.OVERLOADED, "no room for an event in max_inflight_bytes"));
      return false;
    }
    runStreamClock(reader);
    return true;
  }

  /** Partial events count against the process-wide budget once they are more than a read. */
  private boolean account(int heldBytes) {
    if (eventPermit == null && heldBytes <= HELD_BYTES_FREE) {
      return true;
    }
    if (eventPermit == null) {
      eventPermit = inflight.tryAcquire(heldBytes).orElse(null);
      return eventPermit != null;
    }
    return eventPermit.resize(heldBytes);
  }

  private void runStreamClock(StreamReader reader) {
    if (reader.chat().finished()) {
      if (!finishClock) {
        finishClock = true;
        clock.runFor(USAGE_MAX);
      }
      return;
    }
    if (!reader.chat().contentSeen()) {
      return;
    }
    long now = clock.now();
    eventSince = !reader.midEvent() ? -1 : eventSince < 0 ? now : eventSince;
    long idle = clocks().idle().toNanos();
    clock.runUntil(eventSince < 0 ? now + idle : Math.min(now + idle, eventSince + 2 * idle));
  }

  @Override
  public void bodyEnd() {
    if (over) {
      return;
    }
    if (stream != null) {
      stream.end();
      ByteBuf events = stream.takeOutput();
      if (events != null) {
        listener.content(events);
      }
      if (!over) {
        conclude(stream);
      }
    } else {
      concludeCollected();
    }
  }

  private void conclude(StreamReader reader) {
    UpstreamFailure failure = StreamVerdict.failure(reader, dialect, status());
    if (failure == null) {
      complete();
    } else {
      fail(failure);
    }
  }

  private UpstreamFailure afterContent(Kind before, String message) {
    boolean delivered = stream != null && stream.chat().contentSeen();
    return UpstreamFailure.of(delivered ? Kind.INTERRUPTED : before, message);
  }

  private void concludeCollected() {
    Collector body = collector;
    if (body == null || head == null) {
      fail(UpstreamFailure.of(Kind.OVERLOADED, "no room for the reply in max_inflight_bytes"));
      return;
    }
    if (head.status() != 200) {
      fail(dialect.failure(head.status(), head.headers(), body.bytes(), body.length()));
    } else if (call.request().isStream()) {
      fail(dialect.failureInside(body.bytes(), 0, body.length()));
    } else {
      concludePlain(body);
    }
  }

  private void concludePlain(Collector body) {
    switch (call.reply(candidate.id(), body.bytes(), body.length())) {
      case ChatReply.Read.Fine fine -> {
        over = true;
        listener.plain(fine.reply());
        release(true);
      }
      case ChatReply.Read.ErrorObject _ ->
          fail(dialect.failureInside(body.bytes(), 0, body.length()));
      case ChatReply.Read.Malformed bad -> fail(UpstreamFailure.of(Kind.MALFORMED, bad.reason()));
    }
  }

  @Override
  public void broken(Breakage breakage) {
    if (over) {
      return;
    }
    if (stream != null && stream.chat().finished()) {
      complete();
      return;
    }
    switch (breakage) {
      case Breakage.Reset reset -> reset(reset.responseBegan());
      case Breakage.Closed closed -> closed(closed.responseBegan());
      case Breakage.Malformed bad -> fail(afterContent(Kind.UNEXPECTED_REPLY, bad.reason()));
    }
  }

  private void reset(boolean responseBegan) {
    if (responseBegan) {
      fail(afterContent(Kind.DISCONNECTED, "the provider reset the connection"));
    } else if (!retryStale()) {
      fail(UpstreamFailure.of(Kind.UNREACHABLE, "the provider reset the connection"));
    }
  }

  private void closed(boolean responseBegan) {
    if (responseBegan && stream != null) {
      bodyEnd();
    } else if (responseBegan || !retryStale()) {
      fail(UpstreamFailure.of(Kind.DISCONNECTED, "the provider closed the connection"));
    }
  }

  /** A pooled connection may have died unnoticed: once more on a fresh one, uncounted. */
  private boolean retryStale() {
    Lease stale = lease;
    if (stale == null || !stale.isReused() || retriedStale) {
      return false;
    }
    retriedStale = true;
    stale.end();
    lease = null;
    clock.stop();
    acquire(true);
    return true;
  }

  private void expired() {
    if (over) {
      return;
    }
    if (stream != null && stream.chat().finished()) {
      complete();
    } else {
      fail(afterContent(Kind.TIMED_OUT, "the provider did not answer in time"));
    }
  }

  private void complete() {
    over = true;
    listener.completed();
    release(true);
  }

  private void fail(UpstreamFailure failure) {
    over = true;
    listener.failed(failure);
    release(false);
  }

  /** Gives the attempt up: the connection is closed, nothing is reported. */
  void cancel() {
    if (!over) {
      over = true;
      release(false);
    }
  }

  /** The stream's state, where one began. */
  @Nullable StreamReader stream() {
    return stream;
  }

  private void release(boolean replyComplete) {
    clock.close();
    if (acquisition != null) {
      acquisition.cancel();
    }
    if (lease != null) {
      if (replyComplete) {
        lease.finish();
      } else {
        lease.end();
      }
      lease = null;
    }
    if (stream != null) {
      stream.release();
    }
    if (collector != null) {
      collector.end();
      collector = null;
    }
    if (eventPermit != null) {
      eventPermit.end();
      eventPermit = null;
    }
  }
}
