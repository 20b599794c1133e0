package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.session.SqlArrays;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Queries of what the request view does not hold of an organization's keys. */
public final class OrgKeys {
  private static final String SCOPES =
      """
      SELECT allowed_models, allowed_modalities, count(*) AS keys FROM api_key
       WHERE org_id = ? AND state = 'active' AND (expires_at IS NULL OR expires_at > ledger_now())
       GROUP BY 1, 2
      """;

  private final DataSource source;

  public OrgKeys(DataSource source) {
    this.source = source;
  }

  /** Number of keys that have a scope. */
  public record ScopeCount(KeyScope scope, int keys) {}

  /** Returns the names of an organization's keys by their ids, without those that it has not. */
  public Map<String, String> names(OrgId org, Collection<String> ids) throws SQLException {
    if (ids.isEmpty()) {
      return Map.of();
    }
    try (Connection connection = source.getConnection()) {
      return Statements.list(
              connection,
              "SELECT id, name FROM api_key WHERE org_id = ? AND id = ANY (?)",
              row -> Map.entry(row.getString("id"), row.getString("name")),
              org.value(),
              ids)
          .stream()
          .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
  }

  /** Counts the keys that can be used now by their scopes. */
  public List<ScopeCount> scopes(OrgId org) throws SQLException {
    try (Connection connection = source.getConnection()) {
      return Statements.list(
          connection,
          SCOPES,
          row ->
              new ScopeCount(
                  new KeyScope(
                      Set.copyOf(SqlArrays.strings(row, "allowed_models")),
                      Set.copyOf(SqlArrays.strings(row, "allowed_modalities")),
                      Set.of()),
                  row.getInt("keys")),
          org.value());
    }
  }
}
