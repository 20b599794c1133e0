package dev.tollgate.server.redis;

import dev.tollgate.core.testkit.ScriptedUpstream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import redis.embedded.core.ExecutableProvider;

/** Real Redis on a free loopback port, which tests freeze, continue, kill and restart. */
public final class RedisProcess implements AutoCloseable {
  private static final long START_NANOS_MAX = 10_000_000_000L;

  private final int port = ScriptedUpstream.refusedPort();
  private final List<String> command;
  private final Thread hook = new Thread(this::kill);
  private Process process;

  private RedisProcess(List<String> settings) {
    command = new ArrayList<>(List.of(Binary.PATH.toString(), "--port", "" + port));
    command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
    command.addAll(settings);
    process = started();
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private RedisProcess(Path sentinel) {
    command =
        List.of(Binary.PATH.toString(), sentinel.toString(), "--sentinel", "--port", "" + port);
    process = started();
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private static final class Binary {
    static final Path FOLDER;
    static final Path PATH;

    static {
      try {
        FOLDER = Files.createTempDirectory("tollgate-redis");
        FOLDER.toFile().deleteOnExit();
        PATH = ExecutableProvider.newJarResourceProvider(FOLDER.toFile()).get().toPath();
        PATH.toFile().deleteOnExit();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Starts a Redis with settings as on its command line. */
  public static RedisProcess start(String... settings) {
    return new RedisProcess(List.of(settings));
  }

  /** Starts a sentinel that monitors a master, with a quorum of one. */
  public static RedisProcess sentinelOf(RedisProcess master, String name) {
    try {
      Path settings = Files.createTempFile(Binary.FOLDER, "sentinel", ".conf");
      settings.toFile().deleteOnExit();
      Files.writeString(
          settings, "sentinel monitor %s 127.0.0.1 %d 1%n".formatted(name, master.port));
      return new RedisProcess(settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the value for {@code redis.url}. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** Freezes Redis by SIGSTOP: it keeps its connections and answers nothing. */
  public void freeze() {
    signal("STOP");
  }

  /** Continues Redis by SIGCONT. */
  public void thaw() {
    if (process.isAlive()) {
      signal("CONT");
    }
  }

  /** Kills Redis by SIGKILL, which loses its counts. */
  public void kill() {
    process.destroyForcibly();
    boolean interrupted = false;
    while (process.isAlive()) {
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Restarts a killed Redis on the same port. */
  public void startAgain() {
    process = started();
  }

  private Process started() {
    try {
      Process begun =
          new ProcessBuilder(command)
              .directory(Binary.FOLDER.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      long deadlineNanos = System.nanoTime() + START_NANOS_MAX;
      while (!listens()) {
        if (System.nanoTime() > deadlineNanos || !begun.isAlive()) {
          begun.destroyForcibly();
          throw new AssertionError("Redis does not start");
        }
        Thread.onSpinWait();
      }
      return begun;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean listens() {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  private void signal(String name) {
    try {
      if (new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor() != 0) {
        throw new AssertionError("no signal " + name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    kill();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
