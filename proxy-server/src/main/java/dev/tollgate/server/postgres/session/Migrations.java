package dev.tollgate.server.postgres.session;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Runner of the schema migrations, which brings the database to this version. All of them run under
 * one advisory lock, so that nodes that start together do it once; what must follow atomically, the
 * bootstrap, runs under the same lock. The rules for the files are in docs/decisions/migrations.md.
 */
public final class Migrations {
  public static final String SCHEMA = "tollgate";

  /** Holds the previous store while an import runs, so that an interrupted one can be undone. */
  public static final String BACKUP_SCHEMA = SCHEMA + "_before_import";

  public static final String HISTORY = "flyway_schema_history";
  private static final long LOCK = 7_455_830;

  /** Statement that ends the migration lock before its session does. */
  static final String UNLOCK = "SELECT pg_advisory_unlock(" + LOCK + ");";

  /** The newest migration of this version; a test compares it with the folder. */
  public static final String LATEST = "28";

  /** The most attempts of a migration that gets no lock; all of them take two minutes. */
  private static final int ATTEMPTS_MAX = 60;

  /** The most waits for the lock, of half a second each. */
  private static final int WAITS_MAX = 240;

  private Migrations() {}

  /** Work that runs under the migration lock, on the connection that holds it. */
  public interface UnderLock<T> {
    T run(Connection connection) throws SQLException, StoreException;
  }

  /** Runs {@code step} while no other node migrates or bootstraps. */
  public static <T> T locked(DatabaseAddress address, UnderLock<T> step) throws StoreException {
    try (Connection connection = plain(address).getConnection()) {
      return locked(connection, step);
    } catch (SQLException e) {
      throw unusable(address, e);
    }
  }

  /** Runs {@code step} under the lock, which ends with the session or with {@link #UNLOCK}. */
  static <T> T locked(Connection connection, UnderLock<T> step)
      throws SQLException, StoreException {
    try (Statement statement = connection.createStatement()) {
      lock(statement);
      statement.execute("SET lock_timeout = '120s'");
    }
    return step.run(connection);
  }

  /**
   * Waits for the lock two minutes at most, in short statements: CREATE INDEX CONCURRENTLY of the
   * holder waits for the end of each that waits.
   */
  private static void lock(Statement statement) throws SQLException {
    statement.execute("SET lock_timeout = '500ms'");
    for (int attempt = 1; ; attempt++) {
      try {
        statement.execute("SELECT pg_advisory_lock(" + LOCK + ")");
        return;
      } catch (SQLException e) {
        if (attempt == WAITS_MAX || !LockTimeout.failed(e)) {
          throw e;
        }
      }
    }
  }

  static StoreException unusable(DatabaseAddress address, SQLException why) {
    return new StoreException("cannot use the database at " + withoutQuery(address.url()), why);
  }

  /** Applies missing migrations under the lock; returns their number. */
  public static int run(DatabaseAccess database) throws StoreException {
    return locked(
        database.address(),
        connection -> {
          requireNoneInterrupted(connection);
          requireUsable(connection);
          return migrate(database.address());
        });
  }

  /** Applies missing migrations; returns their number. */
  public static int migrate(DatabaseAddress address) throws StoreException {
    try {
      return migrate(flyway(address, "latest"), ATTEMPTS_MAX);
    } catch (FlywayException | SQLException e) {
      throw new StoreException("the database cannot be migrated", e);
    }
  }

  /**
   * Applies missing migrations; returns their number. A migration that did not get a lock in time
   * has changed nothing and is begun again: statements that queued behind it ran meanwhile.
   */
  static int migrate(Flyway flyway, int attempts) throws SQLException {
    try (Connection connection = flyway.getConfiguration().getDataSource().getConnection()) {
      forgetHalfDone(connection);
    }
    int pending = flyway.info().pending().length;
    for (int attempt = 1; ; attempt++) {
      try {
        flyway.migrate();
        return pending;
      } catch (FlywayException e) {
        if (attempt == attempts || !LockTimeout.failed(e)) {
          throw e;
        }
      }
    }
  }

  /**
   * Deletes the history of concurrent migrations that failed midway, which remains because they
   * have no transaction: when run again, each of them first drops what it left.
   */
  private static void forgetHalfDone(Connection connection) throws SQLException {
    if (holds(connection, HAS_HISTORY)) {
      try (PreparedStatement delete =
          connection.prepareStatement(
              "DELETE FROM %s.%s WHERE NOT success AND script LIKE '%%' || ?"
                  .formatted(SCHEMA, HISTORY))) {
        delete.setString(1, LockTimeout.CONCURRENTLY.replace("_", "\\_"));
        delete.execute();
      }
    }
  }

  /** Applies migrations up to {@code version}, for an import of an older export. */
  public static void migrateTo(DatabaseAddress address, String version) throws StoreException {
    try {
      migrate(flyway(address, version), ATTEMPTS_MAX);
    } catch (FlywayException | SQLException e) {
      throw new StoreException("the database cannot be migrated to version " + version, e);
    }
  }

  /** Policy that decides which schemas a start may migrate. */
  public enum Policy {
    /** All missing migrations are applied. */
    ALL,
    /** A missing schema is created; an older one is refused. */
    ONLY_NEW,
    NOTHING
  }

