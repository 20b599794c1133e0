package dev.tollgate.server.keys;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.pipeline.Authenticator;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
  public void find(
      ValidKey key,
      @Nullable InetAddress from,
      EventExecutor loop,
      Consumer<CacheResult.FinalResult> whenKnown) {
    switch (cache.find(key, from, loop.ticker().nanoTime(), loop, whenKnown)) {
      case CacheResult.Pending _ -> {}
      case CacheResult.FinalResult result -> whenKnown.accept(result);
    }
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
