package dev.tollgate.loadtest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Command of the launcher as a child process. The launcher builds missing modules and then replaces
 * itself by the program, so that ending its process ends the program.
 */
final class Child implements AutoCloseable {
  private static final Path LAUNCHER = Path.of("..", "..", "tollgate").toAbsolutePath().normalize();
  private static final Duration START = Duration.ofMinutes(5);
  private static final Duration STOP = Duration.ofSeconds(60);

  private final Process process;
  private final Path log;
  private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
  private final Thread hook = new Thread(this::end);

  private Child(Process process, Path log) {
    this.process = process;
    this.log = log;
    Runtime.getRuntime().addShutdownHook(hook);
    Thread.ofVirtual().start(this::listen);
  }

  /** Starts the process, with its log in this file. */
  static Child start(Path log, Map<String, String> environment, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(LAUNCHER.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().putAll(environment);
    builder.environment().put("TOLLGATE_JAVA", System.getProperty("java.home"));
    try {
      return new Child(builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void listen() {
    try (BufferedReader out = process.inputReader()) {
      out.lines().forEach(said::add);
    } catch (IOException | UncheckedIOException _) {
      // The process has ended.
    }
  }

  /** Returns the pattern's first group in the next matching line of the output. */
  String await(Pattern pattern) {
    long giveUp = System.nanoTime() + START.toNanos();
    while (System.nanoTime() < giveUp) {
      Matcher matcher = pattern.matcher(nextLine());
      if (matcher.find()) {
        return matcher.group(1);
      }
    }
    throw failed("did not say " + pattern);
  }

  private String nextLine() {
    try {
      String line = said.poll(200, TimeUnit.MILLISECONDS);
      if (line == null && !process.isAlive() && said.isEmpty()) {
        throw failed("ended with " + process.exitValue());
      }
      return line == null ? "" : line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private IllegalStateException failed(String how) {
    try {
      return new IllegalStateException(
          process.info().command().orElse("it") + " " + how + ":\n" + Files.readString(log));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Triggers a garbage collection and waits for its end. */
  void collectGarbage() {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "GC.run")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Waits for the end of the process. */
  int awaitExit() {
    try {
      if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
        throw failed("does not end");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Terminates the process, gracefully at first, so that a gateway stops its PostgreSQL. */
  @Override
  public void close() {
    end();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  private void end() {
    process.toHandle().destroy();
    try {
      if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
