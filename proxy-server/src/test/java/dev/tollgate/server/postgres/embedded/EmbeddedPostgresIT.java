package dev.tollgate.server.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.server.postgres.KillableOwner;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres.StartOptions;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres.StartOutcome.Kind;
import dev.tollgate.server.postgres.session.Migrations;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Embedded server over starts, restarts and crashes of its owner. */
@Tag("chaos")
public class EmbeddedPostgresIT {
  @TempDir Path dataDir;
  private DataDirLock lock;

  @BeforeEach
  void takeLock() throws StoreException {
    lock = DataDirLock.acquire(dataDir);
  }

  @AfterEach
  void releaseLock() {
    lock.close();
  }

  @Test
  void whatWasWrittenIsThereAfterARestart() throws Exception {
    try (var postgres = start()) {
      assertThat(postgres.startOutcome().kind()).isEqualTo(Kind.CREATED);
      execute(postgres, "CREATE TABLE kept AS SELECT 42 AS n");
    }
    assertThat(EmbeddedPostgres.runningOn(dataDir)).isEmpty();
    try (var postgres = start()) {
      assertThat(postgres.startOutcome().kind()).isEqualTo(Kind.STARTED);
      assertThat(query(postgres, "SELECT n FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void commitsSurvivePowerLossAndOnlyWeMayConnect() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    try (var postgres = start()) {
      for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
        assertThat(query(postgres, "SHOW " + setting)).as(setting).isEqualTo("on");
      }
      assertThat(query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(Files.readAllLines(dataDir.resolve("postgres/cluster/pg_hba.conf")))
          .filteredOn(line -> !line.isBlank() && !line.startsWith("#"))
          .isNotEmpty()
          .allMatch(line -> line.endsWith(" scram-sha-256"));
      assertThat(query(postgres, "SHOW scram_iterations")).isEqualTo("64");
      Path password = dataDir.resolve("postgres/password");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(password)))
          .isEqualTo("rw-------");
      var stranger = new DatabaseAddress(postgres.address().url(), PostgresDirectory.USER, null);
      assertThatThrownBy(() -> Migrations.plain(stranger).getConnection())
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void anotherProgramInItsPlaceDoesNotGetThePassword() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    DatabaseAddress address;
    try (var postgres = start()) {
      address = postgres.address();
    }
    int port = URI.create(address.url().substring("jdbc:".length())).getPort();
    try (var listening = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> reply = threads.submit(() -> replyToRequestForPassword(listening));
      assertThatThrownBy(() -> Migrations.plain(address).getConnection())
          .isInstanceOf(SQLException.class);
      assertThat(reply.get(10, TimeUnit.SECONDS)).as("the end of the connection").isEqualTo(-1);
    }
  }

  /** Returns the first byte that a client sends when it is asked for its password in the clear. */
  private static int replyToRequestForPassword(ServerSocket listening) throws IOException {
    try (Socket client = listening.accept()) {
      var in = new DataInputStream(client.getInputStream());
      var out = new DataOutputStream(client.getOutputStream());
      int length = in.readInt();
      in.skipNBytes(length - 4);
      while (length == 8) { // asks for encryption; what starts a session is longer
        out.writeByte('N');
        length = in.readInt();
        in.skipNBytes(length - 4);
      }
      out.write(new byte[] {'R', 0, 0, 0, 8, 0, 0, 0, 3});
      return in.read();
    }
  }

  @Test
  void aBackendKeepsTheMemoryOfABatchForTheNextOne() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    try (var postgres = start();
        Connection connection = Migrations.plain(postgres.address()).getConnection()) {
      long backend = oneNumber(connection, "SELECT pg_backend_pid()");
      String eightMegabytes =
          "SELECT sum(length(x)) FROM unnest(array_fill(repeat('c', 200), '{40000}')) x";
      for (int warmUp = 0; warmUp < 5; warmUp++) {
        assertThat(oneNumber(connection, eightMegabytes)).isEqualTo(8_000_000);
      }
      long before = pagesTaken(backend);
      assertThat(oneNumber(connection, eightMegabytes)).isEqualTo(8_000_000);
      assertThat(pagesTaken(backend) - before).as("pages of 4 KiB").isLessThan(200);
    }
  }

