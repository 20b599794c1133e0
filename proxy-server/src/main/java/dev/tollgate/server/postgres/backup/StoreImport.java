package dev.tollgate.server.postgres.backup;

import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.Transactions;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.postgresql.PGConnection;

/**
 * Importer of a store export, which replaces the whole content of a store. The present schema is
 * renamed until the import is complete, so that a failed import changes nothing; an older export is
 * read into the schema it came from and migrated afterwards.
 */
public final class StoreImport {

  private final DatabaseAddress address;
  private final ZipFile zip;
  private final ExportManifest manifest;

  private StoreImport(DatabaseAddress address, ZipFile zip, ExportManifest manifest) {
    this.address = address;
    this.zip = zip;
    this.manifest = manifest;
  }

  /**
   * Reads {@code file} into the database.
   *
   * @param replace true if the present content of the store may be lost
   */
  public static StoreExport.Summary read(DatabaseAccess database, Path file, boolean replace)
      throws StoreException {
    try (ZipFile zip = new ZipFile(file.toFile())) {
      var storeImport = new StoreImport(database.address(), zip, manifestOf(zip));
      storeImport.requireReadable();
      Migrations.locked(
          database.address(),
          connection -> {
            storeImport.run(connection, replace);
            return storeImport;
          });
      return StoreExport.Summary.of(storeImport.manifest);
    } catch (IOException e) {
      throw new StoreException("cannot read the export " + file, e);
    }
  }

  private void run(Connection connection, boolean replace) throws SQLException, StoreException {
    if (Migrations.exists(connection, Migrations.BACKUP_SCHEMA)) {
      restore(connection);
    }
    if (!replace && holdsOrganization(connection)) {
      throw new StoreException(
          "the store is not empty; to lose what it holds, import with --replace");
    }
    boolean hadSchema = Migrations.exists(connection, Migrations.SCHEMA);
    if (hadSchema) {
      execute(
          connection,
          "ALTER SCHEMA " + Migrations.SCHEMA + " RENAME TO " + Migrations.BACKUP_SCHEMA);
    }
    try {
      Migrations.migrateTo(address, manifest.schemaVersion());
      Transactions.run(connection, this::copyAll);
      Migrations.migrate(address);
    } catch (SQLException | StoreException | RuntimeException e) {
      if (hadSchema) {
        restore(connection);
      } else {
        execute(connection, "DROP SCHEMA IF EXISTS " + Migrations.SCHEMA + " CASCADE");
      }
      throw e;
    }
    execute(connection, "DROP SCHEMA IF EXISTS " + Migrations.BACKUP_SCHEMA + " CASCADE");
  }

  private StoreImport copyAll(Connection connection) throws SQLException {
    List<String> tables = new ArrayList<>();
    List<String> filled = new ArrayList<>();
    for (ExportManifest.Table table : manifest.tables()) {
      String quoted = SchemaTables.quoted(table.name());
      tables.add(quoted);
      if (!SchemaTables.isPartitioned(connection, table.name())) {
        filled.add(quoted);
      }
    }
    // Triggers would note changes that are part of the export, and refuse to empty the ledger.
    for (String table : tables) {
      execute(connection, "ALTER TABLE " + table + " DISABLE TRIGGER USER");
    }
    // Migrations fill some tables, but no partition. Tables that are not in the export are empty,
    // and refer to those that are.
    execute(connection, "TRUNCATE " + String.join(", ", filled) + " CASCADE");
    for (ExportManifest.Table table : manifest.tables()) {
      copy(connection, table);
    }
    for (String table : tables) {
      execute(connection, "ALTER TABLE " + table + " ENABLE TRIGGER USER");
    }
    for (ExportManifest.Sequence sequence : manifest.sequences()) {
      setSequence(connection, sequence);
    }
    return this;
  }

