package dev.tollgate.server.postgres;

import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.embedded.FileTrees;
import dev.tollgate.server.postgres.embedded.PostgresBinaries;
import dev.tollgate.server.postgres.embedded.PostgresDirectory;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/**
 * Result of the first start on a data directory, made once for this JVM: the unpacked programs, and
 * a migrated cluster. Making it again takes four seconds of CPU that most tests do not need.
 */
public final class ReadyCluster {
  private static final String BINARIES = "binaries";

  private ReadyCluster() {}

  private static final class Made {
    static final Path HOME = make();
  }

  /** Copies it into a data directory where no node has started before. */
  public static void putInto(Path dataDir) throws IOException {
    Path home = PostgresDirectory.in(dataDir).folder();
    if (Files.exists(home)) {
      return;
    }
    Files.createDirectories(
        dataDir,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    copy(Made.HOME, home);
  }

  /** The programs are never written, so one copy is enough. */
  private static void copy(Path from, Path to) throws IOException {
    Path programs = from.resolve(BINARIES);
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path copy = to.resolve(from.relativize(path));
        if (path.startsWith(programs) && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
          Files.createLink(copy, path);
        } else {
          Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }

  private static Path make() {
    try {
      Path dataDir = Files.createTempDirectory("tollgate-ready");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(dataDir)));
      SharedPostgres.copyClusterTo(dataDir);
      try (var lock = DataDirLock.acquire(dataDir);
          var server = EmbeddedPostgres.start(lock, SharedPostgres.circumstances())) {
        Migrations.migrate(server.address());
      }
      PostgresDirectory home = PostgresDirectory.in(dataDir);
      Files.deleteIfExists(home.log());
      copyPrograms(home.binaries());
      return home.folder();
    } catch (IOException | StoreException e) {
      throw new AssertionError("the tests' ready cluster cannot be made", e);
    }
  }

  private static void copyPrograms(Path to) throws IOException, StoreException {
    Path unpacked = SharedPostgres.circumstances().binaries().orElseThrow();
    Path postgres = Path.of(PostgresBinaries.in(unpacked).program("postgres"));
    Path ofThisBuild = unpacked.resolve(unpacked.relativize(postgres).getName(0));
    Files.createDirectory(to);
    try (Stream<Path> paths = Files.walk(ofThisBuild)) {
      for (Path path : paths.toList()) {
        Files.copy(
            path,
            to.resolve(unpacked.relativize(path)),
            StandardCopyOption.COPY_ATTRIBUTES,
            LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  private static void delete(Path dataDir) {
    try {
      FileTrees.delete(dataDir);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
