package dev.tollgate.server.postgres.session;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.StoreSettings;
import dev.tollgate.server.settings.value.MasterKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Location and options of the PostgreSQL store ({@code store:} in the configuration).
 *
 * @param url {@code embedded}, or {@code jdbc:postgresql://…}
 * @param poolTimeout longest wait of a borrower for a connection
 * @param masterKeys keys that encrypt webhook secrets: the first encrypts, all decrypt
 */
public record StoreOptions(
    String url,
    Path dataDir,
    @Nullable String username,
    @Nullable Secret password,
    int poolMax,
    Duration poolTimeout,
    boolean migrateOnStart,
    List<MasterKey> masterKeys) {

  public StoreOptions {
    masterKeys = List.copyOf(masterKeys);
  }

  /** Returns the defaults of the configuration with an embedded database. */
  public static StoreOptions embedded(Path dataDir) {
    return new StoreOptions(
        "embedded", dataDir, null, null, 16, Duration.ofSeconds(2), true, List.of());
  }

  /** Returns the options of a configured store. */
  public static StoreOptions of(StoreSettings store) {
    return new StoreOptions(
        store.url().toString(),
        store.dataDir(),
        store.username(),
        store.password(),
        store.pool().max(),
        store.pool().timeout(),
        store.migrate() == StoreSettings.Migrate.ON_START,
        store.masterKeys());
  }

  public StoreOptions withPoolMax(int max) {
    return new StoreOptions(
        url, dataDir, username, password, max, poolTimeout, migrateOnStart, masterKeys);
  }

  public StoreOptions withMasterKeys(List<MasterKey> keys) {
    return new StoreOptions(
        url, dataDir, username, password, poolMax, poolTimeout, migrateOnStart, keys);
  }

  public boolean isEmbedded() {
    return url.equals("embedded");
  }
}
