package dev.tollgate.server.postgres.backup;

import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.Transactions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.postgresql.PGConnection;

/**
 * Writer of an export of the whole store: a zip of one CSV per table, all from one snapshot, and a
 * manifest. Sessions, links and mails are not in it. It needs no PostgreSQL program, and any later
 * version can import the file.
 */
public final class StoreExport {
  private StoreExport() {}

  /** Summary of an export or import: the schema version and the rows of each table. */
  public record Summary(String schemaVersion, List<TableRows> tables) {
    /** Number of rows of one table in an export or import. */
    public record TableRows(String table, long rows) {}

    static Summary of(ExportManifest manifest) {
      return new Summary(
          manifest.schemaVersion(),
          manifest.tables().stream().map(t -> new TableRows(t.name(), t.rows())).toList());
    }
  }

  /** Writes to {@code file}, which must not exist; it appears whole or not at all. */
  public static Summary write(DatabaseAccess database, Path file) throws StoreException {
    if (Files.exists(file)) {
      throw new StoreException(file + " exists; an export never replaces a file");
    }
    Path partial = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.deleteIfExists(partial);
      ExportManifest manifest = writeTo(partial, database);
      Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
      return Summary.of(manifest);
    } catch (IOException | SQLException e) {
      throw new StoreException("the export failed", e);
    }
  }

  private static ExportManifest writeTo(Path partial, DatabaseAccess database)
      throws IOException, SQLException, StoreException {
    try (Connection connection = Migrations.plain(database.address()).getConnection()) {
      Migrations.requireUsable(connection);
      return writeTo(partial, connection);
    }
  }

  private static ExportManifest writeTo(Path partial, Connection connection)
      throws IOException, SQLException {
    // It holds hashes of keys and secrets of webhooks: for its owner only.
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (FileChannel channel =
            FileChannel.open(
                partial,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                ownerOnly);
        ZipOutputStream zip = new ZipOutputStream(Channels.newOutputStream(channel))) {
      ExportManifest manifest = Transactions.run(connection, open -> snapshot(open, zip));
      zip.putNextEntry(new ZipEntry(ExportManifest.ENTRY));
      zip.write(manifest.toJson());
      zip.closeEntry();
      zip.finish();
      channel.force(true);
      return manifest;
    }
  }

  private static ExportManifest snapshot(Connection connection, ZipOutputStream zip)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    }
    List<ExportManifest.Table> tables = new ArrayList<>();
    for (SchemaTables.Table table : SchemaTables.exported(connection)) {
      tables.add(copy(connection, table, zip));
    }
    return new ExportManifest(
        ExportManifest.FORMAT,
        ExportManifest.PRODUCT,
        schemaVersion(connection),
        connection.getMetaData().getDatabaseMajorVersion(),
        Instant.now().toString(),
        tables,
        SchemaTables.sequences(connection).stream()
            .map(s -> new ExportManifest.Sequence(s.name(), s.lastValue(), s.called()))
            .toList());
  }

  private static ExportManifest.Table copy(
      Connection connection, SchemaTables.Table table, ZipOutputStream zip) throws SQLException {
    var named = new ExportManifest.Table(table.name(), table.columns(), 0, "");
    try {
      MessageDigest sha256 = sha256();
      zip.putNextEntry(new ZipEntry(named.entry()));
      long rows =
          connection
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyOut(
                  "COPY (SELECT %s FROM %s) TO STDOUT (FORMAT csv, HEADER)"
                      .formatted(columnList(table.columns()), SchemaTables.quoted(table.name())),
                  (OutputStream) new DigestOutputStream(zip, sha256));
      zip.closeEntry();
      String hex = HexFormat.of().formatHex(sha256.digest());
      return new ExportManifest.Table(table.name(), table.columns(), rows, hex);
    } catch (IOException e) {
      throw new SQLException("cannot write the rows of " + table.name(), e);
    }
  }

  static String columnList(List<String> columns) {
    return columns.stream()
        .map(column -> '"' + column.replace("\"", "\"\"") + '"')
        .collect(Collectors.joining(", "));
  }

  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  private static String schemaVersion(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT version FROM "
                    + SchemaTables.quoted(Migrations.HISTORY)
                    + " WHERE success AND version IS NOT NULL"
                    + " ORDER BY installed_rank DESC LIMIT 1")) {
      if (!row.next()) {
        throw new SQLException("the store has no schema yet");
      }
      return row.getString(1);
    }
  }
}
