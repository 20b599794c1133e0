package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.cli.Verbs;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The ledger in a folder's database, read by SQL. */
final class LedgerDatabase {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 20;

  private final NodeFolder folder;

  private LedgerDatabase(NodeFolder folder) {
    this.folder = folder;
  }

  static LedgerDatabase of(NodeFolder folder) {
    return new LedgerDatabase(folder);
  }

  /** Returns the charges of an organization, by request: micro-USD. */
  Map<String, Long> charges(String organization) throws Exception {
    return chargesWhere(
        "org_id = (SELECT id FROM organization WHERE name = '" + organization + "')");
  }

  private Map<String, Long> chargesWhere(String condition) throws Exception {
    Map<String, Long> charges = new HashMap<>();
    query(
        "SELECT request_id, cost_micro FROM settlement WHERE " + condition,
        row -> charges.put(row.getString(1), row.getLong(2)));
    return charges;
  }

  /** Waits until each charge that clients received is in the ledger with its amount. */
  void awaitAll(Map<String, Long> reported) throws Exception {
    long began = System.nanoTime();
    Map<String, Long> missing = new HashMap<>(reported);
    while (!missing.isEmpty()) {
      Map<String, Long> booked = chargesWhere("true");
      missing.entrySet().removeIf(each -> each.getValue().equals(booked.get(each.getKey())));
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("not settled: %s of %d", missing, reported.size())
          .isLessThan(SOON);
      if (!missing.isEmpty()) {
        CrashingNodes.pause(POLL_MILLIS);
      }
    }
  }

  /** Returns the first number of a query's only row. */
  long number(String sql) throws Exception {
    long[] number = {0};
    query(sql, row -> number[0] = row.getLong(1));
    return number[0];
  }

  /** Runs the audit, as an operator does. */
  void requireAuditClean() throws Exception {
    Verbs.CommandResult audit =
        Verbs.run("ledger", "audit", "--config", folder.config().toString());
    assertThat(audit.exitCode()).as(audit.out() + audit.err()).isZero();
    assertThat(number("SELECT count(*) FROM settlement_quarantine")).isZero();
  }

  /** Asserts that no lease is open after all nodes have stopped in order. */
  void requireNothingReserved() throws Exception {
    assertThat(number("SELECT coalesce(sum(leased_micro), -1) FROM scope_account")).isZero();
  }

  /** Reads one row of a result. */
  interface Row {
    void read(ResultSet row) throws SQLException;
  }

  void query(String sql, Row each) throws SQLException, IOException {
    Map<String, String> store = new HashMap<>();
    for (String setting : folder.storeSettings()) {
      int equals = setting.indexOf('=');
      store.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    try (Connection connection =
            DriverManager.getConnection(
                store.get("store.url") + "?currentSchema=tollgate",
                store.get("store.username"),
                store.get("store.password"));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        each.read(row);
      }
    }
  }
}
