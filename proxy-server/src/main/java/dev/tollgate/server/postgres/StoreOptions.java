package dev.tollgate.server.postgres;

import dev.tollgate.core.catalog.Secret;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the store is and how it is reached ({@code store:} in the configuration).
 *
 * @param url {@code embedded}, or {@code jdbc:postgresql://…}
 * @param poolTimeout how long a borrower waits for a connection
 */
public record StoreOptions(
    String url,
    Path dataDir,
    @Nullable String username,
    @Nullable Secret password,
    int poolMax,
    Duration poolTimeout,
    boolean migrateOnStart) {

  /** The defaults of the configuration with an embedded database. */
  public static StoreOptions embedded(Path dataDir) {
    return new StoreOptions("embedded", dataDir, null, null, 16, Duration.ofSeconds(2), true);
  }

  public boolean isEmbedded() {
    return url.equals("embedded");
  }
}
