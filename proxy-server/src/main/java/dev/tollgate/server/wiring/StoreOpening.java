package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.Bootstrap;
import dev.tollgate.server.settings.BootstrapSettings;
import dev.tollgate.server.settings.Settings;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the PostgreSQL store on its own thread while the rest of the gateway starts. The store is
 * closed even if the start fails before it is open.
 */
final class StoreOpening {
  private final Closers closers = new Closers();
  private final Optional<Bootstrap.Plan> bootstrap;
  private final FutureTask<Store> opening;

  private StoreOpening(
      StoreOptions options, Optional<Bootstrap.Plan> bootstrap, BooleanSupplier stillWanted) {
    Callable<Store> open = () -> open(options, stillWanted);
    this.bootstrap = bootstrap;
    this.opening = new FutureTask<>(open);
  }

  /**
   * Starts to open the store.
   *
   * @param stillWanted whether to keep waiting while another process holds the data directory
   */
  static StoreOpening begin(Settings settings, BooleanSupplier stillWanted) throws StartException {
    var begun =
        new StoreOpening(
            StoreOptions.of(settings.store()), plan(settings.bootstrap()), stillWanted);
    Thread.ofPlatform().name("store-opening").daemon().start(begun.opening);
    return begun;
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

  /**
   * Creates the first organization and key if there are none. The key is printed only after a
   * successful start, so this comes after every step that can fail.
   */
  Optional<Bootstrap.Made> bootstrap() throws StartException, InterruptedException {
    if (bootstrap.isEmpty()) {
      return Optional.empty();
    }
    try {
      return await().bootstrap(bootstrap.get());
    } catch (StoreException e) {
      throw new StartException("store: " + e.getMessage());
    }
  }

  /** Closes the store once it is open, and waits for that. */
  void close() throws InterruptedException {
    try {
      opening.get();
    } catch (ExecutionException neverOpened) {
      // What was opened before the failure is closed below.
    }
    closers.close();
  }

  private Store open(StoreOptions options, BooleanSupplier stillWanted) throws StoreException {
    DataDirLock lock = DataDirLock.await(options.dataDir(), stillWanted);
    closers.add("data directory", lock);
    Store store = Store.start(lock, options);
    closers.add("store", store);
    return store;
  }

  private static Optional<Bootstrap.Plan> plan(@Nullable BootstrapSettings bootstrap)
      throws StartException {
    return bootstrap == null
        ? Optional.empty()
        : Optional.of(
            new Bootstrap.Plan(
                bootstrap.organization(), bootstrap.credit(), key(bootstrap.apiKey())));
  }

  private static ApiKeyText.@Nullable ValidKey key(@Nullable Secret configured)
      throws StartException {
    if (configured == null) {
      return null;
    }
    return switch (ApiKeyText.parse(configured.reveal())) {
      case ApiKeyText.ValidKey valid -> valid;
      case ApiKeyText.MalformedKey _ ->
          throw new StartException(
              "bootstrap.api_key is not a Tollgate key; leave it null to have one created and printed");
    };
  }
}
