package dev.tollgate.server.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process under measurement: the binary with one verb, its own JVM and its own memory. */
final class MeasuredProcess implements AutoCloseable {
  private static final Path ROOT = Path.of(System.getProperty("tollgate.root", ".."));

  /** The jars of the present build. */
  static final Path LIB = ROOT.resolve("proxy-server/target/tollgate/lib");

  private static final Pattern THREAD_CPU =
      Pattern.compile("^\"([^\"]+)\".* cpu=([0-9.]+)ms", Pattern.MULTILINE);
  private static final Pattern ALLOCATED = Pattern.compile(" allocated=(\\d+)([BKMG])");

  private final Process process;
  private final BufferedReader stdout;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  private MeasuredProcess(Process process) {
    this.process = process;
    this.stdout = process.inputReader();
  }

  /** Starts {@code tollgate} with these arguments; its log goes to {@code log}. */
  static MeasuredProcess start(Path log, List<String> jvmFlags, String... arguments)
      throws IOException {
    return start(LIB, log, jvmFlags, arguments);
  }

  /** The same from another build's jars. */
  static MeasuredProcess start(Path lib, Path log, List<String> jvmFlags, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(cores(arguments[0]));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseCompactObjectHeaders"));
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", lib + "/*", "dev.tollgate.server.cli.Main"));
    command.addAll(List.of(arguments));
    return new MeasuredProcess(new ProcessBuilder(command).redirectError(log.toFile()).start());
  }

  private static List<String> cores(String verb) {
    return verb.equals("serve") ? Cores.ofTheGateway() : Cores.ofOthers();
  }

  /**
   * Starts the bare relay of the comparison, between a port that it prints and one of this machine.
   */
  static MeasuredProcess relay(Path log, int port) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseCompactObjectHeaders",
            "-Xms512m",
            "-Xmx512m",
            "-cp",
            LIB + "/*",
            ROOT.resolve("loadtest/compare/peers/Relay.java").toString(),
            "0",
            Integer.toString(port)));
    return new MeasuredProcess(new ProcessBuilder(command).redirectError(log.toFile()).start());
  }

  /** Reads on to the first line of stdout that the pattern finds; its first group. */
  String awaitLine(String pattern) throws IOException {
    Pattern wanted = Pattern.compile(pattern);
    while (true) {
      String line = stdout.readLine();
      if (line == null) {
        throw new IOException("the process ended before it printed " + pattern);
      }
      Matcher found = wanted.matcher(line);
      if (found.find()) {
        return found.group(1);
      }
    }
  }

  long pid() {
    return process.pid();
  }

  /** Limits its open files. */
  void limitFiles(int max) throws IOException, InterruptedException {
    var prlimit = new ProcessBuilder("prlimit", "--pid=" + pid(), "--nofile=" + max + ":" + max);
    if (prlimit.inheritIO().start().waitFor() != 0) {
      throw new IOException("prlimit failed");
    }
  }

  /** Collects garbage, so that what is measured is alive. */
  void collectGarbage() throws IOException, InterruptedException {
    var _ = jcmd("GC.run");
  }

  /**
   * Heap bytes that the platform threads of this name allocated so far, as the JVM counts them; it
   * tells them to the MiB once they are many.
   */
  long allocatedBytes(String threadPrefix) throws IOException, InterruptedException {
    return jcmd("Thread.print", "-e")
        .lines()
        .filter(line -> line.startsWith("\"" + threadPrefix))
        .mapToLong(MeasuredProcess::bytesIn)
        .sum();
  }

  /** CPU milliseconds of the platform threads so far, by their names without digits. */
  Map<String, Double> cpuByThread() throws IOException, InterruptedException {
    Map<String, Double> sums = new TreeMap<>();
    Matcher thread = THREAD_CPU.matcher(jcmd("Thread.print"));
    while (thread.find()) {
      String name = thread.group(1).replaceAll("[-#0-9 ]+", "");
      sums.merge(name, Double.parseDouble(thread.group(2)), Double::sum);
    }
    return sums;
  }

  private static long bytesIn(String threadLine) {
    Matcher allocated = ALLOCATED.matcher(threadLine);
    if (!allocated.find()) {
      throw new IllegalArgumentException("no bytes in " + threadLine);
    }
    long count = Long.parseLong(allocated.group(1));
    return switch (allocated.group(2)) {
      case "B" -> count;
      case "K" -> count << 10;
      case "M" -> count << 20;
      default -> throw new IllegalArgumentException("too coarse: " + threadLine);
    };
  }

  private String jcmd(String... command) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>();
    all.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    all.add(Long.toString(pid()));
    all.addAll(List.of(command));
    Process jcmd = new ProcessBuilder(all).redirectErrorStream(true).start();
    String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    jcmd.waitFor(30, TimeUnit.SECONDS);
    return said;
  }

  /** The sum of a metric's samples whose line holds {@code label}. */
  double metric(String adminUrl, String name, String label)
      throws IOException, InterruptedException {
    String text =
        http.send(
                HttpRequest.newBuilder(URI.create(adminUrl + "/metrics")).build(),
                BodyHandlers.ofString())
            .body();
    return text.lines()
        .filter(line -> line.startsWith(name) && line.contains(label))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Resident memory in KiB, as the operating system counts it. */
  long residentKib() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElse(0);
  }

  /** CPU time used so far. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.onExit().get(20, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      process.destroyForcibly();
    }
  }
}
