package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.exchange.frame.RefusalCount;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/** Counts of refused requests in PostgreSQL, to which all nodes add. */
public final class RefusalCountRows {
  /** In the order of the key, so that nodes that add to the same rows wait instead of dying. */
  private static final String ADD =
      """
      INSERT INTO refusal_count AS r (minute, key_id, code, org_id, refusals)
      SELECT c.minute, c.key, c.code, c.org, c.refusals
        FROM unnest(?, ?, ?, ?, ?) AS c (minute, key, code, org, refusals)
       ORDER BY c.minute, c.key COLLATE "C", c.code COLLATE "C"
      ON CONFLICT (minute, key_id, code) DO UPDATE SET refusals = r.refusals + excluded.refusals
      """;

  private static final String LATEST =
      """
      SELECT minute, org_id, key_id, code, refusals
        FROM refusal_count
       WHERE minute >= date_trunc('minute', ?::timestamptz)
         AND (?::uuid IS NULL OR org_id = ?::uuid) AND (?::text IS NULL OR key_id = ?)
       ORDER BY minute DESC, key_id, code LIMIT ?
      """;

  private final DataSource source;

  public RefusalCountRows(DataSource source) {
    this.source = source;
  }

  /** Adds to the counts, all or none; no count is there twice. */
  public void add(List<RefusalCount> counts) throws LedgerStoreException {
    try (Connection connection = source.getConnection();
        PreparedStatement add = connection.prepareStatement(ADD)) {
      add.setArray(
          1,
          SqlArrays.of(
              connection,
              "timestamptz",
              counts,
              each -> Instant.ofEpochMilli(each.epochMillis()).toString()));
      add.setArray(2, SqlArrays.of(connection, "text", counts, each -> each.key().value()));
      add.setArray(3, SqlArrays.of(connection, "text", counts, RefusalCount::code));
      add.setArray(4, SqlArrays.of(connection, "uuid", counts, each -> each.org().toString()));
      add.setArray(5, SqlArrays.longs(connection, counts, RefusalCount::refusals));
      add.executeUpdate();
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }

  /**
   * Returns the counts of the latest minutes since a time, the latest last.
   *
   * @param filter its outcome is not looked at
   */
  public List<RefusalCount> latest(RequestHistory.Filter filter, Instant since, int rowsMax)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(LATEST)) {
      select.setObject(1, since.atOffset(ZoneOffset.UTC));
      String org = filter.org() == null ? null : filter.org().toString();
      String key = filter.key() == null ? null : filter.key().value();
      select.setString(2, org);
      select.setString(3, org);
      select.setString(4, key);
      select.setString(5, key);
      select.setInt(6, rowsMax);
      List<RefusalCount> counts = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          counts.add(read(row));
        }
      }
      return counts.reversed();
    }
  }

  private static RefusalCount read(ResultSet row) throws SQLException {
    long epochMillis = row.getObject("minute", OffsetDateTime.class).toInstant().toEpochMilli();
    return new RefusalCount(
        RefusalCount.minuteOf(epochMillis),
        new OrgId(row.getObject("org_id", UUID.class)),
        new KeyId(row.getString("key_id")),
        row.getString("code"),
        row.getLong("refusals"));
  }
}
