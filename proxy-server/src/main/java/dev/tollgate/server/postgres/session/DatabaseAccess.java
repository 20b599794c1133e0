package dev.tollgate.server.postgres.session;

import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.DataDirLock.LockResult;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.util.Optional;

/**
 * Handle of a running database, external or embedded. Closing it stops an embedded one only in the
 * process that started it, not in one that joined it.
 */
public final class DatabaseAccess implements AutoCloseable {
  /**
   * Connections for submissions, media jobs, the command line, migrations and exports, which
   * connect beside the pool, and for a few more nodes on the same database.
   */
  private static final int SPARE_CONNECTIONS = 100;

  private final DatabaseAddress address;
  private final Optional<EmbeddedPostgres> started;
  private final boolean joined;
  private final Runnable onClose;

  private DatabaseAccess(
      DatabaseAddress address,
      Optional<EmbeddedPostgres> started,
      boolean joined,
      Runnable onClose) {
    this.address = address;
    this.started = started;
    this.joined = joined;
    this.onClose = onClose;
  }

  /** Opens the database for the process that owns the data directory: starts an embedded one. */
  public static DatabaseAccess owned(DataDirLock lock, StoreOptions options) throws StoreException {
    if (!options.isEmbedded()) {
      return external(options);
    }
    EmbeddedPostgres embedded = start(lock, options);
    embedded.keepRunning();
    return new DatabaseAccess(embedded.address(), Optional.of(embedded), false, embedded::close);
  }

  /**
   * Opens the database for a command: joins that of a gateway on the same directory, or starts it
   * for the duration of the command.
   */
  public static DatabaseAccess forCommand(StoreOptions options) throws StoreException {
    if (!options.isEmbedded()) {
      return external(options);
    }
    long deadline = System.nanoTime() + DataDirLock.ACQUIRE_TIMEOUT.toNanos();
    while (true) {
      switch (DataDirLock.tryAcquire(options.dataDir())) {
        case LockResult.Acquired acquired -> {
          return startForCommand(acquired.lock(), options);
        }
        case LockResult.InUse inUse -> {
          Optional<DatabaseAddress> running = EmbeddedPostgres.runningOn(options.dataDir());
          if (running.isPresent()) {
            return new DatabaseAccess(running.get(), Optional.empty(), true, () -> {});
          }
          // The owner is starting or stopping it.
          if (System.nanoTime() - deadline > 0) {
            throw new StoreException(inUse.message() + ", and its database does not answer");
          }
        }
      }
      DataDirLock.pause();
    }
  }

  /**
   * Opens the database for a command that needs it alone: refuses if a gateway runs on the
   * directory.
   */
  public static DatabaseAccess exclusive(StoreOptions options) throws StoreException {
    return options.isEmbedded()
        ? startForCommand(DataDirLock.acquire(options.dataDir()), options)
        : external(options);
  }

  /** True if another process runs the embedded database. */
  public boolean isJoined() {
    return joined;
  }

  public DatabaseAddress address() {
    return address;
  }

  /**
   * Returns how the embedded database was started; empty if it was running already or is external.
   */
  public Optional<EmbeddedPostgres.StartOutcome> startOutcome() {
    return started.map(EmbeddedPostgres::startOutcome);
  }

  @Override
  public void close() {
    onClose.run();
  }

  private static DatabaseAccess external(StoreOptions options) {
    return new DatabaseAccess(
        new DatabaseAddress(options.url(), options.username(), options.password()),
        Optional.empty(),
        false,
        () -> {});
  }

  private static DatabaseAccess startForCommand(DataDirLock lock, StoreOptions options)
      throws StoreException {
    try {
      EmbeddedPostgres embedded = start(lock, options);
      // Another command may have joined, so the server waits for it.
      return new DatabaseAccess(
          embedded.address(),
          Optional.of(embedded),
          false,
          () -> {
            embedded.closeAfterLastClient();
            lock.close();
          });
    } catch (StoreException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static EmbeddedPostgres start(DataDirLock lock, StoreOptions options)
      throws StoreException {
    return EmbeddedPostgres.start(
        lock, EmbeddedPostgres.StartOptions.defaults(options.poolMax() + SPARE_CONNECTIONS));
  }
}
