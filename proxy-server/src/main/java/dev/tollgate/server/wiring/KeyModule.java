package dev.tollgate.server.wiring;

import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyHash;
import dev.tollgate.server.keys.CachingAuthenticator;
import dev.tollgate.server.keys.KeyChangePoller;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.postgres.Store;
import io.netty.util.concurrent.Ticker;
import java.util.Optional;

/** Wiring of API key authentication: the key cache, and the poller of key changes. */
final class KeyModule {
  private final KeyCache keys;
  private final KeyChangePoller poller;

  private KeyModule(KeyCache keys, KeyChangePoller poller) {
    this.keys = keys;
    this.poller = poller;
  }

  /** Opens the cache and starts to poll; a change announced by Redis triggers a poll at once. */
  static KeyModule begin(
      Store store, BoundedOffload offload, LimitModule limitModule, Metrics metrics) {
    KeyDirectory directory = store.keyDirectory();
    directory.find(KeyHash.of("")); // an unknown key: warms up the query for the first client
    var keys =
        new KeyCache(CachingAuthenticator.loader(directory, offload), KeyCache.Rules.DEFAULT);
    metrics.gauge(StoreFamily.AUTH_CACHE_KEYS, keys::size);
    metrics.gauge(StoreFamily.AUTH_LOOK_UPS, keys::pendingLookups);
    metrics.gauge(StoreFamily.AUTH_KEY_IDS, keys::ids);
    metrics.gauge(StoreFamily.AUTH_CALLERS, keys::callers);
    var poller =
        new KeyChangePoller(store.keyChanges(), store.schemaFloor(), keys, Ticker.systemTicker());
    metrics.gauge(StoreFamily.STORE_FAILING, "keys", () -> poller.isFailing() ? 1 : 0);
    poller.start();
    limitModule.onKeyChange(poller::pollSoon);
    return new KeyModule(keys, poller);
  }

  CachingAuthenticator authenticator() {
    return new CachingAuthenticator(keys);
  }

  /** Makes the cache see changes of keys and organizations that were just committed. */
  void pollSoon() {
    poller.pollSoon();
  }

  /** Returns why this version may not use the store any more; empty while it may. */
  Optional<String> obstacle() {
    return poller.obstacle();
  }

  /** Stops polling. */
  void close() throws InterruptedException {
    poller.close();
  }
}
