package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.server.postgres.Bootstrap;
import dev.tollgate.server.postgres.DataDirLock;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.StoreException;
import dev.tollgate.server.postgres.StoreOptions;
import dev.tollgate.server.settings.BootstrapSettings;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.StoreSettings;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** The store on its way: it opens on a thread of its own and is closed even if nobody awaits it. */
final class StoreOpening {
  private final Closers closers = new Closers();
  private final FutureTask<Store> opening;

  private StoreOpening(StoreOptions options, Optional<Bootstrap.Plan> bootstrap) {
    Callable<Store> open = () -> open(options, bootstrap);
    opening = new FutureTask<>(open);
    Thread.ofPlatform().name("store-opening").daemon().start(opening);
  }

  static StoreOpening begin(Settings settings) throws StartException {
    return new StoreOpening(options(settings.store()), plan(settings.bootstrap()));
  }

  Store await() throws StartException, InterruptedException {
    try {
      return opening.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof StoreException
          ? new StartException("store: " + cause.getMessage())
          : new StartException("store: " + cause, e);
    }
  }

  /** Closes the store when it is open, waiting for it if it is still on its way. */
  void close() throws InterruptedException {
    try {
      opening.get();
    } catch (ExecutionException neverOpened) {
      // What it had opened before it failed is closed below.
    }
    closers.close();
  }

  private Store open(StoreOptions options, Optional<Bootstrap.Plan> bootstrap)
      throws StoreException {
    DataDirLock lock = DataDirLock.take(options.dataDir());
    closers.add("data directory", lock);
    Store store = Store.start(lock, options, bootstrap);
    closers.add("store", store);
    return store;
  }

  private static StoreOptions options(StoreSettings store) {
    return new StoreOptions(
        store.url().toString(),
        store.dataDir(),
        store.username(),
        store.password(),
        store.pool().max(),
        store.pool().timeout(),
        store.migrate() == StoreSettings.Migrate.ON_START);
  }

  private static Optional<Bootstrap.Plan> plan(@Nullable BootstrapSettings bootstrap)
      throws StartException {
    return bootstrap == null
        ? Optional.empty()
        : Optional.of(
            new Bootstrap.Plan(
                bootstrap.organization(), bootstrap.credit(), key(bootstrap.apiKey())));
  }

  private static ApiKeyText.@Nullable Valid key(@Nullable Secret configured) throws StartException {
    if (configured == null) {
      return null;
    }
    return switch (ApiKeyText.parse(configured.reveal())) {
      case ApiKeyText.Valid valid -> valid;
      case ApiKeyText.Malformed _ ->
          throw new StartException(
              "bootstrap.api_key is no key of ours; leave it null to have one made and printed");
    };
  }
}
