package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** Queries of what the request view does not hold of an organization's keys. */
public final class OrgKeys {
  private final DataSource source;

  public OrgKeys(DataSource source) {
    this.source = source;
  }

  /** Number of keys that have a scope. */
  public record ScopeCount(KeyScope scope, int keys) {}

  /** Returns the names of an organization's keys by their ids, without those that it has not. */
  public Map<String, String> names(OrgId org, Collection<String> ids) throws SQLException {
    Map<String, String> names = new HashMap<>();
    if (ids.isEmpty()) {
      return names;
    }
    var query = new SqlQuery().add("SELECT id, name FROM api_key");
    query.add("WHERE org_id = ? AND id = ANY (?)", org.value(), List.copyOf(ids));
    try (Connection connection = source.getConnection();
        PreparedStatement select = query.prepare(connection);
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        names.put(row.getString("id"), row.getString("name"));
      }
    }
    return names;
  }

  /** Counts the keys that can be used now by their scopes. */
  public List<ScopeCount> scopes(OrgId org) throws SQLException {
    var query = new SqlQuery();
    query.add("SELECT allowed_models, allowed_modalities, count(*) AS keys FROM api_key");
    query.add("WHERE org_id = ? AND state = 'active'", org.value());
    query.add("AND (expires_at IS NULL OR expires_at > ledger_now()) GROUP BY 1, 2");
    try (Connection connection = source.getConnection();
        PreparedStatement select = query.prepare(connection);
        ResultSet row = select.executeQuery()) {
      List<ScopeCount> counts = new ArrayList<>();
      while (row.next()) {
        var scope =
            new KeyScope(
                Set.copyOf(SqlArrays.strings(row, "allowed_models")),
                Set.copyOf(SqlArrays.strings(row, "allowed_modalities")),
                Set.of());
        counts.add(new ScopeCount(scope, row.getInt("keys")));
      }
      return counts;
    }
  }
}
