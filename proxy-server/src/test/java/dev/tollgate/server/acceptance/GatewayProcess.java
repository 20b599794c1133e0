package dev.tollgate.server.acceptance;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.server.postgres.ReadyCluster;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The built program, {@code serve}, as a child process. It is started with the launcher's flags
 * from the jars of the build, and ends before this JVM.
 */
final class GatewayProcess implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(3);
  private static final Duration STOP = Duration.ofSeconds(90);
  private static final Duration JVM_END = Duration.ofSeconds(10);
  private static final Pattern SERVES = Pattern.compile("Tollgate serves (\\S+)");
  private static final Pattern DASHBOARD = Pattern.compile("dashboard  (\\S+)");
  private static final Pattern KEY = Pattern.compile("sk-llm-[0-9A-Za-z]+");

  private final NodeFolder home;
  private final Process process;
  private final ProcessOutput out;
  private final ProcessOutput err;
  private final Thread hook = new Thread(this::endWithThisJvm);
  private URI baseUrl = URI.create("http://127.0.0.1");
  private boolean homeEndsToo;

  private GatewayProcess(NodeFolder home, Process process) {
    this.home = home;
    this.process = process;
    this.out = ProcessOutput.of(process.getInputStream());
    this.err = ProcessOutput.of(process.getErrorStream());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Starts it in a folder and waits until it serves. */
  static GatewayProcess start(NodeFolder home, List<String> jvmFlags, String... sets)
      throws IOException, InterruptedException {
    return serving(launch(home, jvmFlags, sets));
  }

  /** Starts it in a new folder, which is deleted on close. */
  static GatewayProcess start(ConfigBuilder setup, List<String> jvmFlags, String... sets)
      throws IOException, InterruptedException {
    GatewayProcess binary = launch(NodeFolder.with(setup), jvmFlags, sets);
    binary.homeEndsToo = true;
    return serving(binary);
  }

  private static GatewayProcess serving(GatewayProcess binary) throws InterruptedException {
    try {
      binary.awaitServing();
      return binary;
    } catch (AssertionError e) {
      binary.close();
      throw e;
    }
  }

  static GatewayProcess start(NodeFolder home, String... sets)
      throws IOException, InterruptedException {
    return start(home, List.of(), sets);
  }

  /** Starts a process without a gateway that writes the list of its loaded classes at exit. */
  static GatewayProcess recorded(NodeFolder home, Path archive)
      throws IOException, InterruptedException {
    List<String> flags = List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable");
    List<String> arguments = List.of("serve", "--config", home.config() + "");
    return serving(new GatewayProcess(home, LauncherProcess.bare(flags, arguments).start()));
  }

  /** Starts it and does not wait: for starts that should fail. */
  static GatewayProcess launch(NodeFolder home, List<String> jvmFlags, String... sets)
      throws IOException {
    if (Stream.of(sets).noneMatch(set -> set.startsWith("store.url="))) {
      ReadyCluster.putInto(home.dataDir());
    }
    List<String> arguments = new ArrayList<>(List.of("serve", "--config", home.config() + ""));
    for (String set : sets) {
      arguments.add("--set");
      arguments.add(set);
    }
    return new GatewayProcess(home, LauncherProcess.process(jvmFlags, arguments).start());
  }

  private void awaitServing() throws InterruptedException {
    Optional<String> serves = out.await(line -> SERVES.matcher(line).matches(), START);
    Matcher matcher = SERVES.matcher(serves.orElse(""));
    if (!matcher.matches()) {
      throw new AssertionError("it did not serve:\n" + out.text() + "\n" + err.text());
    }
    baseUrl = URI.create(matcher.group(1));
  }

  /** Returns the base URL for clients, ending in {@code /v1}. */
  URI baseUrl() {
    return baseUrl;
  }

  int port() {
    return baseUrl.getPort();
  }

  long pid() {
    return process.pid();
  }

  /** Returns a client whose responses are checked against the OpenAPI document. */
  RawClient connect() {
    return RawClient.connect(port()).watched(ApiConformance::require);
  }

  Admin admin() {
    return new Admin(home.adminPort());
  }

  NodeFolder home() {
    return home;
  }

  /** Returns the first key, which is printed by the process that created it. */
  String bootstrapKey() throws InterruptedException {
    String line =
        out.await(text -> KEY.matcher(text).find(), START)
            .orElseThrow(() -> new AssertionError("no key was printed:\n" + out.text()));
    Matcher matcher = KEY.matcher(line);
    return matcher.find() ? matcher.group() : "";
  }

  /**
   * Returns the printed address of the dashboard; behind its number sign is the secret that makes
   * the first account, if there was none.
   */
  URI dashboard() throws InterruptedException {
    String line = out.await(text -> DASHBOARD.matcher(text).matches(), START).orElse("");
    Matcher matcher = DASHBOARD.matcher(line);
    if (!matcher.matches()) {
      throw new AssertionError("no dashboard was printed:\n" + out.text());
    }
    return URI.create(matcher.group(1));
  }

  ProcessOutput out() {
    return out;
  }

  ProcessOutput err() {
    return err;
  }

  /** Sends SIGTERM. */
  void terminate() {
    process.toHandle().destroy(); // also closes the streams of its output
  }

  /** Sends SIGKILL to the program alone: its PostgreSQL is left running. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Sends SIGHUP. */
  void hangUp() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-HUP", "" + process.pid()).start().waitFor();
  }

  /** Lets every write to its files fail from now on; pipes and sockets work. */
  void failWrites() throws IOException, InterruptedException {
    limitFiles("1:1");
  }

  /** Limits the size of its files from now on: preallocated files cannot be created. */
  void refuseFilesAbove(int bytes) throws IOException, InterruptedException {
    limitFiles(bytes + ":unlimited");
  }

  void allowFiles() throws IOException, InterruptedException {
    limitFiles("unlimited:unlimited");
  }

  private void limitFiles(String softAndHard) throws IOException, InterruptedException {
    var prlimit = new ProcessBuilder("prlimit", "--pid=" + process.pid(), "--fsize=" + softAndHard);
    if (prlimit.inheritIO().start().waitFor() != 0) {
      throw new AssertionError("prlimit failed");
    }
  }

  /** Runs a garbage collection in it, so that leaked buffers can be detected. */
  void collectGarbage() throws IOException, InterruptedException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process run = new ProcessBuilder(jcmd, "" + process.pid(), "GC.run").start();
    if (run.waitFor() != 0) {
      throw new AssertionError("jcmd failed");
    }
  }

  /** Returns the bytes of all reachable objects in it. */
  long liveHeapBytes() throws IOException, InterruptedException {
    return LiveHeap.bytesOf(process.pid());
  }

  /** Waits for its end and returns its exit code. */
  int awaitExit() throws InterruptedException {
    if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("it does not end:\n" + err.text());
    }
    return process.exitValue();
  }

  boolean isRunning() {
    return process.isAlive();
  }

  void endWithThisJvm() {
    process.destroy();
    try {
      process.waitFor(JVM_END.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  /**
   * Ends it, by SIGTERM first. Its database is stopped by its folder, should it be left running.
   */
  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    Runtime.getRuntime().removeShutdownHook(hook);
    if (homeEndsToo) {
      home.close();
    }
  }
}
