package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.ledger.LedgerStore.LedgerStoreException;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import javax.sql.DataSource;

/** Writer of request log rows for requests without a charge. */
public final class RequestRows {
  private static final String INSERT =
      """
      INSERT INTO request_log (day, request_id, org_id, key_id, row)
      SELECT r.day, r.request, r.org, r.key, r.line
        FROM unnest(?, ?, ?, ?, ?) AS r (day, request, org, key, line)
      ON CONFLICT DO NOTHING
      """;

  private final DataSource pool;
  private final Function<RequestRecord, byte[]> lines;

  public RequestRows(DataSource pool, Function<RequestRecord, byte[]> lines) {
    this.pool = pool;
    this.lines = lines;
  }

  /** Adds a row for each record, all or none; an existing row is kept. The keys exist. */
  public void add(List<RequestRecord> records) throws LedgerStoreException {
    try (Connection connection = pool.getConnection();
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setArray(1, SqlArrays.of(connection, "date", records, RequestRows::day));
      insert.setArray(2, SqlArrays.of(connection, "text", records, each -> each.id().value()));
      insert.setArray(
          3, SqlArrays.of(connection, "uuid", records, each -> key(each).org().id().toString()));
      insert.setArray(4, SqlArrays.of(connection, "text", records, each -> key(each).id().value()));
      insert.setArray(5, SqlArrays.of(connection, "text", records, this::line));
      insert.executeUpdate();
    } catch (SQLException e) {
      throw LedgerStoreFailures.of(e);
    }
  }

  private static String day(RequestRecord record) {
    return Window.at(record.id().epochMillis()).day().toString();
  }

  private static ApiKey key(RequestRecord record) {
    return Objects.requireNonNull(record.key());
  }

  private String line(RequestRecord record) {
    return new String(storable(lines.apply(record)), StandardCharsets.UTF_8);
  }

  /** Returns the line without NUL, the one character that the database refuses in any notation. */
  static byte[] storable(byte[] line) {
    if (!mayHoldNul(line)) {
      return line;
    }
    return new String(line, StandardCharsets.UTF_8)
        .replace("\\u0000", "\\ufffd")
        .replace('\0', '\uFFFD')
        .getBytes(StandardCharsets.UTF_8);
  }

  private static boolean mayHoldNul(byte[] line) {
    for (byte each : line) {
      if (each == 0 || each == '\\' || each < 0) {
        return true;
      }
    }
    return false;
  }
}
