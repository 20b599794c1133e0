package dev.tollgate.server.postgres;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.testkit.LedgerSums;
import dev.tollgate.core.testkit.LedgerSums.LeaseSums;
import dev.tollgate.core.testkit.LedgerSums.ScopeSums;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Ledger store in a database of its own, with a clock that a test sets. */
public final class TestLedgerStore implements AutoCloseable, BeforeAllCallback, AfterAllCallback {
  private @Nullable Store store;

  private TestLedgerStore(@Nullable Store store) {
    this.store = store;
  }

  public static TestLedgerStore open() throws Exception {
    return new TestLedgerStore(SharedPostgres.newStore());
  }

  /** Returns an extension that opens a store before a class's tests and closes it after them. */
  public static TestLedgerStore perClass() {
    return new TestLedgerStore(null);
  }

  /** Wraps a store that the caller closes. */
  static TestLedgerStore of(Store store) {
    return new TestLedgerStore(store);
  }

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    store = SharedPostgres.newStore();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  public PostgresLedgerStore ledgerStore() {
    return store().ledgerStore();
  }

  public Store store() {
    return Objects.requireNonNull(store);
  }

  public OrgId newOrg() throws SQLException {
    String name = UUID.randomUUID().toString();
    store().organizations().create(name, null);
    return store().organizations().find(name).orElseThrow().org().id();
  }

  public KeyId newKey(OrgId org) throws SQLException {
    var spec = new ApiKeys.ApiKeySpec("k", KeyScope.ALL, KeyLimits.DEFAULT, null);
    return ((ApiKeys.KeyCreation.Created) store().apiKeys().create(org, spec, 0)).key().key().id();
  }

  public void fund(OrgId org, long micro) throws SQLException {
    execute(
        "INSERT INTO ledger_entry (org_id, kind, amount_micro, ref, actor)"
            + " VALUES (?, 'adjustment', ?, ?, 'test')",
        org.value(),
        micro,
        UUID.randomUUID().toString());
  }

  void limitMonth(OrgId org, @Nullable Long micro) throws SQLException {
    execute(
        "UPDATE organization SET monthly_limit_micro = ?::bigint WHERE id = ?", micro, org.value());
  }

  public void limitDay(KeyId key, @Nullable Long micro) throws SQLException {
    execute("UPDATE api_key SET daily_budget_micro = ?::bigint WHERE id = ?", micro, key.value());
  }

  void limitMonth(KeyId key, @Nullable Long micro) throws SQLException {
    execute("UPDATE api_key SET monthly_budget_micro = ?::bigint WHERE id = ?", micro, key.value());
  }

  /** Returns the bytes of a secret that can be opened. */
  public static byte[] opened(Optional<UnsealResult> secret) {
    return ((UnsealResult.Opened) secret.orElseThrow()).secret();
  }

  /** Stops the ledger store's clock at a time. */
  public void setClock(long epochMillis) throws SQLException {
    execute("CREATE TABLE IF NOT EXISTS test_clock (at timestamptz)");
    execute("DELETE FROM test_clock");
    execute(
        "INSERT INTO test_clock VALUES (?)",
        Instant.ofEpochMilli(epochMillis).atOffset(ZoneOffset.UTC));
    execute(
        "CREATE OR REPLACE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
            + " 'SELECT at FROM test_clock'");
  }

  /** Returns the sums of some organizations. */
  LedgerSums sums(List<OrgId> orgs) throws SQLException {
    UUID[] ids = orgs.stream().map(OrgId::value).toArray(UUID[]::new);
    TreeMap<String, ScopeSums> scopes = new TreeMap<>();
    TreeMap<String, LeaseSums> leases = new TreeMap<>();
    try (Connection connection = store().pool().getConnection()) {
      var its = connection.createArrayOf("uuid", ids);
      try (ResultSet row =
          query(
              connection,
              "SELECT scope_id, used_micro, leased_micro, beyond_micro, recall"
                  + " FROM scope_account WHERE org_id = ANY (?)",
              its)) {
        while (row.next()) {
          scopes.put(
              row.getString(1),
              new ScopeSums(row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)));
        }
      }
      try (ResultSet row =
          query(
              connection,
              "SELECT holder || ' ' || l.scope_id, granted_micro, spent_micro, overrun_micro,"
                  + " state = 'open', answered, called, stated FROM lease l"
                  + " JOIN scope_account a ON a.scope_id = l.scope_id WHERE a.org_id = ANY (?)",
              its)) {
        while (row.next()) {
          leases.put(
              row.getString(1),
              new LeaseSums(
                  row.getLong(2),
                  row.getLong(3),
                  row.getLong(4),
                  row.getBoolean(5),
                  row.getLong(6),
                  row.getLong(7),
                  row.getLong(8)));
        }
      }
    }
    return new LedgerSums(scopes, leases);
  }

  /** Returns the sums of one organization's balance. */
  public ScopeSums balance(OrgId org) throws SQLException {
    return Objects.requireNonNull(sums(List.of(org)).scopes().get("org:" + org));
  }

  /** Runs a statement; returns the first column of its result. */
  public List<String> execute(String sql, @Nullable Object... values) throws SQLException {
    return execute(store().pool(), sql, values);
  }

  /** The same in a database that no store was opened on. */
  public static List<String> execute(DataSource source, String sql, @Nullable Object... values)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      List<String> first = new ArrayList<>();
      if (statement.execute()) {
        try (ResultSet row = statement.getResultSet()) {
          while (row.next()) {
            first.add(row.getString(1));
          }
        }
      }
      return first;
    }
  }

  private static ResultSet query(Connection connection, String sql, Object value)
      throws SQLException {
    PreparedStatement select = connection.prepareStatement(sql);
    select.closeOnCompletion();
    select.setObject(1, value);
    return select.executeQuery();
  }

  public static Settlement charge(RequestId request, OrgId org, KeyId key, int held, long cost) {
    return charge(request, org, key, held, cost, "");
  }

  public static Settlement charge(
      RequestId request, OrgId org, KeyId key, int held, long cost, String row) {
    return new Settlement(
        request,
        org,
        key,
        held,
        new MicroUsd(10),
        new MicroUsd(cost),
        new Tokens(1, 2, 3, 4, true),
        Settlement.SettlementKind.COMPLETED,
        row.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    store().close();
  }
}
