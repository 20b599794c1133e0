package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.AcquisitionResult;
import dev.tollgate.core.upstream.Lease;
import dev.tollgate.core.upstream.UpstreamListener;
import dev.tollgate.core.upstream.UpstreamPool;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to a provider: a lease and the request sent over it, and that once more on a fresh
 * connection where a pooled one had died unnoticed. Ended exactly once. Loop-confined.
 */
final class Dispatch {
  private final UpstreamPool pool;
  private final Provider provider;
  private final boolean fresh;
  private final Supplier<Optional<EncodedRequest>> request;
  private final RequestLoop loop;
  private final Listener listener;
  private @Nullable Acquisition acquisition;
  private @Nullable Lease lease;
  private boolean retriedStale;
  private boolean ended;

  /** Receives the provider's reply, and what became of the dispatch. */
  interface Listener extends UpstreamListener {
    void sent();

    void undeliverable(Kind kind, String reason);
  }

  /**
   * @param fresh whether a pooled connection will not do: it may have died, and the request is not
   *     sent a second time
   * @param request makes the request, once for each time that it is sent; none where this node has
   *     no room for them
   */
  Dispatch(
      UpstreamPool pool,
      Provider provider,
      boolean fresh,
      Supplier<Optional<EncodedRequest>> request,
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
    if (!retriedStale) { // else a second wish came of the first before that was returned
      acquisition = first;
    }
  }

  private Acquisition acquire(boolean onlyFresh) {
    return pool.acquire(provider, onlyFresh, loop.guarded(this::acquired));
  }

  private void acquired(AcquisitionResult acquired) {
    if (ended) {
      if (acquired instanceof AcquisitionResult.Leased leased) {
        leased.lease().end(); // nobody would
      }
      return;
    }
    switch (acquired) {
      case AcquisitionResult.Leased leased -> send(leased.lease());
      case AcquisitionResult.Unreachable unreachable ->
          listener.undeliverable(Kind.UNREACHABLE, unreachable.reason());
      case AcquisitionResult.TimedOut _ ->
          listener.undeliverable(Kind.TIMED_OUT, "no connection within the connect timeout");
      case AcquisitionResult.PoolFull _ ->
          listener.undeliverable(Kind.POOL_FULL, "all connections to the provider are in use");
    }
  }

  private void send(Lease acquired) {
    lease = acquired;
    Optional<EncodedRequest> encoded = request.get();
    if (encoded.isEmpty()) {
      listener.undeliverable(
          Kind.OVERLOADED, "no room for the request or its reply in max_inflight_bytes");
      return;
    }
    EncodedRequest ready = encoded.get();
    ready.whenReady(
        () -> lease == acquired, // else given up while it was hashed
        () -> loop.run(() -> send(acquired, ready)));
  }

  private void send(Lease acquired, EncodedRequest encoded) {
    acquired.send(encoded.bytes(), new GuardedUpstreamListener(listener, loop));
    if (lease == acquired) { // else it broke at once
      listener.sent();
      read();
    }
  }

  /** Asks for one read. */
  void read() {
    if (lease != null) {
      lease.read();
    }
  }

  /** Sends the request once more if its connection may have died before; says whether. */
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

  /** Whether bytes came behind the reply so far. */
  boolean hasUnsolicitedBytes() {
    return lease != null && lease.hasUnsolicitedBytes();
  }

  /** The reply said all it had to say; an untrusted connection serves nobody again. */
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

  /** Gives up whatever is under way. */
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