  /** Returns the page faults of a process so far; field 10 of its line, by proc(5). */
  private static long pagesTaken(long pid) throws IOException {
    String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    String behindTheName = line.substring(line.lastIndexOf(')') + 2);
    return Long.parseLong(behindTheName.split(" ", 9)[7]);
  }

  private static long oneNumber(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Test
  void aServerThatItsOwnerLeftBehindIsAdopted() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    try (var postgres = start()) {
      execute(postgres, "CREATE TABLE kept AS SELECT 42 AS n");
      try (var again = start()) {
        assertThat(again.startOutcome().kind()).isEqualTo(Kind.ADOPTED);
        assertThat(again.address().url()).isEqualTo(postgres.address().url());
        assertThat(query(again, "SELECT n FROM kept")).isEqualTo("42");
      }
    }
  }

  @Test
  void aServerThatDiesUnderItsOwnerIsStartedAgainAtItsAddress() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    try (var postgres = start()) {
      execute(postgres, "CREATE TABLE kept AS SELECT 42 AS n");
      postgres.keepRunning();
      long died = postmasterPid();
      ProcessHandle.of(died).orElseThrow().destroyForcibly();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (EmbeddedPostgres.runningOn(dataDir).isEmpty() || postmasterPid() == died) {
        assertThat(System.nanoTime()).as("it is not back").isLessThan(deadline);
        DataDirLock.pause();
      }
      assertThat(query(postgres, "SELECT n FROM kept")).isEqualTo("42");
    }
    assertThat(EmbeddedPostgres.runningOn(dataDir)).as("stopped is not dead").isEmpty();
  }

  private long postmasterPid() throws Exception {
    return PostmasterPid.read(PostgresDirectory.in(dataDir).cluster())
        .map(PostmasterPid::pid)
        .orElse(0L);
  }

  @Test
  void aServerThatIsNotDurableIsStoppedAndNotAdopted() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    try (var postgres = start()) {
      execute(postgres, "ALTER ROLE tollgate SET synchronous_commit = off");
      assertThatThrownBy(this::start).hasMessageContaining("not durable");
      assertThat(EmbeddedPostgres.runningOn(dataDir)).isEmpty();
    }
  }

  @Test
  void aCopyOfADirectoryInUseIsRefusedAndTheOriginalStaysUp() throws Exception {
    Path original = Files.createDirectory(dataDir.resolve("original"));
    Path copy = Files.createDirectory(dataDir.resolve("copy"));
    SharedPostgres.copyClusterTo(original);
    SharedPostgres.copyClusterTo(copy);
    try (var itsLock = DataDirLock.acquire(original);
        var copysLock = DataDirLock.acquire(copy);
        var postgres = EmbeddedPostgres.start(itsLock, SharedPostgres.circumstances())) {
      Path pidFile = PostmasterPid.file(PostgresDirectory.in(copy).cluster());
      Files.copy(PostmasterPid.file(PostgresDirectory.in(original).cluster()), pidFile);

      assertThatThrownBy(() -> EmbeddedPostgres.start(copysLock, SharedPostgres.circumstances()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(original.toString())
          .hasMessageContaining("tollgate store export");
      assertThatThrownBy(() -> EmbeddedPostgres.runningOn(copy))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(original.toString());
      assertThat(pidFile).as("after a move it belongs to a server that runs here").exists();
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aPidFileThatNamesAnotherProgramIsStale() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    Path pidFile = dataDir.resolve("postgres/cluster/postmaster.pid");
    // After a restart of the machine the number may belong to any process: here, to this test.
    List<String> lines = new ArrayList<>(List.of("" + ProcessHandle.current().pid()));
    lines.addAll(
        List.of(dataDir.resolve("postgres/cluster").toString(), "1", "5432", "", "", "", "ready"));
    Files.write(pidFile, lines);

    try (var postgres = start()) {
      assertThat(postgres.startOutcome().kind()).isEqualTo(Kind.STARTED);
    }
  }

  @Test
  void anotherMajorVersionIsRefusedWithTheStepsToTake() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    Files.writeString(dataDir.resolve("postgres/PG_MAJOR"), "17\n");

    assertThatThrownBy(this::start)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("made by PostgreSQL 17")
        .hasMessageContaining("tollgate store export")
        .hasMessageContaining("tollgate store import");
  }

  @Test
  void aVersionThatCannotBeReadIsRefusedByTheNameOfItsFile() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    Path file = dataDir.toRealPath().resolve("postgres/PG_MAJOR");
    for (String unreadable : List.of("", "eighteen\n")) {
      Files.writeString(file, unreadable);
      assertThatThrownBy(this::start)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(file.toString());
    }
    Files.delete(file);
    assertThatThrownBy(this::start)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void aHalfMadeClusterIsMadeAnew() throws Exception {
    Path partial = Files.createDirectories(dataDir.resolve("postgres/cluster.new"));
    Files.writeString(partial.resolve("PG_VERSION"), "18\n");

    try (var postgres = start()) {
      assertThat(postgres.startOutcome().kind()).isEqualTo(Kind.CREATED);
      assertThat(query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void theServerIsNotRootOutsideItsNamespaceEither() throws Exception {
    Files.setPosixFilePermissions(dataDir, PosixFilePermissions.fromString("rwx------"));
    for (Kind kind : List.of(Kind.CREATED, Kind.STARTED)) {
      try (var postgres = start()) {
        assertThat(postgres.startOutcome().kind()).isEqualTo(kind);
        assertThat(userIds(postmasterPid())).isNotEmpty().doesNotContain("0");
      }
    }
    for (String ours : List.of("", "password", "PG_MAJOR")) {
      Object owner = Files.getAttribute(dataDir.resolve("postgres/" + ours), "unix:uid");
      assertThat(owner).as("%s", ours).isEqualTo(Files.getAttribute(dataDir, "unix:uid"));
    }
  }

  @Test
  void theApplicationIsNoSuperuser() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    try (var postgres = start()) {
      for (String forbidden :
          List.of(
              "COPY (SELECT 1) TO PROGRAM 'cat'",
              "COPY (SELECT 1) TO '/tmp/tollgate-copy'",
              "SELECT pg_read_file('/etc/passwd')",
              "SELECT rolpassword FROM pg_authid",
              "CREATE ROLE another SUPERUSER",
              "ALTER ROLE tollgate SUPERUSER",
              "SET ROLE postgres",
              "CREATE FUNCTION c() RETURNS int LANGUAGE c AS '/tmp/x.so', 'x'")) {
        assertThatThrownBy(() -> execute(postgres, forbidden))
            .as(forbidden)
            .isInstanceOfSatisfying(
                SQLException.class,
                refused -> assertThat(refused.getSQLState()).isEqualTo("42501"));
      }
    }
  }

  @Test
  void aClusterWhoseApplicationWasSuperuserIsRefused() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    TestCluster.execute(dataDir, "ALTER ROLE tollgate SUPERUSER");
    assertThatThrownBy(this::start)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("before the first release");
  }

  @Test
  void rootIsRefusedWhereThereIsNoOtherUserForTheServer() throws Exception {
    PostgresDirectory directory = PostgresDirectory.in(dataDir);
    directory.create();
    RunAs usual = RunAs.choose(directory, dataDir, true);
    if (!(usual instanceof UserNamespace)) {
      assertThat(usual.wrap(List.of("id")))
          .as("this process is not root, or there is a user tollgate")
          .endsWith("id");
      return;
    }
    assertThatThrownBy(() -> RunAs.choose(directory, dataDir, false))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("useradd --system tollgate");
  }

  @Test
  void everyWayToRunAsAnotherUserRunsAsThatUser() throws Exception {
    PostgresDirectory directory = PostgresDirectory.in(dataDir);
    directory.create();
    if (RunAs.choose(directory, dataDir, true) instanceof RunAs.CurrentUser) {
      assertThat(System.getProperty("user.name"))
          .as("only root can be another")
          .isNotEqualTo("root");
      return;
    }
    Path open = Path.of("/");
    Path output = dataDir.resolve("output");
    List<String> print = List.of("sh", "-c", "id -un; printf '%s' \"$0\"", "it's \"quoted\" $HOME");
    for (RunAs runAs :
        List.of(
            new RunAs.SetPriv("nobody"),
            new RunAs.Su("nobody"),
            new UserNamespace(1_999_999_999, open, open),
            new UserNamespace(1_999_999_999, dataDir, dataDir))) {
      ProcessResult printed = ProcessResult.run(runAs, print, "", open, output);
      assertThat(printed.output()).as("%s", runAs).isEqualTo("nobody\nit's \"quoted\" $HOME");
      Files.delete(output);
    }
  }

  /** Returns the user ids of a process as this process sees them. */
  private static List<String> userIds(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
        .filter(line -> line.startsWith("Uid:"))
        .flatMap(line -> Stream.of(line.split("\\s+")).skip(1))
        .toList();
  }

  @Test
  void programsOfEarlierBuildsAreDeletedAndTheirServerIsNotAdopted() throws Exception {
    SharedPostgres.copyClusterTo(dataDir);
    Path cache = dataDir.resolve("postgres/binaries");
    var earlier = new StartOptions(SharedPostgres.circumstances().binaries(), true, 40);
    try (var old = EmbeddedPostgres.start(lock, earlier)) {
      Path leftOver = Files.createDirectories(cache.resolve("postgres-of-last-year/bin"));
      try (var now = EmbeddedPostgres.start(lock, StartOptions.defaults(40))) {
        assertThat(now.startOutcome().kind()).isEqualTo(Kind.STARTED);
        assertThat(leftOver).doesNotExist();
        assertThat(cache).isDirectoryContaining(path -> path.toString().contains("postgres-"));
        assertThat(query(now, "SELECT 1")).isEqualTo("1");
      }
      assertThat(old.startOutcome().kind()).isEqualTo(Kind.STARTED);
    }
  }

  @Test
  void theDirectoryBelongsToOneProcess() throws Exception {
    assertThatThrownBy(() -> DataDirLock.acquire(dataDir))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("in use by another process")
        .hasMessageContaining("pid " + ProcessHandle.current().pid());

    Process other = lockInAnotherProcess();
    assertThat(other.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(other.exitValue()).isEqualTo(3);

    lock.close();
    Process next = lockInAnotherProcess();
    assertThat(next.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(next.exitValue()).isEqualTo(0);
    lock = DataDirLock.acquire(dataDir);
  }

  @Test
  void aServerWhoseOwnerWasKilledIsAdoptedWithItsData() throws Exception {
    SharedPostgres.copyClusterTo(Files.createDirectory(dataDir.resolve("its")));
    Process owner = KillableOwner.launch(dataDir.resolve("its"));
    KillableOwner.awaitReady(owner);
    owner.destroyForcibly().waitFor();
    try (var itsLock = DataDirLock.acquire(dataDir.resolve("its"));
        var postgres = EmbeddedPostgres.start(itsLock, SharedPostgres.circumstances())) {
      assertThat(postgres.startOutcome().kind()).isEqualTo(Kind.ADOPTED);
      assertThat(query(postgres, "SELECT n FROM kept")).isEqualTo("42");
    }
  }

  private Process lockInAnotherProcess() throws Exception {
    return KillableOwner.java(KillableOwner.LockOnly.class, dataDir).start();
  }

  private EmbeddedPostgres start() throws StoreException {
    return EmbeddedPostgres.start(lock, SharedPostgres.circumstances());
  }

  public static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = Migrations.plain(postgres.address()).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = public; " + sql);
    }
  }

  private static String query(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = Migrations.plain(postgres.address()).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = public");
      try (ResultSet row = statement.executeQuery(sql)) {
        row.next();
        return row.getString(1);
      }
    }
  }
}
