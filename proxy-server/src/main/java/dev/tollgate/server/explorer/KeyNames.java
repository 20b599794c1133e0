package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Query of the names of keys, which the request view does not hold. */
public final class KeyNames {
  private final DataSource source;

  public KeyNames(DataSource source) {
    this.source = source;
  }

  /** Returns the names of an organization's keys by their ids, without those that it has not. */
  public Map<String, String> of(OrgId org, Collection<String> ids) throws SQLException {
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
}
