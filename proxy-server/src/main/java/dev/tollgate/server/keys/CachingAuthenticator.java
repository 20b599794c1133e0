package dev.tollgate.server.keys;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.pipeline.Authenticator;
import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyHash;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Authenticator of API keys that answers from the key cache, which loads missing keys from the
 * store on worker threads.
 */
public final class CachingAuthenticator implements Authenticator {
  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(2);

  private final KeyCache cache;

  public CachingAuthenticator(KeyCache cache) {
    this.cache = cache;
  }

  /** Returns a cache loader that runs blocking queries of a key directory on worker threads. */
  public static KeyCache.Loader loader(KeyDirectory directory, Offload offload) {
    // The cache accepts answers on any thread, so they stay on the one of the look-up.
    EventExecutor immediate = ImmediateEventExecutor.INSTANCE;
    return (hash, whenDone) ->
        offload.run(
            immediate,
            immediate.ticker().nanoTime() + LOOKUP_TIMEOUT.toNanos(),
            () -> directory.find(hash),
            outcome -> whenDone.accept(lookup(outcome)));
  }

  @Override
  public void find(KeyHash hash, EventExecutor loop, Consumer<Lookup> whenKnown) {
    CacheResult answer =
        cache.find(
            hash, loop.ticker().nanoTime(), loop, verdict -> whenKnown.accept(lookup(verdict)));
    switch (answer) {
      case CacheResult.Pending _ -> {}
      case CacheResult.FinalResult verdict -> whenKnown.accept(lookup(verdict));
    }
  }

  private static Lookup lookup(CacheResult.FinalResult verdict) {
    return switch (verdict) {
      case CacheResult.Known known -> new Lookup.Found(known.key());
      case CacheResult.Unknown _ -> new Lookup.Unknown();
      case CacheResult.Unavailable unavailable -> new Lookup.Unavailable(unavailable.reason());
    };
  }

  private static Lookup lookup(Offload.Outcome<Lookup> outcome) {
    return switch (outcome) {
      case Offload.Outcome.Done<Lookup> done -> done.value();
      case Offload.Outcome.Refused<Lookup> refused -> new Lookup.Unavailable(refused.reason());
      case Offload.Outcome.Failed<Lookup> failed ->
          new Lookup.Unavailable("key look-up failed: " + failed.cause());
    };
  }
}
