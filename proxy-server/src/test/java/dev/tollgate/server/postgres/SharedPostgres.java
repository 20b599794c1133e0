package dev.tollgate.server.postgres;

import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.embedded.FileTrees;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.embedded.TestCluster;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One real PostgreSQL for all tests of a JVM; each test class takes a database of its own. */
public final class SharedPostgres {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private SharedPostgres() {}

  /** Server, started with the first test that needs it. */
  private static final class Running {
    static final EmbeddedPostgres SERVER = start();
  }

  /** Returns options that unpack the binaries once per build. */
  public static EmbeddedPostgres.StartOptions circumstances() {
    return new EmbeddedPostgres.StartOptions(
        Optional.of(Path.of("target", "postgres-binaries").toAbsolutePath()), true, 100);
  }

  /** Returns an empty database, reached like an operator's own. */
  public static StoreOptions newDatabase() throws SQLException {
    return newDatabase("");
  }

  private static StoreOptions newDatabase(String template) throws SQLException {
    String name = "test" + DATABASES.incrementAndGet();
    try (Connection connection = Migrations.plain(Running.SERVER.address()).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name + template);
    }
    String url = Running.SERVER.address().url().replace("/postgres", "/" + name);
    return new StoreOptions(
        url,
        Path.of("unused"),
        Running.SERVER.address().username(),
        Running.SERVER.address().password(),
        4,
        Duration.ofSeconds(2),
        true,
        List.of());
  }

  /** Returns an open store on a database without rows. */
  public static Store newStore() throws SQLException, StoreException {
    Store store = open(newDatabase(" TEMPLATE " + Migrated.NAME));
    try (Connection connection = store.pool().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE books SET incarnation = gen_random_uuid()"); // its own identity
    }
    return store;
  }

  /** Template of the tests' stores: a migration takes longer than most test classes. */
  private static final class Migrated {
    static final String NAME = make();

    private static String make() {
      try {
        StoreOptions options = newDatabase();
        open(options).close();
        String url = options.url();
        return url.substring(url.lastIndexOf('/') + 1, url.indexOf('?'));
      } catch (SQLException | StoreException e) {
        throw new AssertionError("the template of databases cannot be made", e);
      }
    }
  }

  public static Store open(StoreOptions options) throws StoreException {
    var policy = options.migrateOnStart() ? Migrations.Policy.ALL : Migrations.Policy.NOTHING;
    return Store.open(DatabaseAccess.forCommand(options), options, policy);
  }

  /** Copies a ready cluster into an empty data directory, which is faster than initdb. */
  public static void copyClusterTo(Path dataDir) throws IOException {
    try (Stream<Path> paths = Files.walk(Template.HOME)) {
      for (Path path : paths.toList()) {
        Path copy = dataDir.resolve("postgres").resolve(Template.HOME.relativize(path));
        Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /** Cluster without a server. */
  private static final class Template {
    static final Path HOME = make();

    private static Path make() {
      try {
        Path dataDir = Files.createTempDirectory("tollgate-it");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(dataDir)));
        try (var lock = DataDirLock.acquire(dataDir)) {
          EmbeddedPostgres.start(lock, circumstances()).close();
        }
        TestCluster.allowDatabases(dataDir);
        return dataDir.resolve("postgres");
      } catch (IOException | StoreException e) {
        throw new AssertionError("the tests' cluster cannot be made", e);
      }
    }
  }

  private static EmbeddedPostgres start() {
    try {
      Path dataDir = Files.createTempDirectory("tollgate-it");
      copyClusterTo(dataDir);
      EmbeddedPostgres server =
          EmbeddedPostgres.start(DataDirLock.acquire(dataDir), circumstances());
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, dataDir)));
      return server;
    } catch (IOException | StoreException e) {
      throw new AssertionError("the tests' PostgreSQL did not start", e);
    }
  }

  private static void stop(EmbeddedPostgres server, Path dataDir) {
    server.close();
    delete(dataDir);
  }

  private static void delete(Path dataDir) {
    try {
      FileTrees.delete(dataDir);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
