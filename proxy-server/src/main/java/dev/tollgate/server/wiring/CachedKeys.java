package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.Offload;
import dev.tollgate.core.pipeline.Authenticator;
import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyCache.Answer;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyHash;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.function.Consumer;

/** Answers the pipeline from the key cache; what is not there is asked of the store elsewhere. */
final class CachedKeys implements Authenticator {
  private static final Duration LOOK_UP_MAX = Duration.ofSeconds(2);

  private final KeyCache cache;

  CachedKeys(KeyCache cache) {
    this.cache = cache;
  }

  /** Look-ups of a cache in a directory that blocks. */
  static KeyCache.Loader loader(KeyDirectory directory, Offload offload) {
    // The cache takes answers on any thread, so they come on the one that asked the store.
    EventExecutor anywhere = ImmediateEventExecutor.INSTANCE;
    return (hash, whenDone) ->
        offload.run(
            anywhere,
            anywhere.ticker().nanoTime() + LOOK_UP_MAX.toNanos(),
            () -> directory.find(hash),
            outcome -> whenDone.accept(lookup(outcome)));
  }

  @Override
  public void find(KeyHash hash, EventExecutor loop, Consumer<Lookup> whenKnown) {
    Answer answer =
        cache.find(
            hash, loop.ticker().nanoTime(), loop, verdict -> whenKnown.accept(lookup(verdict)));
    switch (answer) {
      case Answer.Pending _ -> {}
      case Answer.Verdict verdict -> whenKnown.accept(lookup(verdict));
    }
  }

  private static Lookup lookup(Answer.Verdict verdict) {
    return switch (verdict) {
      case Answer.Known known -> new Lookup.Found(known.key());
      case Answer.Unknown _ -> new Lookup.Unknown();
      case Answer.Unavailable unavailable -> new Lookup.Unavailable(unavailable.reason());
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
