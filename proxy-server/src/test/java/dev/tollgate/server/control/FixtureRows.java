package dev.tollgate.server.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.account.signin.ControlTokens;
import dev.tollgate.server.account.signin.KnownPassword;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Rows of the fixture in a store. A copy of them is kept beside, with which a test compares the
 * tables, and from which it puts them back.
 */
final class FixtureRows {
  static final String PASSWORD = KnownPassword.TEXT;

  private static final String COPY = "fixture_copy";

  /** Tables that no refused call and no read may change. */
  private static final List<String> TABLES =
      List.of(
          "organization",
          "user_account",
          "membership",
          "user_session",
          "control_token",
          "api_key",
          "ledger_entry",
          "scope_account",
          "invitation",
          "one_time_token",
          "audit_event",
          "control_idempotency",
          "mail_outbox");

  /** Tables that count calls. */
  private static final List<String> COUNTS = List.of("sign_in_throttle", "key_last_used");

  /** Of each table its name and a digest of its rows, without times of use and failed sign-ins. */
  private static final String DIGESTS =
      TABLES.stream()
          .map(
              table ->
                  """
                  SELECT '%1$s' AS its_table, md5(string_agg(r.line, ',' ORDER BY r.line)) AS digest
                    FROM (SELECT (to_jsonb(t) - '{last_seen_at,last_used_at}'::text[])::text AS line
                            FROM %1$s t) r
                   WHERE r.line NOT LIKE '%%"session.sign_in_failed"%%'
                  """
                      .formatted(table))
          .collect(Collectors.joining(" UNION ALL "));

  /** Lets references to rows be checked when all rows are back. */
  private static final String DEFERRABLE =
      """
      DO $$
      DECLARE
        its record;
      BEGIN
        FOR its IN SELECT conrelid::regclass AS t, conname FROM pg_constraint
                    WHERE contype = 'f' AND conparentid = 0 AND NOT condeferrable
        LOOP
          EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', its.t, its.conname);
        END LOOP;
      END $$""";

  private final DataSource pool;
  private final Map<String, String> secrets;
  private final Map<String, String> original;
  private String compared = "";
  private List<String> changed = List.of();

  private FixtureRows(DataSource pool, Map<String, String> secrets) throws SQLException {
    this.pool = pool;
    this.secrets = secrets;
    run(filled(script()));
    run(DEFERRABLE);
    run("CREATE SCHEMA " + COPY);
    for (String table : TABLES) {
      run("CREATE TABLE " + COPY + "." + table + " AS TABLE " + table);
    }
    this.original = digests();
  }

  static FixtureRows putInto(DataSource pool) throws SQLException {
    Map<String, String> secrets = new LinkedHashMap<>();
    var random = new SecureRandom();
    for (MatrixCaller each : MatrixCaller.values()) {
      if (each.isToken()) {
        String token = ControlTokens.FORMAT.generate(random);
        secrets.put(each.column(), token);
        secrets.put(each.column() + "_id", ControlTokens.FORMAT.idIn(token));
      }
    }
    for (int org = 1; org <= 3; org++) {
      secrets.put("request_" + org, RequestId.at(System.currentTimeMillis()).value());
    }
    secrets.put("password_hash", KnownPassword.hash().reveal());
    return new FixtureRows(pool, secrets);
  }

  /** Returns a value that was made for this fixture. */
  String secret(String name) {
    return Objects.requireNonNull(secrets.get(name));
  }

  private static String script() {
    try (InputStream script = FixtureRows.class.getResourceAsStream("fixture.sql")) {
      return new String(Objects.requireNonNull(script).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String filled(String script) {
    String filled = script;
    for (Map.Entry<String, String> each : secrets.entrySet()) {
      filled = filled.replace("{" + each.getKey() + "}", each.getValue());
    }
    return filled;
  }

  private void run(String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Changes rows of the fixture for one test; {@link #restore} puts them back. */
  void change(String sql, Object... values) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      var _ = Statements.update(connection, sql, values);
    }
  }

  /** Returns texts that a query selects. */
  List<String> texts(String sql, Object... values) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return Statements.list(connection, sql, row -> row.getString(1), values);
    }
  }

  private Map<String, String> digests() throws SQLException {
    Map<String, String> digests = new TreeMap<>();
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        var row = statement.executeQuery(DIGESTS)) {
      while (row.next()) {
        digests.put(row.getString("its_table"), String.valueOf(row.getString("digest")));
      }
    }
    return digests;
  }

  /** Returns the tables whose rows differ from the fixture's. */
  List<String> changed() throws SQLException {
    String now = texts("SELECT pg_current_snapshot()::text").getFirst();
    if (!now.equals(compared)) { // without a transaction since then, nothing can have changed
      Map<String, String> digests = digests();
      changed = TABLES.stream().filter(each -> isChanged(each, digests)).toList();
      compared = now;
    }
    return changed;
  }

  private boolean isChanged(String table, Map<String, String> digests) {
    return !Objects.equals(digests.get(table), original.get(table));
  }

  /** Puts all rows back; triggers do not run, not even those that keep rows from being changed. */
  void restore() throws SQLException {
    List<String> tables = changed();
    var _ =
        Transactions.run(
            pool,
            connection -> {
              try (Statement statement = connection.createStatement()) {
                statement.execute("SET CONSTRAINTS ALL DEFERRED");
                for (String table : tables) {
                  putBack(statement, table);
                }
                statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
                for (String table : tables) {
                  statement.execute("ALTER TABLE " + table + " ENABLE TRIGGER USER");
                }
                for (String table : COUNTS) {
                  statement.execute("DELETE FROM " + table);
                }
              }
              return tables;
            });
  }

  private static void putBack(Statement statement, String table) throws SQLException {
    statement.execute("ALTER TABLE " + table + " DISABLE TRIGGER USER");
    statement.execute("DELETE FROM " + table);
    statement.execute(
        "INSERT INTO %1$s OVERRIDING SYSTEM VALUE SELECT * FROM %2$s.%1$s".formatted(table, COPY));
  }
}
