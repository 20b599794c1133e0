package dev.tollgate.server.postgres;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Settlement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Charges as the statements want them: a column each, instead of a row each. */
final class SettlementBatch {
  static final String CALL =
      "SELECT * FROM ledger_settle(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  static final String QUARANTINE =
      """
      INSERT INTO settlement_quarantine (
        holder, request_id, org_id, key_id, held, reserved_micro, cost_micro, prompt_tokens,
        completion_tokens, cached_tokens, reasoning_tokens, estimated, how, row, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (request_id) DO NOTHING RETURNING id
      """;

  private SettlementBatch() {}

  static void bind(PreparedStatement call, String holder, List<Settlement> batch)
      throws SQLException {
    List<Settlement> rows = List.copyOf(once(batch));
    Connection connection = call.getConnection();
    call.setString(1, holder);
    call.setArray(
        2, SqlArrays.of(connection, "date", rows, row -> row.payer().window().day().toString()));
    call.setArray(3, SqlArrays.of(connection, "text", rows, row -> row.request().value()));
    call.setArray(4, SqlArrays.of(connection, "uuid", rows, row -> row.org().toString()));
    call.setArray(5, SqlArrays.of(connection, "text", rows, row -> row.key().value()));
    call.setArray(6, SqlArrays.ints(connection, rows, Settlement::held));
    call.setArray(7, SqlArrays.longs(connection, rows, row -> row.reserved().value()));
    call.setArray(8, SqlArrays.longs(connection, rows, row -> row.cost().value()));
    call.setArray(9, SqlArrays.longs(connection, rows, row -> row.tokens().prompt()));
    call.setArray(10, SqlArrays.longs(connection, rows, row -> row.tokens().completion()));
    call.setArray(11, SqlArrays.longs(connection, rows, row -> row.tokens().cached()));
    call.setArray(12, SqlArrays.longs(connection, rows, row -> row.tokens().reasoning()));
    call.setArray(
        13, SqlArrays.of(connection, "bool", rows, row -> row.tokens().estimated() ? "t" : "f"));
    call.setArray(14, SqlArrays.of(connection, "text", rows, row -> row.how().wire()));
    call.setArray(
        15,
        SqlArrays.of(
            connection,
            "text",
            rows,
            row -> row.row().length == 0 ? null : RequestRows.storable(row.row())));
  }

  /** The first of each request. */
  private static Collection<Settlement> once(List<Settlement> batch) {
    Map<RequestId, Settlement> once = new LinkedHashMap<>();
    batch.forEach(settlement -> once.putIfAbsent(settlement.request(), settlement));
    return new ArrayList<>(once.values());
  }

  static void bindQuarantine(
      PreparedStatement insert, String holder, Settlement settlement, String reason)
      throws SQLException {
    insert.setString(1, holder);
    insert.setString(2, storable(settlement.request().value()));
    insert.setString(3, settlement.org().toString());
    insert.setString(4, storable(settlement.key().value()));
    insert.setInt(5, settlement.held());
    insert.setLong(6, settlement.reserved().value());
    insert.setLong(7, settlement.cost().value());
    insert.setLong(8, settlement.tokens().prompt());
    insert.setLong(9, settlement.tokens().completion());
    insert.setLong(10, settlement.tokens().cached());
    insert.setLong(11, settlement.tokens().reasoning());
    insert.setBoolean(12, settlement.tokens().estimated());
    insert.setString(13, settlement.how().wire());
    insert.setBytes(14, settlement.row());
    insert.setString(15, storable(reason));
  }

  /** A column of text takes every character but this one. */
  private static String storable(String text) {
    return text.replace('\0', '\uFFFD');
  }
}
