package dev.tollgate.server.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.postgres.SharedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class PostmasterIT {
  /**
   * Script that becomes the server: first under the existing pid file, then under one of its own.
   */
  private static final String PG_CTL =
      """
      #!/bin/sh
      while [ "$1" != -D ]; do shift; done
      says() {
        printf '%s\\n' $$ "$cluster" "$1" "$2" '' '' '' ready >"$cluster/new.pid"
        mv "$cluster/new.pid" "$cluster/postmaster.pid"
      }
      cluster=$2
      says 1700000000 1111
      sleep 1
      says 1700000001 2222
      sleep 60
      """;

  @TempDir Path dataDir;

  /** In a container process numbers repeat from start to start. */
  @Test
  void aPidFileFromBeforeIsNotTakenForTheNewServers() throws Exception {
    PostgresDirectory home = PostgresDirectory.in(dataDir);
    Path stale = PostmasterPid.file(Files.createDirectories(home.cluster()));
    long unknown = 0x7fff_fff0L;
    Files.write(
        stale,
        List.of("" + unknown, "" + home.cluster(), "1700000000", "1111", "", "", "", "ready"));
    Path cache = dataDir.resolve("cache");
    Path program = Path.of(binaries(cache).program("pg_ctl"));
    Files.writeString(program, PG_CTL);

    var postmaster = new Postmaster(home, binaries(cache), new RunAs.CurrentUser());
    PostmasterPid started = postmaster.start(10);
    for (ProcessHandle fake : ProcessHandle.of(started.pid()).stream().toList()) {
      fake.descendants().forEach(ProcessHandle::destroy);
      fake.destroy();
    }
    assertThat(started.port()).isEqualTo(2222);
  }

  /** Returns a folder of programs, one of which the test writes. */
  private static PostgresBinaries binaries(Path cache) throws Exception {
    Path usual = SharedPostgres.circumstances().binaries().orElseThrow();
    // <cache>/<name of the build>/bin/<program>
    Path relative = usual.relativize(Path.of(PostgresBinaries.in(usual).program("pg_ctl")));
    Path program = cache.resolve(relative);
    Files.createDirectories(Objects.requireNonNull(program.getParent()));
    if (!Files.exists(program)) {
      Files.createFile(
          program,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return PostgresBinaries.in(cache);
  }
}
