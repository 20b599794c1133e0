package dev.tollgate.server.postgres.embedded;

import dev.tollgate.server.postgres.SharedPostgres;
import java.io.IOException;
import java.nio.file.Path;

/** Statements of a superuser on a cluster that no server runs on. */
public final class TestCluster {
  private TestCluster() {}

  /** Lets the application make the databases that tests use beside its own. */
  public static void allowDatabases(Path dataDir) throws IOException, StoreException {
    execute(dataDir, "ALTER ROLE tollgate CREATEDB");
  }

  static void execute(Path dataDir, String statement) throws IOException, StoreException {
    PostgresDirectory directory = PostgresDirectory.in(dataDir);
    PostgresBinaries binaries =
        PostgresBinaries.in(SharedPostgres.circumstances().binaries().orElseThrow());
    RunAs runAs = RunAs.choose(directory, binaries.directory(), true);
    directory.run(
        PostgresDirectory.singleUser(binaries, directory.cluster()), statement + "\n", runAs);
  }
}
