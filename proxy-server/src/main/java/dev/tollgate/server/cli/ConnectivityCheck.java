package dev.tollgate.server.cli;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.ModelGlob;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.tenants.StoredScopes;
import dev.tollgate.server.postgres.tenants.StoredScopes.StoredScope;
import dev.tollgate.server.settings.CatalogBuilder;
import dev.tollgate.server.settings.ProviderSettings;
import dev.tollgate.server.settings.RemoteProvider;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.StoreSettings;
import dev.tollgate.server.settings.value.StoreUrl;
import dev.tollgate.server.wiring.ProviderProbe;
import dev.tollgate.server.wiring.RedisConnectionProbe;
import dev.tollgate.server.wiring.StartException;
import dev.tollgate.server.wiring.StorageProbe;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Checks for {@code tollgate check} that every service named by a configuration can be reached.
 * Database and Redis are called with their credentials, the object storage stores a blob, providers
 * are reached as requests reach them, and each of their keys is used for a request that is free of
 * charge.
 */
final class ConnectivityCheck {
  private static final int SECONDS_MAX = 10;

  private final Settings settings;
  private final Catalog catalog;

  ConnectivityCheck(Settings settings) {
    this.settings = settings;
    this.catalog = new CatalogBuilder(_ -> 0).build(settings);
  }

  /**
   * Runs the checks in sequence: the store, Redis, the object storage, then the providers, all at
   * once. The results are in the order of the configuration.
   */
  List<ConnectivityResult> run() throws InterruptedException {
    List<ConnectivityResult> found = new ArrayList<>();
    found.add(store(settings.store()));
    Secret redis = settings.redis().url();
    if (redis != null) {
      found.add(redis(redis));
    }
    if (settings.objectStorage() != null) {
      found.add(storage(settings));
    }
    List<Callable<ConnectivityResult>> ofProviders = new ArrayList<>();
    try (var probe = ProviderProbe.open(settings);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      settings
          .providers()
          .forEach((id, provider) -> ofProviders.add(() -> provider(id, provider, probe)));
      for (Future<ConnectivityResult> each : threads.invokeAll(ofProviders)) {
        found.add(each.get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (StartException e) {
      found.add(new ConnectivityResult.Unreachable("providers", String.valueOf(e.getMessage())));
    }
    return found;
  }

  /**
   * Returns a warning for each entry of a stored key's scope that matches no model. An embedded
   * store is read while a gateway runs on it.
   */
  List<String> scopeWarnings() {
    try {
      Optional<DatabaseAddress> database = runningDatabase();
      if (database.isEmpty()) {
        return List.of();
      }
      try (Connection connection = connect(database.get())) {
        return StoredScopes.list(connection).stream().flatMap(this::unmatched).toList();
      }
    } catch (SQLException | StoreException e) {
      return List.of("the scopes of stored keys cannot be read: " + e.getMessage());
    }
  }

  private Stream<String> unmatched(StoredScope scope) {
    return scope.models().stream()
        .filter(entry -> !ModelGlob.matchesAny(entry, catalog.modelIds()))
        .map(
            entry ->
                "key %s (%s) of %s: the allowed model %s matches no model"
                    .formatted(scope.key(), scope.name(), scope.org(), entry));
  }

  private Optional<DatabaseAddress> runningDatabase() throws StoreException {
    StoreSettings store = settings.store();
    return switch (store.url()) {
      case StoreUrl.Embedded _ -> EmbeddedPostgres.runningOn(store.dataDir());
      case StoreUrl.Jdbc jdbc -> Optional.of(address(jdbc.url(), store));
    };
  }

  private static ConnectivityResult store(StoreSettings store) {
    return switch (store.url()) {
      case StoreUrl.Embedded _ ->
          new ConnectivityResult.Reachable(
              "store", "embedded, serve starts it under " + store.dataDir());
      case StoreUrl.Jdbc jdbc -> database(address(jdbc.url(), store));
    };
  }

  private static DatabaseAddress address(String url, StoreSettings store) {
    return new DatabaseAddress(url, store.username(), store.password());
  }

  private static ConnectivityResult redis(Secret url) throws InterruptedException {
    return switch (RedisConnectionProbe.at(url)) {
      case RedisConnectionProbe.Passed good ->
          new ConnectivityResult.Reachable("redis " + good.where(), good.detail());
      case RedisConnectionProbe.Failed bad ->
          new ConnectivityResult.Unreachable("redis " + bad.where(), bad.reason());
    };
  }

  private static ConnectivityResult storage(Settings settings) {
    return switch (StorageProbe.of(settings)) {
      case StorageProbe.Passed good ->
          new ConnectivityResult.Reachable("object storage", good.detail());
      case StorageProbe.Failed bad ->
          new ConnectivityResult.Unreachable("object storage", bad.reason());
    };
  }

  private static Connection connect(DatabaseAddress database) throws SQLException {
    var properties = new Properties();
    properties.setProperty("connectTimeout", Integer.toString(SECONDS_MAX));
    properties.setProperty("loginTimeout", Integer.toString(SECONDS_MAX));
    if (database.username() != null) {
      properties.setProperty("user", database.username());
    }
    if (database.password() != null) {
      properties.setProperty("password", database.password().reveal());
    }
    return DriverManager.getConnection(database.url(), properties);
  }

  private static ConnectivityResult database(DatabaseAddress database) {
    String target = "store " + database.url();
    try (Connection connection = connect(database)) {
      return new ConnectivityResult.Reachable(
          target, "connected, PostgreSQL " + connection.getMetaData().getDatabaseProductVersion());
    } catch (SQLException e) {
      return new ConnectivityResult.Unreachable(target, "cannot connect: " + e.getMessage());
    }
  }

  private ConnectivityResult provider(ProviderId id, ProviderSettings provider, ProviderProbe probe)
      throws InterruptedException {
    return switch (provider) {
      case ProviderSettings.Mock _ ->
          new ConnectivityResult.Reachable("provider " + id, "bundled, serve starts it");
      case RemoteProvider remote when !remote.isConfigured() ->
          new ConnectivityResult.Reachable("provider " + id, "not configured, its key is empty");
      case RemoteProvider remote -> {
        String target = "provider " + id + " " + remote.baseUrl();
        yield switch (probe.of(id)) {
          case ProviderProbe.Outcome.Passed good ->
              new ConnectivityResult.Reachable(target, good.detail());
          case ProviderProbe.Outcome.Failed bad ->
              new ConnectivityResult.Unreachable(target, bad.reason());
        };
      }
    };
  }
}
