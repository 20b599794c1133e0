package dev.tollgate.server.postgres.tenants;

import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyHash;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Query of API keys by hash in PostgreSQL for the key cache, one round trip each. */
public final class PostgresKeyDirectory implements KeyDirectory {
  private static final Lookup UNKNOWN = new Lookup.Unknown();

  private final DataSource pool;

  public PostgresKeyDirectory(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public Lookup find(KeyHash hash) {
    byte[] sha256 = hash.bytes();
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement(StoredKey.SELECT + " WHERE k.hash = ?")) {
      select.setBytes(1, sha256);
      try (ResultSet row = select.executeQuery()) {
        return row.next() && MessageDigest.isEqual(row.getBytes("hash"), sha256)
            ? new Lookup.Found(StoredKey.readKey(row))
            : UNKNOWN;
      }
    } catch (SQLException e) {
      return new Lookup.Unavailable("key query failed: " + e.getMessage());
    }
  }
}
