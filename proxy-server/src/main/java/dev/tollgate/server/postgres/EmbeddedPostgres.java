package dev.tollgate.server.postgres;

import dev.tollgate.core.catalog.Secret;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A private PostgreSQL under the data directory: made on first use, started, or adopted where an
 * earlier process died and left it running; reachable on the loopback address with a password that
 * only the owner of the directory can read.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);

  private final Postmaster postmaster;
  private final DatabaseAddress address;
  private final Beginning beginning;
  private final PostmasterWatch watch;

  private EmbeddedPostgres(
      Postmaster postmaster, DatabaseAddress address, Beginning beginning, int connectionsMax) {
    this.postmaster = postmaster;
    this.address = address;
    this.beginning = beginning;
    this.watch = new PostmasterWatch(postmaster, connectionsMax);
  }

  /** How the server came to run, and how long that took. */
  public record Beginning(Kind kind, Duration took) {
    /** The ways a server comes to run. */
    public enum Kind {
      /** The cluster was made first. */
      CREATED,
      /** The cluster was there. */
      STARTED,
      /** The server was there. */
      ADOPTED
    }
  }

  /**
   * What an operator does not configure.
   *
   * @param binaries where the programs are unpacked; empty: below the data directory
   * @param userNamespaces whether root may use them; otherwise it switches to another user
   */
  record Circumstances(Optional<Path> binaries, boolean userNamespaces, int connectionsMax) {
    static Circumstances usual(int connectionsMax) {
      return new Circumstances(Optional.empty(), true, connectionsMax);
    }
  }

  /** Brings the server up on a directory that this process owns. */
  static EmbeddedPostgres start(DataDirLock lock, Circumstances circumstances)
      throws StoreException {
    long began = System.nanoTime();
    PostgresHome home = PostgresHome.in(lock.dataDir());
    try {
      boolean isNew = !home.isInitialised();
      if (!isNew) {
        home.requireSameMajor();
      }
      RunAs runAs = RunAs.choose(home.folder(), circumstances.userNamespaces());
      home.create(runAs);
      PostgresBinaries binaries =
          PostgresBinaries.in(circumstances.binaries().orElse(home.binaries()));
      requireReachable(binaries, home, runAs);
      if (isNew) {
        home.initialise(binaries, runAs);
      }
      Postmaster postmaster = new Postmaster(home, binaries, runAs);
      Optional<DatabaseAddress> adopted = isNew ? Optional.empty() : adopt(postmaster, home);
      DatabaseAddress address =
          adopted.isPresent()
              ? adopted.get()
              : startOn(postmaster, home, circumstances.connectionsMax());
      Beginning.Kind kind =
          adopted.isPresent()
              ? Beginning.Kind.ADOPTED
              : isNew ? Beginning.Kind.CREATED : Beginning.Kind.STARTED;
      if (circumstances.binaries().isEmpty()) {
        binaries.deleteOthers();
      }
      Beginning beginning = new Beginning(kind, Duration.ofNanos(System.nanoTime() - began));
      log.info(
          "embedded PostgreSQL {} in {} ms at {}",
          kind,
          beginning.took().toMillis(),
          address.url());
      return new EmbeddedPostgres(postmaster, address, beginning, circumstances.connectionsMax());
    } catch (IOException e) {
      throw new StoreException("the embedded PostgreSQL cannot be started", e);
    }
  }

  /** The server that another process runs on this directory; empty while none accepts. */
  static Optional<DatabaseAddress> runningOn(Path dataDir) throws StoreException {
    PostgresHome home = PostgresHome.in(dataDir);
    try {
      Optional<PostmasterPid> running =
          PostmasterPid.read(home.cluster())
              .filter(PostmasterPid::isAlive)
              .filter(PostmasterPid::isReady);
      if (running.isEmpty()) {
        return Optional.empty();
      }
      requireStartedHere(running.get(), home);
      return Optional.of(addressOf(running.get(), home));
    } catch (IOException e) {
      throw new StoreException("cannot read " + home.folder(), e);
    }
  }

  public DatabaseAddress address() {
    return address;
  }

  public Beginning beginning() {
    return beginning;
  }

  /** From now on the server is started again if it dies. */
  void keepRunning() {
    watch.begin(URI.create(address.url().substring("jdbc:".length())).getPort());
  }

  /** Stops the server; clients are cut off. */
  @Override
  public void close() {
    stop(Postmaster.StopMode.FAST);
  }

  /** Stops the server after its last client has left, cutting off who stays for a minute. */
  void closeAfterLastClient() {
    stop(Postmaster.StopMode.SMART);
  }

  private void stop(Postmaster.StopMode mode) {
    watch.close();
    try {
      postmaster.stop(mode);
    } catch (IOException | StoreException e) {
      if (mode == Postmaster.StopMode.SMART) {
        stop(Postmaster.StopMode.FAST);
      } else {
        log.warn("the embedded PostgreSQL could not be stopped; the next start adopts it", e);
      }
    }
  }

  private static DatabaseAddress startOn(Postmaster postmaster, PostgresHome home, int connections)
      throws IOException, StoreException {
    DatabaseAddress address = addressOf(postmaster.start(connections), home);
    try {
      requireOurs(address, home);
      return address;
    } catch (SQLException e) {
      postmaster.stop(Postmaster.StopMode.FAST);
      throw new StoreException("the embedded PostgreSQL started but cannot be used", e);
    } catch (StoreException notFit) {
      postmaster.stop(Postmaster.StopMode.FAST);
      throw notFit;
    }
  }

  /** Takes over a server that an earlier process left, or stops it if it is not fit for use. */
  private static Optional<DatabaseAddress> adopt(Postmaster postmaster, PostgresHome home)
      throws IOException, StoreException {
    Optional<PostmasterPid> left = postmaster.running();
    if (left.isEmpty()) {
      return Optional.empty();
    }
    requireStartedHere(left.get(), home);
    log.info("a PostgreSQL of an earlier process still runs (pid {})", left.get().pid());
    try {
      if (left.get().isReady() && postmaster.isOfTheseBinaries(left.get())) {
        DatabaseAddress address = addressOf(left.get(), home);
        requireOurs(address, home);
        return Optional.of(address);
      }
    } catch (SQLException | StoreException e) {
      log.info("it cannot be adopted and is stopped: {}", e.getMessage());
    }
    if (left.get().isStopping()) {
      postmaster.awaitStopped();
    } else {
      postmaster.stop(Postmaster.StopMode.FAST);
    }
    return Optional.empty();
  }

  /**
   * Refuses a server that was started on another directory: ours is a copy of that one, and
   * stopping the server would take the database from whoever uses the original; or ours is that
   * one, moved, and the server still writes these files.
   */
  private static void requireStartedHere(PostmasterPid running, PostgresHome home)
      throws IOException, StoreException {
    if (!running.isOn(home.cluster())) {
      throw new StoreException(
          """
          %s says that the PostgreSQL of %s uses it, which still runs (pid %d). Nothing was changed.
            If this directory is a copy of one in use, it is not a usable copy: take one with
            tollgate store export, or copy again while the original's gateway is stopped.
            If it was moved, stop the gateway that used it, or what it left (kill -INT %d)."""
              .formatted(
                  PostmasterPid.file(home.cluster()),
                  running.dataDirectory(),
                  running.pid(),
                  running.pid()));
    }
  }

  /** Asks the server itself whether it is on our cluster, of our version, and durable. */
  private static void requireOurs(DatabaseAddress address, PostgresHome home)
      throws SQLException, StoreException {
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('data_directory'), current_setting('fsync'),"
                    + " current_setting('synchronous_commit'), current_setting('full_page_writes'),"
                    + " current_setting('server_version_num')::int / 10000")) {
      row.next();
      String durability = row.getString(2) + row.getString(3) + row.getString(4);
      if (!row.getString(1).equals(home.cluster().toString())
          || !durability.equals("ononon")
          || row.getInt(5) != PostgresBinaries.MAJOR) {
        throw new StoreException(
            "the server on " + address.url() + " is on another directory or is not durable");
      }
    }
  }

  private static Connection connect(DatabaseAddress address) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", PostgresHome.USER);
    Secret password = address.password();
    properties.setProperty("password", password == null ? "" : password.reveal());
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "5");
    return DriverManager.getConnection(address.url(), properties);
  }

  private static DatabaseAddress addressOf(PostmasterPid pid, PostgresHome home)
      throws IOException {
    String url = "jdbc:postgresql://127.0.0.1:" + pid.port() + "/postgres";
    return new DatabaseAddress(url, PostgresHome.USER, home.password());
  }

  private static void requireReachable(PostgresBinaries binaries, PostgresHome home, RunAs runAs)
      throws IOException, StoreException {
    for (String user : runAs.owner()) {
      Command look =
          Command.run(
              runAs.wrap(List.of("test", "-x", binaries.program("postgres"))),
              Path.of("/"),
              home.log());
      if (look.exitCode() != 0) {
        throw new StoreException(
            "PostgreSQL runs as the user "
                + user
                + " here, who cannot reach "
                + home.folder()
                + "; let others pass through the folders above it (chmod o+x), choose another"
                + " store.data_dir, or run Tollgate as a user who is not root");
      }
    }
  }
}
