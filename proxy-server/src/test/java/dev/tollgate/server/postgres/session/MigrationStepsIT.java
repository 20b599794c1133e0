package dev.tollgate.server.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tollgate.server.postgres.OldStore;
import dev.tollgate.server.postgres.SharedPostgres;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.backup.StoreExport;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Migrations to come, beside nodes that serve; and stores that this version must not use. */
final class MigrationStepsIT {
  private static final int NEXT = Integer.parseInt(Migrations.LATEST) + 1;

  @TempDir Path folder;
  private StoreOptions options;
  private DatabaseAddress address;
  private DataSource source;

  @BeforeEach
  void make() throws Exception {
    options = SharedPostgres.newDatabase();
    address = new DatabaseAddress(options.url(), options.username(), options.password());
    source = Migrations.plain(address);
  }

  // Locks

  @Test
  void aMigrationThatGetsNoLockInTimeChangesNothing() throws Exception {
    SharedPostgres.open(options).close();
    next("ALTER TABLE api_key ADD COLUMN nickname text;");
    try (var reader = source.getConnection();
        var statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("SELECT count(*) FROM api_key");
      assertThatThrownBy(() -> Migrations.migrate(flyway(), 1))
          .isInstanceOf(FlywayException.class)
          .hasMessageContaining("lock timeout");
      reader.rollback();
    }
    assertThat(execute("SELECT max(version::int) FROM flyway_schema_history"))
        .containsExactly(Migrations.LATEST);
    assertThat(Migrations.migrate(flyway(), 1)).isEqualTo(1);
  }

  @Test
  void itIsBegunAgainUntilItGetsIt() throws Exception {
    SharedPostgres.open(options).close();
    next("ALTER TABLE api_key ADD COLUMN nickname text;");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> migrated;
      try (var reader = source.getConnection();
          var statement = reader.createStatement()) {
        reader.setAutoCommit(false);
        statement.execute("SELECT count(*) FROM api_key");
        migrated = threads.submit(() -> Migrations.migrate(flyway(), 60));
        Set<String> attempts = new HashSet<>();
        while (attempts.size() < 2) {
          assertThat(migrated).isNotDone();
          attempts.addAll(
              execute(
                  "SELECT query_start::text FROM pg_stat_activity"
                      + " WHERE datname = current_database() AND wait_event_type = 'Lock'"));
        }
        reader.rollback();
      }
      assertThat(migrated.get()).isEqualTo(1);
    }
    assertThat(execute("SELECT count(nickname) FROM api_key")).containsExactly("0");
  }

  @Test
  void anIndexIsMadeBesideTransactionsAndAgainIfThatFailed() throws Exception {
    try (Store store = SharedPostgres.open(options)) {
      store.organizations().create("a", null);
      store.organizations().create("b", null);
    }
    Files.writeString(
        folder.resolve("V" + NEXT + "__states" + LockTimeout.CONCURRENTLY),
        """
        DROP INDEX CONCURRENTLY IF EXISTS organization_by_state;
        CREATE UNIQUE INDEX CONCURRENTLY organization_by_state ON organization (state);
        """);
    assertThatThrownBy(() -> Migrations.migrate(flyway(), 1)).isInstanceOf(FlywayException.class);
    String isValid =
        "SELECT indisvalid FROM pg_index WHERE indexrelid = 'organization_by_state'::regclass";
    assertThat(execute(isValid)).as("was left").containsExactly("f");
    execute("UPDATE organization SET state = 'suspended' WHERE name = 'b'");
    int applied = Migrations.locked(address, held -> Migrations.migrate(flyway(), 1));
    assertThat(applied).isEqualTo(1);
    assertThat(execute(isValid)).containsExactly("t");
  }

  @Test
  void anIndexIsMadeWhileAnotherNodeWaitsForTheLock() throws Exception {
    SharedPostgres.open(options).close();
    Files.writeString(
        folder.resolve("V" + NEXT + "__states" + LockTimeout.CONCURRENTLY),
        """
        DROP INDEX CONCURRENTLY IF EXISTS organization_by_state;
        CREATE INDEX CONCURRENTLY organization_by_state ON organization (state);
        """);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> other = new ArrayList<>();
      int applied =
          Migrations.locked(
              address,
              held -> {
                other.add(threads.submit(() -> Migrations.locked(address, _ -> 0)));
                while (waitingForLocks() == 0) {
                  Thread.onSpinWait();
                }
                return Migrations.migrate(flyway(), 1);
              });
      assertThat(applied).isEqualTo(1);
      assertThat(other.getFirst().get()).isZero();
    }
  }

  private int waitingForLocks() throws SQLException {
    return execute(
            "SELECT pid FROM pg_stat_activity"
                + " WHERE datname = current_database() AND wait_event = 'advisory'")
        .size();
  }

  // The floor

  @Test
  void aVersionThatDoesNotKnowTheFloorIsRefused() throws Exception {
    SharedPostgres.open(options).close();
    raiseFloor(NEXT);
    String why = "needs a Tollgate that knows schema version " + NEXT;
    assertRefused(why);
    raiseFloor(NEXT - 1);
    SharedPostgres.open(options).close();
  }

  @Test
  void aNodeThatRunsSeesThatTheFloorIsRaised() throws Exception {
    try (Store store = SharedPostgres.open(options)) {
      SchemaFloor floor = store.schemaFloor();
      floor.read();
      assertThat(floor.obstacle()).isEmpty();
      raiseFloor(NEXT);
      floor.read();
      assertThat(floor.obstacle()).hasValueSatisfying(why -> assertThat(why).contains("" + NEXT));
      execute("ALTER TABLE schema_floor RENAME TO away");
      floor.read();
      assertThat(floor.obstacle()).as("not known: as before").isPresent();
      execute("ALTER TABLE away RENAME TO schema_floor");
      raiseFloor(NEXT - 1);
      floor.read();
      assertThat(floor.obstacle()).isEmpty();
    }
  }

  // Before the first release

  @Test
  void aStoreOfBeforeTheFirstReleaseIsRefused() throws Exception {
    OldStore.make(source);
    assertRefused(OldStore.REFUSED);
    assertThat(execute("SELECT max(version::int) FROM flyway_schema_history"))
        .containsExactly("26");
  }

  private void assertRefused(String why) {
    assertThatThrownBy(() -> SharedPostgres.open(options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(why);
    assertThatThrownBy(() -> Store.forCommand(options))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(why);
    try (var database = DatabaseAccess.forCommand(options)) {
      assertThatThrownBy(() -> Migrations.run(database))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(why);
      assertThatThrownBy(() -> StoreExport.write(database, folder.resolve("x.zip")))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(why);
    } catch (StoreException e) {
      throw new AssertionError(e);
    }
    assertThat(folder).isEmptyDirectory();
  }

  private void raiseFloor(int to) throws SQLException {
    execute("UPDATE schema_floor SET min_migration = ?", to);
  }

  private void next(String sql) throws Exception {
    Files.writeString(folder.resolve("V" + NEXT + "__next.sql"), sql);
  }

  private Flyway flyway() {
    return Migrations.flyway(address, "latest", "classpath:db/migration", "filesystem:" + folder);
  }

  private List<String> execute(String sql, Object... values) throws SQLException {
    return TestLedgerStore.execute(source, sql, values);
  }
}
