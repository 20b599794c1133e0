package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.MasterKey;
import dev.tollgate.server.settings.value.StoreUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code store}: the PostgreSQL database of organizations, keys and charges.
 */
public record StoreSettings(
    @Key(
            about =
                "embedded (a private PostgreSQL under data_dir) or"
                    + " jdbc:postgresql://host/database",
            initial = "embedded")
        StoreUrl url,
    @Key(
            about =
                "directory of the embedded store and the journal; relative to the folder of"
                    + " this file",
            initial = "./data")
        Path dataDir,
    @Key(about = "database user; not for embedded") @Nullable String username,
    @Key(about = "database password; not for embedded") @Nullable Secret password,
    @Key(about = "database connections") Pool pool,
    @Key(about = "when migrations run", initial = "on_start") Migrate migrate,
    @Key(
            about =
                "keys that encrypt webhook secrets, each 32 bytes in Base64: the first"
                    + " encrypts, all decrypt; none: no encryption")
        List<MasterKey> masterKeys) {

  /** Section {@code store.pool}: limits of the database connection pool. */
  public record Pool(
      @Key(about = "limit of connections", initial = "16", min = "1", max = "1000") int max,
      @Key(about = "longest wait for a connection", initial = "2s", min = "250ms")
          Duration timeout) {}

  /** Time at which schema migrations run. */
  public enum Migrate {
    /** Migrations are run by {@code serve}, before it listens. */
    ON_START,
    /** Migrations are run only by {@code tollgate migrate}; {@code serve} refuses an old schema. */
    MANUAL
  }
}
