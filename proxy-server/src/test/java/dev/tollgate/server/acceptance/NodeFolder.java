package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.ScriptedUpstream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folder of one node: its configuration file and its data, kept over restarts and deleted at the
 * end. The admin listener gets a fixed port, because only the API's is printed.
 */
final class NodeFolder implements AutoCloseable {
  private final Path path;
  private final int adminPort = ScriptedUpstream.refusedPort();

  private NodeFolder(Path path) {
    this.path = path;
  }

  /** Creates a folder with this configuration. */
  static NodeFolder with(ConfigBuilder setup) throws IOException {
    NodeFolder folder = new NodeFolder(Files.createTempDirectory("tollgate-acceptance"));
    folder.write(setup);
    return folder;
  }

  /** Replaces the configuration. */
  void write(ConfigBuilder setup) throws IOException {
    writeText(setup.text(adminPort));
  }

  void writeText(String text) throws IOException {
    Files.writeString(config(), text);
  }

  Path config() {
    return path.resolve("tollgate.yaml");
  }

  Path path() {
    return path;
  }

  Path dataDir() {
    return path.resolve("data");
  }

  int adminPort() {
    return adminPort;
  }

  /** Returns the process id of the PostgreSQL on the data here; 0 if there is none. */
  long postmaster() {
    Path file = dataDir().resolve("postgres/cluster/postmaster.pid");
    try {
      return Files.exists(file) ? Long.parseLong(Files.readAllLines(file).getFirst().strip()) : 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the database's address for another node. */
  List<String> storeSettings() throws IOException {
    List<String> pid = Files.readAllLines(dataDir().resolve("postgres/cluster/postmaster.pid"));
    return List.of(
        "store.url=jdbc:postgresql://127.0.0.1:" + pid.get(3).strip() + "/postgres",
        "store.username=tollgate",
        "store.password=" + Files.readString(dataDir().resolve("postgres/password")).strip());
  }

  /**
   * Freezes the PostgreSQL on the data here by SIGSTOP: it keeps its connections, and is silent.
   */
  void freezePostgres() throws IOException, InterruptedException {
    signalPostgres("STOP");
  }

  /** Continues a frozen PostgreSQL. */
  void thawPostgres() throws IOException, InterruptedException {
    signalPostgres("CONT");
  }

  /** Its first process, which starts the others, comes first. */
  private void signalPostgres(String signal) throws IOException, InterruptedException {
    ProcessHandle first = ProcessHandle.of(postmaster()).orElseThrow();
    signal(signal, first);
    for (ProcessHandle each : first.descendants().toList()) {
      signal(signal, each);
    }
  }

  private static void signal(String signal, ProcessHandle process)
      throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();
  }

  void killPostmaster() {
    ProcessHandle.of(postmaster()).ifPresent(ProcessHandle::destroyForcibly);
  }

  @Override
  public void close() {
    killPostmaster();
    try (Stream<Path> files = Files.walk(path)) {
      files.sorted(Comparator.reverseOrder()).forEach(NodeFolder::delete);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
