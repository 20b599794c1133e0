package dev.tollgate.server.explorer;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.LedgerStore.LeaseHolder;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.ledger.Settlement.SettlementKind;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.explorer.RequestProjection.Rules;
import dev.tollgate.server.explorer.RequestProjection.Step;
import dev.tollgate.server.postgres.TestLedgerStore;
import dev.tollgate.server.postgres.session.Transactions;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Requests in a store of a test's own, as a node writes them, and their projection. */
final class TestRequests implements AutoCloseable {
  /** A transaction's begin is seen at once in a test, because nothing else runs meanwhile. */
  static final Rules RULES = new Rules(Duration.ofSeconds(15), Duration.ZERO);

  final TestLedgerStore testStore;
  final OrgId org;
  final KeyId key;
  private final LeaseHolder holder;
  private final RequestProjection projection = new RequestProjection(RULES);

  private TestRequests(TestLedgerStore testStore) throws Exception {
    this.testStore = testStore;
    this.org = testStore.newOrg();
    this.key = testStore.newKey(org);
    this.holder = testStore.ledgerStore().open(UUID.randomUUID(), UUID.randomUUID());
  }

  static TestRequests open() throws Exception {
    return new TestRequests(TestLedgerStore.open());
  }

  /** Settles a charge with its line. */
  void charged(RequestId id, long cost, String line) throws Exception {
    settle(id, cost, line, SettlementKind.COMPLETED);
  }

  /** Settles the charge of a request whose node died. */
  void crashed(RequestId id, long cost) throws Exception {
    settle(id, cost, "", SettlementKind.CRASH);
  }

  private void settle(RequestId id, long cost, String line, SettlementKind how) throws Exception {
    byte[] row = line.getBytes(StandardCharsets.UTF_8);
    var reserved = new MicroUsd(100);
    var tokens = new Tokens(8, 4, 2, 1, false);
    testStore
        .ledgerStore()
        .settle(
            holder,
            List.of(
                new Settlement(id, org, key, 0, reserved, new MicroUsd(cost), tokens, how, row)));
  }

  /** Writes the line of a request without a charge. */
  void logged(RequestId id, String line) throws SQLException {
    Transactions.run(
        testStore.store().pool(),
        connection -> {
          log(connection, id, line);
          return id;
        });
  }

  void log(Connection connection, RequestId id, String line) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO request_log (day, request_id, org_id, key_id, row)"
                + " VALUES (?, ?, ?, ?, ?)")) {
      insert.setObject(1, Window.at(id.epochMillis()).day());
      insert.setString(2, id.value());
      insert.setObject(3, org.value());
      insert.setString(4, key.value());
      insert.setString(5, line);
      insert.executeUpdate();
    }
  }

  /** Settles a job's charge, as its worker does. */
  void jobEnded(RequestId id, long cost) throws SQLException {
    testStore.execute(
        "INSERT INTO settlement (day, request_id, org_id, key_id, holder, held, reserved_micro,"
            + " cost_micro, overrun_micro, prompt_tokens, completion_tokens, cached_tokens,"
            + " reasoning_tokens, estimated, how)"
            + " VALUES (?, ?, ?, ?, 'job:' || gen_random_uuid(), 15, 1000, ?, 0, 0, 0, 0, 0, false,"
            + " 'completed')",
        Window.at(id.epochMillis()).day(),
        id.value(),
        org.value(),
        key.value(),
        cost);
  }

  /** Settles a job's charge that is not what it costs the operator. */
  void jobEnded(RequestId id, long cost, long operatorCost) throws SQLException {
    jobEnded(id, cost);
    testStore.execute(
        "UPDATE request_log SET operator_cost_micro = ? WHERE day = ? AND request_id = ?",
        operatorCost,
        Window.at(id.epochMillis()).day(),
        id.value());
  }

  /** Takes over all that may be; returns the number of new rows. */
  int project() throws SQLException {
    return project(projection);
  }

  int project(RequestProjection by) throws SQLException {
    int rows = 0;
    try (Connection connection = connect()) {
      Step step = by.step(connection);
      rows += step.rows();
      while (step.hasMore()) {
        step = by.step(connection);
        rows += step.rows();
      }
    }
    return rows;
  }

  Connection connect() throws SQLException {
    return testStore.store().maintenanceSessions().getConnection();
  }

  List<String> ids() throws SQLException {
    return testStore.execute("SELECT request_id FROM request_view ORDER BY request_id");
  }

  /** Returns a number that a query selects. */
  long number(String sql, Object... values) throws SQLException {
    return Long.parseLong(testStore.execute(sql, values).getFirst());
  }

  static String line(String model, String outcome, long cost) {
    return """
        {"route":"/v1/chat/completions","status":200,"outcome":"%s","client_ip":"192.0.2.7",\
        "total_ms":1200.400,"model":"%s","provider":"a","routing":"strategy=priority selected=a",\
        "stream":true,"ttft_ms":200.000,"upstream_ms":1100.100,"overhead_ms":0.250,\
        "prompt_tokens":8,"completion_tokens":4,"cached_tokens":2,"reasoning_tokens":1,\
        "estimated":false,"cost_micro":%d,\
        "attempts":[{"provider":"b","outcome":"provider_error","status":500,"ms":90.000},\
        {"provider":"a","outcome":"ok","status":200,"at_ms":95.250,"ms":1000.000}],\
        "phases":[{"phase":"admission","at_ms":0.000}],"request_bytes":10,"response_bytes":20}"""
        .formatted(outcome, model, cost);
  }

  @Override
  public void close() {
    testStore.close();
  }
}
