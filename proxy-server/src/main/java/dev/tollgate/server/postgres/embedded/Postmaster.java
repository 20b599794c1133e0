package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Control of the PostgreSQL server process of one cluster: starts and stops it. The server is
 * started through {@code pg_ctl}, which gives it a session of its own: an interrupt typed at the
 * terminal must reach Tollgate, which drains, and not its database.
 */
final class Postmaster {
  private static final long LOG_BYTES_MAX = 10L << 20;
  private static final long STOP_SECONDS_MAX = 60;
  private static final int START_ATTEMPTS_MAX = 3;

  private final PostgresDirectory directory;
  private final PostgresBinaries binaries;
  private final RunAs runAs;

  Postmaster(PostgresDirectory directory, PostgresBinaries binaries, RunAs runAs) {
    this.directory = directory;
    this.binaries = binaries;
    this.runAs = runAs;
  }

  /** Mode in which {@code pg_ctl} stops a server. */
  enum StopMode {
    /** Stops after the last client has disconnected. */
    SMART,
    /** Disconnects clients, rolls back their transactions and writes a checkpoint. */
    FAST
  }

  /** Returns the server that runs on this cluster, whichever process started it. */
  Optional<PostmasterPid> running() throws IOException {
    return PostmasterPid.read(directory.cluster()).filter(PostmasterPid::isAlive);
  }

  /** True if a server runs the programs of this build. */
  boolean isOfTheseBinaries(PostmasterPid server) {
    return server.commandLine().map(line -> line.contains(binaries.program(""))).orElse(true);
  }

  /**
   * Starts the server on a free port of the loopback address and waits until it accepts
   * connections.
   */
  PostmasterPid start(int connectionsMax) throws IOException, StoreException {
    return start(connectionsMax, freePort());
  }

  /** Starts the server, first on the given port, where connections expect it. */
  PostmasterPid start(int connectionsMax, int port) throws IOException, StoreException {
    removeForeignPid();
    Optional<PostmasterPid> stale = PostmasterPid.read(directory.cluster());
    keepLogShort();
    for (int attempt = 1; ; attempt++) {
      Process pgCtl =
          ProcessResult.start(
              runAs, startCommand(connectionsMax, port), "", directory.folder(), directory.log());
      Optional<PostmasterPid> started = awaitReady(pgCtl, stale);
      if (started.isPresent()) {
        return started.get();
      }
      // Another process may have taken the port between the check and the start.
      String log = ProcessResult.tail(directory.log());
      if (attempt == START_ATTEMPTS_MAX || !log.contains("could not bind")) {
        throw new StoreException("the embedded PostgreSQL did not start:\n" + log);
      }
      port = freePort();
    }
  }

  /** Stops the server and waits for its end. */
  void stop(StopMode mode) throws IOException, StoreException {
    String name = mode == StopMode.SMART ? "smart" : "fast";
    ProcessResult.run(
        runAs,
        List.of(
            binaries.program("pg_ctl"), "stop", "-W", "-D", "" + directory.cluster(), "-m", name),
        "",
        directory.folder(),
        directory.log());
    awaitStopped();
  }

  void awaitStopped() throws IOException, StoreException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX);
    // The pid file is deleted last; the process may stay a zombie in a container without init.
    while (running().isPresent()) {
      if (System.nanoTime() - deadline > 0) {
        throw new StoreException(
            "the embedded PostgreSQL did not stop within " + STOP_SECONDS_MAX + " s");
      }
      pause();
    }
  }

  /**
   * Waits until the server accepts connections, or pg_ctl gives up.
   *
   * @param stale the pid file of an earlier server; pg_ctl or the server may now have its number
   */
  private Optional<PostmasterPid> awaitReady(Process pgCtl, Optional<PostmasterPid> stale)
      throws IOException {
    OptionalLong before = stale.stream().mapToLong(PostmasterPid::startedAtSecond).findFirst();
    while (true) {
      Optional<PostmasterPid> ready =
          running()
              .filter(PostmasterPid::isReady)
              .filter(now -> before.isEmpty() || now.startedAtSecond() != before.getAsLong());
      if (ready.isPresent()) {
        return ready;
      }
      // If an earlier process started a server just before it died, waits for that one.
      if (!pgCtl.isAlive() && pgCtl.exitValue() != 0 && running().isEmpty()) {
        return Optional.empty();
      }
      pause();
    }
  }

  private List<String> startCommand(int connectionsMax, int port) {
    String options =
        String.join(
            " -c ",
            "-c fsync=on",
            "synchronous_commit=on",
            "full_page_writes=on",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=''",
            "port=" + port,
            "max_connections=" + connectionsMax,
            "shared_buffers=64MB",
            "wal_buffers=16MB",
            // Fast charges fill these buffers every second or two. The background writer empties
            // them beside the backend that settles, not this backend itself.
            "bgwriter_delay=20ms",
            "bgwriter_lru_maxpages=1000",
            "bgwriter_lru_multiplier=4",
            "jit=off");
    return List.of(
        binaries.program("pg_ctl"),
        "start",
        "-w",
        "-t",
        "300",
        "-s",
        "-D",
        directory.cluster().toString(),
        "-l",
        directory.log().toString(),
        "-o",
        options);
  }

  /**
   * Deletes the pid file of a server that died with its machine if its number now belongs to
   * another program, which PostgreSQL would mistake for itself. A number without a process is left
   * to PostgreSQL, which looks for surviving children first.
   */
  private void removeForeignPid() throws IOException {
    Optional<PostmasterPid> leftover = PostmasterPid.read(directory.cluster());
    if (leftover.isPresent()
        && !leftover.get().isAlive()
        && ProcessHandle.of(leftover.get().pid()).isPresent()) {
      Files.deleteIfExists(PostmasterPid.file(directory.cluster()));
    }
  }

  private void keepLogShort() throws IOException {
    Path log = directory.log();
    if (Files.exists(log) && Files.size(log) > LOG_BYTES_MAX) {
      Files.move(log, Path.of(log + ".1"), StandardCopyOption.REPLACE_EXISTING);
    }
    if (!Files.exists(log)) {
      Files.createFile(log);
    }
    FileTrees.giveTo(runAs.uid(), log);
  }

  private static int freePort() throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for PostgreSQL", e);
    }
  }
}