  /** Brings an open database up to date or refuses it, on a connection that holds the lock. */
  public static void ensureCurrent(Connection connection, DatabaseAddress address, Policy policy)
      throws SQLException, StoreException {
    requireUsable(connection);
    boolean isNew = !holds(connection, HAS_HISTORY);
    // Flyway takes longer to load than everything else of a start that finds nothing to do.
    if (!isNew && holds(connection, IS_CURRENT)) {
      return;
    }
    if (policy == Policy.ALL || (policy == Policy.ONLY_NEW && isNew)) {
      migrate(address);
    } else {
      requireCurrent(address);
    }
  }

  private static final String HAS_HISTORY = "SELECT to_regclass('%s.%s') IS NOT NULL";

  /**
   * Selects whether the first of these migrations was applied, or the one with its number before.
   */
  private static final String HAS_FIRST =
      "SELECT coalesce(bool_or(success AND version = '1'), false) FROM %s.%s";

  /** Refuses a schema from before the first release, and one that needs a newer version. */
  public static void requireUsable(Connection connection) throws SQLException, StoreException {
    if (!holds(connection, HAS_HISTORY) || !holds(connection, HAS_FIRST)) {
      return;
    }
    if (!SchemaFloor.exists(connection)) {
      throw new StoreException(
          "the store was made by a version of Tollgate before the first release, which this version"
              + " cannot use; start with an empty database or another store.data_dir");
    }
    Optional<String> tooOld = SchemaFloor.refusal(connection);
    if (tooOld.isPresent()) {
      throw new StoreException(tooOld.get());
    }
  }

  /** Selects whether the newest migration was applied and none is incomplete. */
  private static final String IS_CURRENT =
      "SELECT coalesce(bool_and(success) AND bool_or(version = '"
          + LATEST
          + "'), false) FROM %s.%s";

  private static boolean holds(Connection connection, String question) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(question.formatted(SCHEMA, HISTORY))) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /** Returns the newest migration in the folder. */
  public static String newestKnown(DatabaseAddress address) {
    MigrationInfo[] all = flyway(address, "latest").info().all();
    return String.valueOf(all[all.length - 1].getVersion());
  }

  /** Refuses a schema that lacks migrations of this version. */
  static void requireCurrent(DatabaseAddress address) throws StoreException {
    try {
      MigrationInfo[] pending = flyway(address, "latest").info().pending();
      if (pending.length > 0) {
        throw new StoreException(
            "the database lacks "
                + pending.length
                + " migration(s); run: tollgate migrate, or set store.migrate: on_start");
      }
    } catch (FlywayException e) {
      throw new StoreException("the state of the database's schema cannot be read", e);
    }
  }

  /** Returns true if this version contains the migration {@code version}. */
  public static boolean isKnownVersion(DatabaseAddress address, String version)
      throws StoreException {
    try {
      return Arrays.stream(flyway(address, "latest").info().all())
          .anyMatch(
              known ->
                  known.getScript().endsWith(".sql")
                      && version.equals(String.valueOf(known.getVersion()))
                      && known.getState() != MigrationState.FUTURE_SUCCESS);
    } catch (FlywayException e) {
      throw new StoreException("the state of the database's schema cannot be read", e);
    }
  }

  /** Returns a source of connections without the pool and its timeouts, for long migrations. */
  public static PGSimpleDataSource plain(DatabaseAddress address) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    configure(source, address);
    return source;
  }

  static void configure(PGSimpleDataSource source, DatabaseAddress address) {
    source.setURL(address.url());
    source.setUser(address.username());
    Secret password = address.password();
    source.setPassword(password == null ? null : password.reveal());
    source.setCurrentSchema(SCHEMA);
    source.setApplicationName("tollgate-setup");
    source.setConnectTimeout(5);
    source.setTcpKeepAlive(true);
  }

  private static Flyway flyway(DatabaseAddress address, String target) {
    return flyway(address, target, "classpath:db/migration");
  }

  /** Reads migrations from {@code locations}, for tests of further ones. */
  static Flyway flyway(DatabaseAddress address, String target, String... locations) {
    FluentConfiguration configuration =
        Flyway.configure()
            .dataSource(plain(address))
            .callbacks(new LockTimeout())
            .locations(locations)
            .defaultSchema(SCHEMA)
            .table(HISTORY)
            .validateMigrationNaming(true)
            .loggers("slf4j")
            .target(target);
    // CREATE INDEX CONCURRENTLY waits for every transaction, also for one that holds Flyway's lock.
    configuration
        .getConfigurationExtension(PostgreSQLConfigurationExtension.class)
        .setTransactionalLock(false);
    return configuration.load();
  }

  /** Returns the JDBC URL without its parameters, which may contain a password. */
  static String withoutQuery(String url) {
    int query = url.indexOf('?');
    return query < 0 ? url : url.substring(0, query);
  }

  /** Refuses a database in which an import was interrupted; the next import repairs it. */
  public static void requireNoneInterrupted(Connection connection)
      throws SQLException, StoreException {
    if (exists(connection, BACKUP_SCHEMA)) {
      throw new StoreException(
          "an import into this store was interrupted; run tollgate store import again, which first"
              + " restores what was there before");
    }
  }

  /** Returns true if a schema exists. */
  public static boolean exists(Connection connection, String schema) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT 1 FROM pg_namespace WHERE nspname = ?")) {
      select.setString(1, schema);
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }
}
