package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.AcquisitionResult;
import dev.tollgate.core.upstream.Lease;
import dev.tollgate.core.upstream.UpstreamListener;
import dev.tollgate.core.upstream.UpstreamPool;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sender of one attempt's request: leases a connection, sends the request over it, and sends it
 * once more if a pooled connection had been closed unnoticed. Ended exactly once. Loop-confined.
 */
final class Dispatch {
  /**
   * Longest time from the write to the failure of a connection that had been closed before: it
   * takes a round trip. Later, the provider may have worked on the request.
   */
  static final Duration RESEND_WITHIN = Duration.ofMillis(200);

  private final UpstreamPool pool;
  private final Provider provider;
  private final boolean fresh;
  private final Consumer<Consumer<EncodedRequest>> request;
  private final RequestLoop loop;
  private final Listener listener;
  private @Nullable Acquisition acquisition;
  private @Nullable Lease lease;
  private long sentNanos;
  private int sent;
  private boolean resending;
  private boolean ended;

  /** Listener of the provider's reply, and of the failure to deliver the request. */
  interface Listener extends UpstreamListener {
    void sent();

    /** The request cannot be delivered. */
    void fail(UpstreamFailure failure);
  }

  /**
   * @param fresh true if a new connection is needed: a pooled one may be dead, and the request is
   *     not sent a second time
   * @param request makes the request, once for each time that it is sent, and passes it on, now or
   *     later, unless it cannot be made
   */
  Dispatch(
      UpstreamPool pool,
      Provider provider,
      boolean fresh,
      Consumer<Consumer<EncodedRequest>> request,
      RequestLoop loop,
      Listener listener) {
    this.pool = pool;
    this.provider = provider;
    this.fresh = fresh;
    this.request = request;
    this.loop = loop;
    this.listener = listener;
  }

  void start() {
    loop.check();
    Acquisition first = acquire(fresh);
    if (!resending) { // else the resend began before acquire() returned
      acquisition = first;
    }
  }

  private Acquisition acquire(boolean onlyFresh) {
    return pool.acquire(provider, onlyFresh, loop.guarded(this::acquired));
  }

  private void acquired(AcquisitionResult acquired) {
    if (ended) {
      if (acquired instanceof AcquisitionResult.Leased leased) {
        leased.lease().end(); // it has no user
      }
      return;
    }
    switch (acquired) {
      case AcquisitionResult.Leased leased -> send(leased.lease());
      case AcquisitionResult.Unreachable unreachable ->
          listener.fail(UpstreamFailure.of(Kind.UNREACHABLE, unreachable.reason()));
      case AcquisitionResult.TimedOut timedOut ->
          listener.fail(UpstreamFailure.connectTimeout(timedOut.reason()));
      case AcquisitionResult.PoolFull _ ->
          listener.fail(
              UpstreamFailure.of(Kind.POOL_FULL, "all connections to the provider are in use"));
    }
  }

  private void send(Lease acquired) {
    lease = acquired;
    request.accept(
        encoded ->
            encoded.whenReady(
                () -> lease == acquired, // else cancelled while the body was made or hashed
                () -> loop.run(() -> send(acquired, encoded))));
  }

  private void send(Lease acquired, EncodedRequest encoded) {
    sentNanos = loop.now();
    sent++;
    acquired.send(encoded.bytes(), new GuardedUpstreamListener(listener, loop));
    if (lease == acquired) { // else the connection failed at once
      listener.sent();
      read();
    }
  }

  /** Requests one read. */
  void read() {
    if (lease != null) {
      lease.read();
    }
  }

  /**
   * Sends the request once more on a new connection, if the old one may have been dead before the
   * request was written, and no byte of a reply came. Returns false if not.
   */
  boolean resend() {
    Lease stale = lease;
    boolean late = loop.now() - sentNanos > RESEND_WITHIN.toNanos();
    if (stale == null || !stale.isReused() || late || resending) {
      return false;
    }
    resending = true;
    lease = null;
    stale.end();
    acquisition = acquire(true);
    return true;
  }

  /** Returns how often the request was sent again. */
  int resent() {
    return Math.max(0, sent - 1);
  }

  /** True if bytes arrived behind the reply. */
  boolean hasUnsolicitedBytes() {
    return lease != null && lease.hasUnsolicitedBytes();
  }

  /** Gives the connection back after a complete reply; an untrusted one is closed. */
  void finish(boolean trusted) {
    ended = true;
    Lease current = lease;
    lease = null;
    if (current != null) {
      if (!trusted) {
        current.poison();
      }
      current.finish();
    }
  }

  /** Cancels the acquisition, or closes the connection. */
  void cancel() {
    ended = true;
    if (acquisition != null) {
      acquisition.cancel();
    }
    Lease current = lease;
    lease = null;
    if (current != null) {
      current.end();
    }
  }
}
