package dev.tollgate.server.postgres.embedded;

import dev.tollgate.core.catalog.Secret;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * Layout of the folder {@code data_dir/postgres} of the embedded server: the database cluster, its
 * major version, its generated password, its log and the unpacked binaries.
 */
public record PostgresDirectory(Path dataDir) {
  static final String USER = "tollgate";
  private static final int PASSWORD_BYTES = 32;

  public static PostgresDirectory in(Path dataDir) {
    return new PostgresDirectory(dataDir.toAbsolutePath().normalize());
  }

  public Path folder() {
    return dataDir.resolve("postgres");
  }

  /** Returns the cluster, which PostgreSQL calls its data directory. */
  Path cluster() {
    return folder().resolve("cluster");
  }

  public Path log() {
    return folder().resolve("postgres.log");
  }

  public Path binaries() {
    return folder().resolve("binaries");
  }

  boolean isInitialised() {
    return Files.exists(cluster());
  }

  Secret password() throws IOException {
    return new Secret(Files.readString(passwordFile()).strip());
  }

  /** Creates the folder, owned by the user that runs the programs. */
  void create(RunAs runAs) throws IOException {
    Files.createDirectories(
        folder(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    for (String owner : runAs.owner()) {
      allowTraversal(dataDir);
      FileTrees.changeOwner(folder(), owner);
    }
  }

  /** Creates the cluster; an incomplete one is never taken for complete. */
  void initialise(PostgresBinaries binaries, RunAs runAs) throws IOException, StoreException {
    Path partial = folder().resolve("cluster.new");
    FileTrees.delete(partial);
    writePassword();
    for (String owner : runAs.owner()) {
      FileTrees.changeOwner(passwordFile(), owner);
    }
    ProcessResult initdb =
        ProcessResult.run(
            runAs.wrap(initdb(binaries, partial)), folder(), folder().resolve("initdb.log"));
    if (initdb.exitCode() != 0) {
      throw new StoreException("initdb failed: " + initdb.output());
    }
    write(majorFile(), PostgresBinaries.MAJOR + "\n");
    // Files that the cluster depends on are durable before the cluster is.
    force(folder());
    Files.move(partial, cluster(), StandardCopyOption.ATOMIC_MOVE);
    force(folder());
  }

  /** Refuses a cluster of another major version. */
  void requireSameMajor() throws IOException, StoreException {
    int made = major();
    if (made != PostgresBinaries.MAJOR) {
      throw new StoreException(
          """
          %s was made by PostgreSQL %d, and this Tollgate brings PostgreSQL %d, which cannot read \
          it. Nothing was changed. To upgrade:
            1. with the Tollgate that ran here last:  tollgate store export --config FILE store.zip
            2. put the old database aside:            mv %s %s-%d
            3. with this Tollgate:                    tollgate store import --config FILE store.zip"""
              .formatted(folder(), made, PostgresBinaries.MAJOR, folder(), folder(), made));
    }
  }

  private int major() throws StoreException {
    try {
      return Integer.parseInt(Files.readString(majorFile()).strip());
    } catch (IOException | NumberFormatException e) {
      throw new StoreException(
          "cannot read "
              + majorFile()
              + ", which names the PostgreSQL version that made "
              + cluster()
              + "; write into it what "
              + cluster().resolve("PG_VERSION")
              + " says",
          e);
    }
  }

  Path majorFile() {
    return folder().resolve("PG_MAJOR");
  }

  private Path passwordFile() {
    return folder().resolve("password");
  }

  private void writePassword() throws IOException {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    Files.deleteIfExists(passwordFile());
    Files.createFile(
        passwordFile(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    write(passwordFile(), HexFormat.of().formatHex(random) + "\n");
  }

  /** Writes a file that survives a power failure. */
  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    force(file);
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      channel.force(true);
    }
  }

  private List<String> initdb(PostgresBinaries binaries, Path into) {
    return List.of(
        binaries.program("initdb"),
        "--pgdata=" + into,
        "--username=" + USER,
        "--pwfile=" + passwordFile(),
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--set=timezone=UTC",
        "--set=log_timezone=UTC",
        // The password is 256 random bits: a slow log-in hash adds no security.
        "--set=scram_iterations=64",
        "--no-instructions");
  }

  private static void allowTraversal(Path dataDir) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(dataDir);
    if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
      Files.setPosixFilePermissions(dataDir, permissions);
    }
  }
}
