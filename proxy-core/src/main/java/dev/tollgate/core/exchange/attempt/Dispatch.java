package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.AcquisitionResult;
import dev.tollgate.core.upstream.Lease;
import dev.tollgate.core.upstream.UpstreamListener;
import dev.tollgate.core.upstream.UpstreamPool;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sender of one attempt's request: leases a connection, sends the request over it, and repeats that
 * once if a pooled connection had been closed unnoticed. Ended exactly once. Loop-confined.
 */
final class Dispatch {
  private final UpstreamPool pool;
  private final Provider provider;
  private final boolean fresh;
  private final Consumer<Consumer<EncodedRequest>> request;
  private final RequestLoop loop;
  private final Listener listener;
  private @Nullable Acquisition acquisition;
  private @Nullable Lease lease;
  private boolean retriedStale;
  private boolean ended;

  /** Listener of the provider's reply, and of the failure to deliver the request. */
  interface Listener extends UpstreamListener {
    void sent();

    /** The request cannot be delivered. */
    void fail(Kind kind, String reason);
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
    if (!retriedStale) { // else the retry began before acquire() returned
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
          listener.fail(Kind.UNREACHABLE, unreachable.reason());
      case AcquisitionResult.TimedOut _ ->
          listener.fail(Kind.TIMED_OUT, "no connection within the connect timeout");
      case AcquisitionResult.PoolFull _ ->
          listener.fail(Kind.POOL_FULL, "all connections to the provider are in use");
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

  /** Sends the request once more if its connection may have been dead. Returns false if not. */
  boolean retryStale() {
    Lease stale = lease;
    if (stale == null || !stale.isReused() || retriedStale) {
      return false;
    }
    retriedStale = true;
    lease = null;
    stale.end();
    acquisition = acquire(true);
    return true;
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
