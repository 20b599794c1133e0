package dev.tollgate.server.postgres;

import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgresIT;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Process that owns an embedded server until it is killed. */
public final class KillableOwner {
  private KillableOwner() {}

  /** Starts a server, writes a row, reports and waits to be killed. */
  public static void main(String[] arguments) throws Exception {
    var lock = DataDirLock.acquire(Path.of(arguments[0]));
    var postgres = EmbeddedPostgres.start(lock, SharedPostgres.circumstances());
    EmbeddedPostgresIT.execute(postgres, "CREATE TABLE kept AS SELECT 42 AS n");
    report();
    Thread.currentThread().join();
  }

  /** Exits with 0 if it acquired the lock, with 3 if it was refused. */
  public static final class LockOnly {
    private LockOnly() {}

    public static void main(String[] arguments) {
      try (var lock = DataDirLock.acquire(Path.of(arguments[0]))) {
        System.exit(lock.dataDir().toString().isEmpty() ? 4 : 0);
      } catch (StoreException refused) {
        System.exit(3);
      }
    }
  }

  public static Process launch(Path dataDir) throws IOException {
    return java(KillableOwner.class, dataDir).start();
  }

  public static void awaitReady(Process owner) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8));
    String line;
    do {
      line = lines.readLine();
    } while (line != null && !line.equals("ready"));
    if (line == null) {
      throw new AssertionError("the owner died by itself");
    }
  }

  public static ProcessBuilder java(Class<?> main, Path dataDir) {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            dataDir.toString())
        .redirectErrorStream(true);
  }

  private static void report() throws IOException {
    try (OutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.out)) {
      out.write("ready\n".getBytes(StandardCharsets.US_ASCII));
    }
  }
}
