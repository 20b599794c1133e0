package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.cli.Verbs;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Database of one test on the shared node's PostgreSQL, which can be copied and replaced by the
 * copy while it is in use.
 */
final class OwnDatabase implements AutoCloseable {
  private final Map<String, String> server;
  private final String name;

  private OwnDatabase(Map<String, String> server, String name) {
    this.server = server;
    this.name = name;
  }

  /** Template of new databases: without connections. */
  private static final class Migrated {
    static final String NAME = make();

    private static String make() {
      try {
        OwnDatabase template = empty("own_migrated");
        Verbs.CommandResult result = template.runVerb(SharedNode.node().home(), "migrate");
        assertThat(result.exitCode()).as(result.err()).isZero();
        return template.name;
      } catch (IOException | SQLException e) {
        throw new AssertionError("the template of databases cannot be made", e);
      }
    }
  }

  /** Creates a database migrated by {@code tollgate migrate}. */
  static OwnDatabase create(String name) throws IOException, SQLException {
    OwnDatabase made = create(name, " TEMPLATE " + Migrated.NAME);
    made.texts(
        "UPDATE books SET incarnation = gen_random_uuid() RETURNING id"); // a ledger store of its
    // own
    return made;
  }

  static OwnDatabase empty(String name) throws IOException, SQLException {
    return create(name, "");
  }

  private static OwnDatabase create(String name, String template) throws IOException, SQLException {
    Map<String, String> server = new HashMap<>();
    for (String setting : SharedNode.node().home().storeSettings()) {
      int equals = setting.indexOf('=');
      server.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    var made = new OwnDatabase(server, name);
    made.execute("CREATE DATABASE " + name + template);
    return made;
  }

  /** Returns the store settings of a node. */
  List<String> settings() {
    List<String> settings = new ArrayList<>();
    settings.add("store.url=" + url(name));
    settings.add("store.username=" + server.get("store.username"));
    settings.add("store.password=" + server.get("store.password"));
    return settings;
  }

  private List<String> command(NodeFolder folder, String... verb) {
    List<String> arguments = new ArrayList<>(List.of(verb));
    arguments.addAll(List.of("--config", folder.config().toString()));
    for (String setting : settings()) {
      arguments.addAll(List.of("--set", setting));
    }
    return arguments;
  }

  /** Runs a command on it within this JVM, and returns the output. */
  Verbs.CommandResult runVerb(NodeFolder folder, String... verb) {
    return Verbs.run(command(folder, verb).toArray(String[]::new));
  }

  /** Copies it, while there are no connections. */
  void copy() throws SQLException {
    cutOff(name);
    execute("CREATE DATABASE " + name + "_copy TEMPLATE " + name);
    execute("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
  }

  /** Replaces it by the copy. */
  void putBack() throws SQLException {
    cutOff(name);
    execute("ALTER DATABASE " + name + " RENAME TO " + name + "_lost");
    execute("ALTER DATABASE " + name + "_copy RENAME TO " + name);
  }

  private void cutOff(String database) throws SQLException {
    execute("ALTER DATABASE " + database + " ALLOW_CONNECTIONS false");
    String left =
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = '"
            + database
            + "'";
    execute(left);
  }

  /** Returns the charges of all requests: micro-USD. */
  Map<String, Long> charges() throws SQLException {
    Map<String, Long> charges = new TreeMap<>();
    try (Connection connection = connect(name);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT request_id, cost_micro FROM settlement")) {
      while (row.next()) {
        charges.put(row.getString(1), row.getLong(2));
      }
    }
    return charges;
  }

  /** Returns the first number of a query's only row. */
  long number(String sql) throws SQLException {
    try (Connection connection = connect(name);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Returns the first column of a query's rows. */
  List<String> texts(String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Connection connection = connect(name);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect("postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private Connection connect(String database) throws SQLException {
    return DriverManager.getConnection(
        url(database) + "?currentSchema=tollgate",
        server.get("store.username"),
        server.get("store.password"));
  }

  private String url(String database) {
    String url = String.valueOf(server.get("store.url"));
    return url.substring(0, url.lastIndexOf('/') + 1) + database;
  }

  @Override
  public void close() throws SQLException {
    for (String each : List.of(name, name + "_lost", name + "_copy")) {
      execute("DROP DATABASE IF EXISTS " + each + " WITH (FORCE)");
    }
  }
}
