package dev.tollgate.server.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process under measurement: the binary with one verb, its own JVM and its own memory. */
final class Subject implements AutoCloseable {
  private static final Path LIB =
      Path.of(System.getProperty("tollgate.root", ".."), "proxy-server/target/tollgate/lib");

  private final Process process;
  private final BufferedReader stdout;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  private Subject(Process process) {
    this.process = process;
    this.stdout = process.inputReader();
  }

  /** Starts {@code tollgate} with these arguments; its log goes to {@code log}. */
  static Subject start(Path log, List<String> jvmFlags, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseCompactObjectHeaders"));
    command.addAll(jvmFlags);
    command.addAll(List.of("-cp", LIB + "/*", "dev.tollgate.server.cli.Main"));
    command.addAll(List.of(arguments));
    return new Subject(new ProcessBuilder(command).redirectError(log.toFile()).start());
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

  /** Collects garbage, so that what is measured is alive. */
  void collectGarbage() throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid()),
                "GC.run")
            .redirectErrorStream(true)
            .start();
    jcmd.getInputStream().readAllBytes();
    jcmd.waitFor(30, TimeUnit.SECONDS);
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
