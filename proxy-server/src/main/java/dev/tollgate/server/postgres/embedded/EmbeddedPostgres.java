package dev.tollgate.server.postgres.embedded;

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
 * Private PostgreSQL server under the data directory: created on first use, started, or adopted if
 * an earlier process died and left it running. It is reachable on the loopback address, with a
 * password that only the owner of the directory can read.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  /** A program that took the server's port never gets the password. */
  private static final String REQUIRE_SCRAM = "?requireAuth=scram-sha-256";

  private final Postmaster postmaster;
  private final DatabaseAddress address;
  private final StartOutcome startOutcome;
  private final PostmasterSupervisor supervisor;

  private EmbeddedPostgres(
      Postmaster postmaster,
      DatabaseAddress address,
      StartOutcome startOutcome,
      int connectionsMax) {
    this.postmaster = postmaster;
    this.address = address;
    this.startOutcome = startOutcome;
    this.supervisor = new PostmasterSupervisor(postmaster, connectionsMax);
  }

  /** How the embedded server was started, and how long that took. */
  public record StartOutcome(Kind kind, Duration took) {
    /** Kind of a start of the embedded server. */
    public enum Kind {
      /** The cluster was created first. */
      CREATED,
      /** The cluster existed. */
      STARTED,
      /** The server was running. */
      ADOPTED
    }
  }

  /**
   * Options of the embedded server that operators do not configure.
   *
   * @param binaries folder into which the programs are unpacked; empty means below the data
   *     directory
   * @param userNamespaces true if root may use them; otherwise it switches to another user
   */
  public record StartOptions(Optional<Path> binaries, boolean userNamespaces, int connectionsMax) {
    public static StartOptions defaults(int connectionsMax) {
      return new StartOptions(Optional.empty(), true, connectionsMax);
    }
  }

  /** Starts the server on a directory that this process owns. */
  public static EmbeddedPostgres start(DataDirLock lock, StartOptions options)
      throws StoreException {
    long began = System.nanoTime();
    PostgresDirectory directory = PostgresDirectory.in(lock.dataDir());
    try {
      boolean isNew = !directory.isInitialised();
      if (!isNew) {
        directory.requireSameMajor();
      }
      directory.create();
      PostgresBinaries binaries =
          PostgresBinaries.in(options.binaries().orElse(directory.binaries()));
      RunAs runAs = RunAs.choose(directory, binaries.directory(), options.userNamespaces());
      directory.admit(runAs);
      requireReachable(binaries, directory, runAs);
      if (isNew) {
        directory.initialise(binaries, runAs);
      }
      Postmaster postmaster = new Postmaster(directory, binaries, runAs);
      Optional<DatabaseAddress> adopted = isNew ? Optional.empty() : adopt(postmaster, directory);
      DatabaseAddress address =
          adopted.isPresent()
              ? adopted.get()
              : startOn(postmaster, directory, options.connectionsMax());
      StartOutcome.Kind kind =
          adopted.isPresent()
              ? StartOutcome.Kind.ADOPTED
              : isNew ? StartOutcome.Kind.CREATED : StartOutcome.Kind.STARTED;
      if (options.binaries().isEmpty()) {
        binaries.deleteOthers();
      }
      StartOutcome startOutcome =
          new StartOutcome(kind, Duration.ofNanos(System.nanoTime() - began));
      log()
          .info(
              "embedded PostgreSQL {} in {} ms at {}{}",
              kind,
              startOutcome.took().toMillis(),
              address.url(),
              runAs.uid().isEmpty()
                  ? ""
                  : ", as the user with the number " + runAs.uid().getAsInt());
      return new EmbeddedPostgres(postmaster, address, startOutcome, options.connectionsMax());
    } catch (IOException e) {
      throw new StoreException("the embedded PostgreSQL cannot be started", e);
    }
  }

  /**
   * Returns the server that another process runs on this directory; empty while none accepts
   * connections.
   */
  public static Optional<DatabaseAddress> runningOn(Path dataDir) throws StoreException {
    PostgresDirectory directory = PostgresDirectory.in(dataDir);
    try {
      Optional<PostmasterPid> running =
          PostmasterPid.read(directory.cluster())
              .filter(PostmasterPid::isAlive)
              .filter(PostmasterPid::isReady);
      if (running.isEmpty()) {
        return Optional.empty();
      }
      requireStartedHere(running.get(), directory);
      return Optional.of(addressOf(running.get(), directory));
    } catch (IOException e) {
      throw new StoreException("cannot read " + directory.folder(), e);
    }
  }

  public DatabaseAddress address() {
    return address;
  }

  public StartOutcome startOutcome() {
    return startOutcome;
  }

  /** Restarts the server from now on if it dies. */
  public void keepRunning() {
    supervisor.begin(URI.create(address.url().substring("jdbc:".length())).getPort());
  }

  /** Stops the server and disconnects its clients. */
  @Override
  public void close() {
    stop(Postmaster.StopMode.FAST);
  }

  /** Stops the server after its last client has disconnected, or after a minute. */
  public void closeAfterLastClient() {
    stop(Postmaster.StopMode.SMART);
  }

  private void stop(Postmaster.StopMode mode) {
    supervisor.close();
    try {
      postmaster.stop(mode);
    } catch (IOException | StoreException e) {
      if (mode == Postmaster.StopMode.SMART) {
        stop(Postmaster.StopMode.FAST);
      } else {
        log().warn("the embedded PostgreSQL could not be stopped; the next start adopts it", e);
      }
    }
  }

  private static DatabaseAddress startOn(
      Postmaster postmaster, PostgresDirectory directory, int connections)
      throws IOException, StoreException {
    DatabaseAddress address = addressOf(postmaster.start(connections), directory);
    try {
      requireOwnServer(address, directory);
      return address;
    } catch (SQLException e) {
      postmaster.stop(Postmaster.StopMode.FAST);
      throw new StoreException("the embedded PostgreSQL started but cannot be used", e);
    } catch (StoreException notFit) {
      postmaster.stop(Postmaster.StopMode.FAST);
      throw notFit;
    }
  }

  /** Adopts a server that an earlier process left running, or stops it if it is not fit for use. */
  private static Optional<DatabaseAddress> adopt(Postmaster postmaster, PostgresDirectory directory)
      throws IOException, StoreException {
    Optional<PostmasterPid> leftover = postmaster.running();
    if (leftover.isEmpty()) {
      return Optional.empty();
    }
    requireStartedHere(leftover.get(), directory);
    log()
        .info("a PostgreSQL of an earlier process is still running (pid {})", leftover.get().pid());
    try {
      if (leftover.get().isReady() && postmaster.isOfTheseBinaries(leftover.get())) {
        DatabaseAddress address = addressOf(leftover.get(), directory);
        requireOwnServer(address, directory);
        return Optional.of(address);
      }
    } catch (SQLException | StoreException e) {
      log().info("it cannot be adopted and is stopped: {}", e.getMessage());
    }
    if (leftover.get().isStopping()) {
      postmaster.awaitStopped();
    } else {
      postmaster.stop(Postmaster.StopMode.FAST);
    }
    return Optional.empty();
  }

  /**
   * Refuses a server that was started on another directory. Either this directory is a copy of that
   * one, and stopping the server would take the database from its user; or it is that one, moved,
   * and the server still writes these files.
   */
  private static void requireStartedHere(PostmasterPid running, PostgresDirectory directory)
      throws IOException, StoreException {
    if (!running.isOn(directory.cluster())) {
      throw new StoreException(
          """
          %s says that the PostgreSQL of %s uses it, which still runs (pid %d). Nothing was changed.
            If this directory is a copy of one in use, it is not a usable copy: take one with
            tollgate store export, or copy again while the original's gateway is stopped.
            If it was moved, stop the gateway that used it, or what it left (kill -INT %d)."""
              .formatted(
                  PostmasterPid.file(directory.cluster()),
                  running.dataDirectory(),
                  running.pid(),
                  running.pid()));
    }
  }

  /** Checks by a query that the server runs on this cluster, with this version, and durably. */
  private static void requireOwnServer(DatabaseAddress address, PostgresDirectory directory)
      throws SQLException, StoreException {
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('data_directory'), current_setting('fsync'),"
                    + " current_setting('synchronous_commit'), current_setting('full_page_writes'),"
                    + " current_setting('server_version_num')::int / 10000,"
                    + " rolsuper FROM pg_roles WHERE rolname = current_user")) {
      row.next();
      if (row.getBoolean(6)) {
        throw directory.madeBeforeTheFirstRelease();
      }
      String durability = row.getString(2) + row.getString(3) + row.getString(4);
      if (!row.getString(1).equals(directory.cluster().toString())
          || !durability.equals("ononon")
          || row.getInt(5) != PostgresBinaries.MAJOR) {
        throw new StoreException(
            "the server on " + address.url() + " is on another directory or is not durable");
      }
    }
  }

  private static Connection connect(DatabaseAddress address) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", PostgresDirectory.USER);
    Secret password = address.password();
    properties.setProperty("password", password == null ? "" : password.reveal());
    properties.setProperty("loginTimeout", "5");
    properties.setProperty("socketTimeout", "5");
    return DriverManager.getConnection(address.url(), properties);
  }

  private static DatabaseAddress addressOf(PostmasterPid pid, PostgresDirectory directory)
      throws IOException {
    String url = "jdbc:postgresql://127.0.0.1:" + pid.port() + "/postgres" + REQUIRE_SCRAM;
    return new DatabaseAddress(url, PostgresDirectory.USER, directory.password());
  }

  private static void requireReachable(
      PostgresBinaries binaries, PostgresDirectory directory, RunAs runAs)
      throws IOException, StoreException {
    if (runAs.uid().isEmpty()) {
      return;
    }
    ProcessResult probe =
        ProcessResult.run(
            runAs,
            List.of("test", "-x", binaries.program("postgres")),
            "",
            Path.of("/"),
            directory.log());
    if (probe.exitCode() != 0) {
      throw new StoreException(
          "PostgreSQL runs as the user with the number "
              + runAs.uid().getAsInt()
              + " here, which cannot reach "
              + binaries.directory()
              + "; make the folders above it searchable (chmod o+x), choose another"
              + " store.data_dir, or run Tollgate as another user than root");
    }
  }

  /** Returns the log, which takes longer to load than most commands run. */
  private static Logger log() {
    return LoggerFactory.getLogger(EmbeddedPostgres.class);
  }
}
