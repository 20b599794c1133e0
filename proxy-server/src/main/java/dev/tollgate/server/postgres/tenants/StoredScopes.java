package dev.tollgate.server.postgres.tenants;

import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Query of the models that usable keys are restricted to, for comparison with a configuration. */
public final class StoredScopes {
  private static final int KEYS_MAX = 10_000;
  private static final String SCOPES =
      """
      SELECT o.name AS org, k.id, k.name, k.allowed_models
        FROM api_key k JOIN organization o ON o.id = k.org_id
       WHERE k.state = 'active' AND (k.expires_at IS NULL OR k.expires_at > ledger_now())
         AND cardinality(k.allowed_models) > 0
       ORDER BY o.name, k.created_at, k.id LIMIT ?
      """;

  private StoredScopes() {}

  /** Models that a key is restricted to, as ids or patterns. */
  public record StoredScope(String org, String key, String name, List<String> models) {}

  /** Returns the scopes of the first 10,000 keys that have one; none if the store is new. */
  public static List<StoredScope> list(Connection connection) throws SQLException {
    boolean isNew = Statements.exists(connection, "SELECT 1 WHERE to_regclass('api_key') IS NULL");
    return isNew
        ? List.of()
        : Statements.list(
            connection,
            SCOPES,
            row ->
                new StoredScope(
                    row.getString("org"),
                    row.getString("id"),
                    row.getString("name"),
                    Statements.texts(row, "allowed_models")),
            KEYS_MAX);
  }
}
