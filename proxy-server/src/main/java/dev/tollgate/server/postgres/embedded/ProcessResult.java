package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Exit code and output of a PostgreSQL program that was run to its end. */
record ProcessResult(int exitCode, String output) {
  /**
   * A batch of 5,000 charges takes megabytes. By default malloc returns them to the system after
   * each batch, and clearing the pages again is a seventh of the next batch's cost. The first value
   * is the largest that malloc allows; the second is the most that a backend keeps.
   */
  private static final Map<String, String> MEMORY =
      Map.of("MALLOC_MMAP_THRESHOLD_", "33554432", "MALLOC_TRIM_THRESHOLD_", "67108864");

  /** Runs to the end; of the gateway's environment only the path is passed on. */
  static ProcessResult run(
      RunAs runAs, List<String> program, String input, Path directory, Path outputFile)
      throws IOException {
    Process process = start(runAs, program, input, directory, outputFile);
    try {
      if (!process.waitFor(5, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IOException(program.getFirst() + " did not end within 5 minutes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new IOException("interrupted while waiting for " + program.getFirst(), e);
    }
    return new ProcessResult(process.exitValue(), tail(outputFile));
  }

  /** Starts without waiting for the end; all output is appended to the file. */
  static Process start(
      RunAs runAs, List<String> program, String input, Path directory, Path outputFile)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(runAs.wrap(program)).directory(directory.toFile());
    String path = builder.environment().getOrDefault("PATH", "");
    builder.environment().clear();
    builder.environment().put("PATH", path + ":/usr/sbin:/usr/bin:/sbin:/bin");
    builder.environment().put("LC_ALL", "C");
    builder.environment().putAll(MEMORY);
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(outputFile.toFile()));
    Process process = builder.start();
    try (OutputStream stdin = process.getOutputStream()) {
      runAs.complete(process);
      stdin.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      process.destroyForcibly();
      throw new IOException(program.getFirst() + " cannot be run: " + tail(outputFile), e);
    }
    return process;
  }

  /** Returns the last lines of a log, for an error message. */
  static String tail(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 12), lines.size()));
  }
}
