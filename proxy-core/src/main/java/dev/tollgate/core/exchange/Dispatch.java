package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.upstream.Acquired;
import dev.tollgate.core.upstream.Acquisition;
import dev.tollgate.core.upstream.Lease;
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
  private final Supplier<Optional<Letter>> request;
  private final Guarded replies;
  private final Listener listener;
  private @Nullable Acquisition acquisition;
  private @Nullable Lease lease;
  private boolean retriedStale;
  private boolean over;

  /** What became of a dispatch, on the loop. */
  interface Listener {
    void sent();

    void undeliverable(Kind kind, String reason);
  }

  /**
   * @param fresh whether a pooled connection will not do: it may have died, and the request is not
   *     sent a second time
   * @param request makes the request, once for each time that it is sent; none where this node has
   *     no room for them
   * @param replies hears what comes back
   */
  Dispatch(
      UpstreamPool pool,
      Provider provider,
      boolean fresh,
      Supplier<Optional<Letter>> request,
      Guarded replies,
      Listener listener) {
    this.pool = pool;
    this.provider = provider;
    this.fresh = fresh;
    this.request = request;
    this.replies = replies;
    this.listener = listener;
  }

  void start() {
    Acquisition first = acquire(fresh);
    if (!retriedStale) { // else a second wish came of the first before that was returned
      acquisition = first;
    }
  }

  private Acquisition acquire(boolean onlyFresh) {
    return pool.acquire(
        provider, onlyFresh, done -> Guarded.run(() -> acquired(done), replies.surprised()));
  }

  private void acquired(Acquired acquired) {
    if (over) {
      if (acquired instanceof Acquired.Leased leased) {
        leased.lease().end(); // nobody would
      }
      return;
    }
    switch (acquired) {
      case Acquired.Leased leased -> send(leased.lease());
      case Acquired.Unreachable unreachable ->
          listener.undeliverable(Kind.UNREACHABLE, unreachable.reason());
      case Acquired.TimedOut _ ->
          listener.undeliverable(Kind.TIMED_OUT, "no connection within the connect timeout");
      case Acquired.PoolFull _ ->
          listener.undeliverable(Kind.POOL_FULL, "all connections to the provider are in use");
    }
  }

  private void send(Lease acquired) {
    lease = acquired;
    Optional<Letter> letter = request.get();
    if (letter.isEmpty()) {
      listener.undeliverable(
          Kind.OVERLOADED, "no room for the request or its reply in max_inflight_bytes");
      return;
    }
    Letter ready = letter.get();
    ready.whenReady(
        () -> lease == acquired, // else given up while it was hashed
        () -> Guarded.run(() -> send(acquired, ready), replies.surprised()));
  }

  private void send(Lease acquired, Letter letter) {
    acquired.send(letter.bytes(), replies);
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
  boolean hasSurplus() {
    return lease != null && lease.hasSurplus();
  }

  /** The reply said all it had to say; an untrusted connection serves nobody again. */
  void finish(boolean trusted) {
    over = true;
    Lease held = lease;
    lease = null;
    if (held != null) {
      if (!trusted) {
        held.poison();
      }
      held.finish();
    }
  }

  /** Gives up whatever is under way. */
  void cancel() {
    over = true;
    if (acquisition != null) {
      acquisition.cancel();
    }
    Lease held = lease;
    lease = null;
    if (held != null) {
      held.end();
    }
  }
}
