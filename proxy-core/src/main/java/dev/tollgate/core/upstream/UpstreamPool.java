package dev.tollgate.core.upstream;

import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Provider.PoolLimits;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Set of one event loop's connection pools, one for each provider endpoint. Loop-confined; one
 * timer closes connections that are idle for too long.
 */
public final class UpstreamPool {
  private static final long SWEEP_SECONDS = 1;

  private final EventLoop loop;
  private final BiFunction<EventLoop, EndpointIdentity, EndpointPool> opener;
  private final Map<EndpointIdentity, EndpointPool> endpoints = new HashMap<>();
  private final Map<EndpointIdentity, Duration> idleMax = new HashMap<>();
  private @Nullable ScheduledFuture<?> sweep;

  UpstreamPool(EventLoop loop, BiFunction<EventLoop, EndpointIdentity, EndpointPool> opener) {
    this.loop = loop;
    this.opener = opener;
  }

  /**
   * Requests a lease of a connection to {@code provider}; the result may come before this returns.
   *
   * @param fresh true for a new connection, after a reused one was closed by the peer
   */
  public Acquisition acquire(
      Provider provider, boolean fresh, Consumer<AcquisitionResult> whenDone) {
    Duration connect = provider.timeouts().connect();
    return acquire(provider.endpoint(), provider.pool(), connect, fresh, whenDone);
  }

  /** Requests a lease of a connection to an endpoint that belongs to no provider. */
  public Acquisition acquire(
      EndpointIdentity endpoint,
      PoolLimits limits,
      Duration connect,
      boolean fresh,
      Consumer<AcquisitionResult> whenDone) {
    assert loop.inEventLoop();
    EndpointPool pool = endpoints.computeIfAbsent(endpoint, key -> opener.apply(loop, key));
    idleMax.put(endpoint, limits.idle());
    if (sweep == null) {
      sweep =
          loop.scheduleWithFixedDelay(
              this::sweepAll, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }
    return pool.acquire(limits, connect, fresh, whenDone);
  }

  private void sweepAll() {
    endpoints.forEach(
        (endpoint, pool) -> pool.sweep(idleMax.getOrDefault(endpoint, Duration.ZERO)));
  }

  void close() {
    loop.execute(
        () -> {
          if (sweep != null) {
            sweep.cancel(false);
          }
        });
  }
}
