package dev.tollgate.server.postgres;

import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.session.Migrations;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A store as versions before the first release left it, as far as a start looks at it. */
public final class OldStore {
  public static final String REFUSED =
      "the store was made by a version of Tollgate before the first release, which this version"
          + " cannot use; start with an empty database or another store.data_dir";

  private OldStore() {}

  /** Makes one in the embedded database of a data directory where no node has started before. */
  public static void putInto(Path dataDir) throws Exception {
    try (var lock = DataDirLock.acquire(dataDir)) {
      SharedPostgres.copyClusterTo(dataDir);
      try (var server = EmbeddedPostgres.start(lock, SharedPostgres.circumstances())) {
        make(Migrations.plain(server.address()));
      }
    }
  }

  /** Makes one in an empty database: the history of its 26 migrations, and a table of theirs. */
  public static void make(DataSource source) throws SQLException {
    TestLedgerStore.execute(source, "CREATE SCHEMA tollgate");
    TestLedgerStore.execute(
        source,
        """
        CREATE TABLE flyway_schema_history (
          installed_rank integer NOT NULL PRIMARY KEY,
          version        varchar(50),
          description    varchar(200) NOT NULL,
          type           varchar(20) NOT NULL,
          script         varchar(1000) NOT NULL,
          checksum       integer,
          installed_by   varchar(100) NOT NULL,
          installed_on   timestamp NOT NULL DEFAULT now(),
          execution_time integer NOT NULL,
          success        boolean NOT NULL
        )""");
    TestLedgerStore.execute(
        source,
        """
        INSERT INTO flyway_schema_history
        SELECT n, n::text, 'old', 'SQL', 'V' || n || '__old.sql', n, 'tollgate', now(), 1, true
          FROM generate_series(1, 26) n""");
    TestLedgerStore.execute(source, "CREATE TABLE organization (id uuid PRIMARY KEY)");
  }
}
