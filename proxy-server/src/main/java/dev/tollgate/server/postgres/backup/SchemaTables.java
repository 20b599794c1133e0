package dev.tollgate.server.postgres.backup;

import dev.tollgate.server.postgres.session.Migrations;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Queries of the tables and sequences of the store's schema in the PostgreSQL catalog, so that an
 * export needs no hand-written list. A table comes after those it refers to.
 */
public final class SchemaTables {
  /** Tables whose rows belong to one store: what is signed in, linked to or sent from there. */
  private static final Set<String> NOT_EXPORTED =
      Set.of(
          "user_session",
          "one_time_token",
          "sign_in_throttle",
          "control_idempotency",
          "mail_outbox");

  private SchemaTables() {}

  /** Table and its columns in their order; generated columns are omitted. */
  public record Table(String name, List<String> columns) {}

  /** Sequence of the schema with its present state. */
  record Sequence(String name, long lastValue, boolean called) {}

  /** Returns the tables of an export. */
  static List<Table> exported(Connection connection) throws SQLException {
    return read(connection).stream().filter(each -> !NOT_EXPORTED.contains(each.name())).toList();
  }

  public static List<Table> read(Connection connection) throws SQLException {
    Map<String, List<String>> columns = columns(connection);
    Map<String, List<String>> references = references(connection);
    Map<String, Table> ordered = new LinkedHashMap<>();
    while (ordered.size() < columns.size()) {
      int before = ordered.size();
      columns.forEach(
          (table, its) -> {
            if (ordered.keySet().containsAll(references.getOrDefault(table, List.of()))) {
              ordered.putIfAbsent(table, new Table(table, its));
            }
          });
      if (ordered.size() == before) {
        throw new IllegalStateException("tables refer to each other in a cycle: " + references);
      }
    }
    return List.copyOf(ordered.values());
  }

  static List<Sequence> sequences(Connection connection) throws SQLException {
    List<Sequence> sequences = new ArrayList<>();
    for (String name : sequenceNames(connection)) {
      try (PreparedStatement select =
              connection.prepareStatement("SELECT last_value, is_called FROM " + quoted(name));
          ResultSet row = select.executeQuery()) {
        row.next();
        sequences.add(new Sequence(name, row.getLong(1), row.getBoolean(2)));
      }
    }
    return sequences;
  }

  /** Returns the qualified and quoted name of a table of the store's schema, for statements. */
  public static String quoted(String name) {
    return Migrations.SCHEMA + ".\"" + name.replace("\"", "\"\"") + "\"";
  }

  /** Returns true if a table is partitioned. */
  static boolean isPartitioned(Connection connection, String name) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT relkind = 'p' FROM pg_class WHERE oid = ?::regclass")) {
      select.setString(1, quoted(name));
      try (ResultSet row = select.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private static List<String> sequenceNames(Connection connection) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement(
            "SELECT sequencename FROM pg_sequences WHERE schemaname = ? ORDER BY 1")) {
      select.setString(1, Migrations.SCHEMA);
      try (ResultSet row = select.executeQuery()) {
        List<String> names = new ArrayList<>();
        while (row.next()) {
          names.add(row.getString(1));
        }
        return names;
      }
    }
  }

  private static Map<String, List<String>> columns(Connection connection) throws SQLException {
    return pairs(
        connection,
        """
        SELECT c.relname, a.attname
          FROM pg_class c
          JOIN pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE n.nspname = ? AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
           AND c.relname <> '%s'
         ORDER BY c.relname, a.attnum
        """
            .formatted(Migrations.HISTORY));
  }

  private static Map<String, List<String>> references(Connection connection) throws SQLException {
    return pairs(
        connection,
        """
        SELECT DISTINCT c.relname, t.relname
          FROM pg_constraint f
          JOIN pg_class c ON c.oid = f.conrelid
          JOIN pg_class t ON t.oid = f.confrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = ? AND f.contype = 'f' AND c.oid <> t.oid
        """);
  }

  private static Map<String, List<String>> pairs(Connection connection, String query)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(query)) {
      select.setString(1, Migrations.SCHEMA);
      try (ResultSet row = select.executeQuery()) {
        Map<String, List<String>> pairs = new TreeMap<>();
        while (row.next()) {
          pairs.computeIfAbsent(row.getString(1), name -> new ArrayList<>()).add(row.getString(2));
        }
        return pairs;
      }
    }
  }
}
