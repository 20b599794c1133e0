package dev.tollgate.server.postgres.embedded;

import dev.tollgate.core.catalog.Secret;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
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

  /**
   * Creates the folder. It belongs to this process; of what it holds, PostgreSQL may change its
   * own.
   */
  void create() throws IOException {
    Files.createDirectories(folder(), mode("rwx------"));
  }

  /**
   * Lets the user of the programs reach them and the cluster, but not list or change the folder.
   */
  void admit(RunAs runAs) throws IOException {
    if (runAs.uid().isPresent()) {
      allowTraversal(folder());
    }
    switch (runAs) {
      case RunAs.CurrentUser _, UserNamespace _ -> {}
      case RunAs.SetPriv _, RunAs.Su _ -> allowTraversal(dataDir);
    }
  }

  /** Creates the cluster; an incomplete one is never taken for complete. */
  void initialise(PostgresBinaries binaries, RunAs runAs) throws IOException, StoreException {
    Path partial = folder().resolve("cluster.new");
    FileTrees.delete(partial);
    Files.createDirectory(partial, mode("rwx------"));
    FileTrees.giveTo(runAs.uid(), partial);
    Path superuserPassword = folder().resolve("password.superuser");
    writePassword(superuserPassword);
    FileTrees.giveTo(runAs.uid(), superuserPassword);
    run(initdb(binaries, partial, superuserPassword), "", runAs);
    Files.delete(superuserPassword); // nothing logs in as superuser
    writePassword(passwordFile());
    run(singleUser(binaries, partial), application(), runAs);
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

  /** Runs one of PostgreSQL's programs on a cluster that no server runs on. */
  void run(List<String> program, String input, RunAs runAs) throws IOException, StoreException {
    ProcessResult result =
        ProcessResult.run(runAs, program, input, folder(), folder().resolve("initdb.log"));
    if (result.exitCode() != 0) {
      throw new StoreException(program.getFirst() + " failed: " + result.output());
    }
  }

  /** Command that executes the statements of its input, each on one line, as superuser. */
  static List<String> singleUser(PostgresBinaries binaries, Path cluster) {
    return List.of(binaries.program("postgres"), "--single", "-D", cluster.toString(), "postgres");
  }

  /** The application's role owns the database and may not do more. */
  private String application() throws IOException {
    return """
        CREATE ROLE %1$s LOGIN PASSWORD '%2$s'
        GRANT pg_read_all_settings TO %1$s
        ALTER DATABASE postgres OWNER TO %1$s
        """
        .formatted(USER, password().reveal());
  }

  /** Refusal of a cluster whose application was superuser. */
  StoreException madeBeforeTheFirstRelease() {
    return new StoreException(
        folder()
            + " was made by a Tollgate from before the first release, which ran its database with"
            + " more rights than it needs. Nothing was changed. Move it aside; a new one is made");
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

  private static void writePassword(Path file) throws IOException {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    Files.deleteIfExists(file);
    Files.createFile(file, mode("rw-------"));
    write(file, HexFormat.of().formatHex(random) + "\n");
  }

  private static FileAttribute<Set<PosixFilePermission>> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
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

  private static List<String> initdb(PostgresBinaries binaries, Path into, Path password) {
    return List.of(
        binaries.program("initdb"),
        "--pgdata=" + into,
        "--username=postgres",
        "--pwfile=" + password,
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

  private static void allowTraversal(Path folder) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
    if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
      Files.setPosixFilePermissions(folder, permissions);
    }
  }
}