  private void copy(Connection connection, ExportManifest.Table table) throws SQLException {
    String target = SchemaTables.quoted(table.name());
    if (!SchemaTables.isPartitioned(connection, table.name())) {
      copy(connection, table, target);
      return;
    }
    // Which partitions are needed is known when the rows are there.
    execute(connection, "CREATE TEMP TABLE staged (LIKE " + target + ") ON COMMIT DROP");
    copy(connection, table, "staged");
    execute(
        connection,
        table.columns().contains("day")
            ? "SELECT ledger_partition(day) FROM (SELECT DISTINCT day FROM staged ORDER BY day) d"
            : "SELECT audit_month(day) FROM (SELECT DISTINCT (at AT TIME ZONE 'UTC')::date AS day"
                + " FROM staged ORDER BY day) d");
    execute(connection, "INSERT INTO " + target + " SELECT * FROM staged");
    execute(connection, "DROP TABLE staged");
  }

  private void copy(Connection connection, ExportManifest.Table table, String target)
      throws SQLException {
    try (InputStream rows = open(zip, table.entry())) {
      long copied =
          connection
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn(
                  "COPY %s (%s) FROM STDIN (FORMAT csv, HEADER MATCH)"
                      .formatted(target, StoreExport.columnList(table.columns())),
                  rows);
      if (copied != table.rows()) {
        throw new SQLException(
            "%s has %d rows instead of %d".formatted(table.name(), copied, table.rows()));
      }
    } catch (IOException e) {
      throw new SQLException("cannot read the rows of " + table.name(), e);
    }
  }

  /** Refuses an unusable file, by its manifest and the tables' checksums, before any change. */
  private void requireReadable() throws IOException, StoreException {
    boolean isOurs = ExportManifest.PRODUCT.equals(manifest.product());
    if (isOurs && manifest.format() == ExportManifest.BEFORE_FIRST_RELEASE) {
      throw new StoreException(
          "the export cannot be imported: a version of Tollgate before the first release made it");
    }
    if (!isOurs || manifest.format() != ExportManifest.FORMAT) {
      throw new StoreException("this is no export that this Tollgate can read");
    }
    if (!Migrations.isKnownVersion(address, manifest.schemaVersion())) {
      throw new StoreException(
          "the export has schema version %s, which this Tollgate does not know; use a newer one"
              .formatted(manifest.schemaVersion()));
    }
    for (ExportManifest.Table table : manifest.tables()) {
      MessageDigest sha256 = StoreExport.sha256();
      try (InputStream rows = new DigestInputStream(open(zip, table.entry()), sha256)) {
        rows.transferTo(OutputStream.nullOutputStream());
      }
      if (!HexFormat.of().formatHex(sha256.digest()).equals(table.sha256())) {
        throw new StoreException("the export is damaged: the rows of " + table.name());
      }
    }
  }

  private static ExportManifest manifestOf(ZipFile zip) throws IOException {
    try (InputStream in = open(zip, ExportManifest.ENTRY)) {
      return ExportManifest.read(in);
    }
  }

  private static InputStream open(ZipFile zip, String name) throws IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      throw new IOException("it holds no " + name);
    }
    return zip.getInputStream(entry);
  }

  private static void setSequence(Connection connection, ExportManifest.Sequence sequence)
      throws SQLException {
    try (PreparedStatement set = connection.prepareStatement("SELECT setval(?::regclass, ?, ?)")) {
      set.setString(1, SchemaTables.quoted(sequence.name()));
      set.setLong(2, sequence.lastValue());
      set.setBoolean(3, sequence.called());
      set.execute();
    }
  }

  private static void restore(Connection connection) throws SQLException {
    Transactions.run(
        connection,
        open -> {
          execute(open, "DROP SCHEMA IF EXISTS " + Migrations.SCHEMA + " CASCADE");
          execute(
              open, "ALTER SCHEMA " + Migrations.BACKUP_SCHEMA + " RENAME TO " + Migrations.SCHEMA);
          return open;
        });
  }

  private static boolean holdsOrganization(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row =
          statement.executeQuery(
              "SELECT to_regclass('" + Migrations.SCHEMA + ".organization') IS NOT NULL")) {
        row.next();
        if (!row.getBoolean(1)) {
          return false;
        }
      }
      try (ResultSet row = statement.executeQuery("SELECT EXISTS (SELECT 1 FROM organization)")) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
