package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Settlement;
import dev.tollgate.server.postgres.session.SqlArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Batch of charges as statement parameters, one SQL array per column. */
final class SettlementBatch {
  static final String CALL =
      "SELECT * FROM ledger_settle(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  /** Skips charges with an operator's decision: they may be sent again. */
  static final String QUARANTINE =
      """
      INSERT INTO settlement_quarantine (
        holder, request_id, org_id, key_id, held, reserved_micro, cost_micro, prompt_tokens,
        completion_tokens, cached_tokens, reasoning_tokens, estimated, how, row, reason)
      SELECT ?, its_request, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
        FROM (VALUES (?)) AS sent (its_request)
       WHERE NOT EXISTS (SELECT 1 FROM quarantine_decision d WHERE d.request_id = its_request)
      ON CONFLICT (request_id) DO NOTHING RETURNING id
      """;

  private SettlementBatch() {}

  static void bind(PreparedStatement call, String holder, List<Settlement> batch)
      throws SQLException {
    List<Settlement> rows = once(batch);
    int count = rows.size();
    Connection connection = call.getConnection();
    var days = BinaryArray.dates(count);
    var requests = BinaryArray.texts(count * 38);
    var orgs = BinaryArray.uuids(count);
    var keys = BinaryArray.texts(count * 38);
    var estimated = BinaryArray.bools(count);
    var hows = BinaryArray.texts(count * 16);
    var lines = BinaryArray.texts(rows.stream().mapToInt(row -> row.row().length + 4).sum());
    for (Settlement row : rows) {
      days.date(row.window().day());
      requests.text(row.request().value());
      orgs.uuid(row.org().value());
      keys.text(row.key().value());
      estimated.bool(row.tokens().estimated());
      hows.text(row.how().wire());
      putLine(row, lines);
    }
    call.setString(1, holder);
    call.setArray(2, days.on(connection));
    call.setArray(3, requests.on(connection));
    call.setArray(4, orgs.on(connection));
    call.setArray(5, keys.on(connection));
    call.setArray(6, SqlArrays.ints(connection, rows, Settlement::scopeKinds));
    call.setArray(7, SqlArrays.longs(connection, rows, row -> row.reserved().value()));
    call.setArray(8, SqlArrays.longs(connection, rows, row -> row.cost().value()));
    call.setArray(9, SqlArrays.longs(connection, rows, row -> row.tokens().prompt()));
    call.setArray(10, SqlArrays.longs(connection, rows, row -> row.tokens().completion()));
    call.setArray(11, SqlArrays.longs(connection, rows, row -> row.tokens().cached()));
    call.setArray(12, SqlArrays.longs(connection, rows, row -> row.tokens().reasoning()));
    call.setArray(13, estimated.on(connection));
    call.setArray(14, hows.on(connection));
    call.setArray(15, lines.on(connection));
  }

  private static void putLine(Settlement row, BinaryArray lines) {
    if (row.row().length == 0) {
      lines.nullElement();
    } else {
      lines.utf8(RequestRows.storable(row.row()));
    }
  }

  /** Keeps the first charge of each request. */
  private static List<Settlement> once(List<Settlement> batch) {
    Map<RequestId, Settlement> once = new LinkedHashMap<>();
    batch.forEach(settlement -> once.putIfAbsent(settlement.request(), settlement));
    return new ArrayList<>(once.values());
  }

  static void bindQuarantine(
      PreparedStatement insert, String holder, Settlement settlement, String reason)
      throws SQLException {
    insert.setString(1, holder);
    insert.setString(2, settlement.org().toString());
    insert.setString(3, storable(settlement.key().value()));
    insert.setInt(4, settlement.scopeKinds());
    insert.setLong(5, settlement.reserved().value());
    insert.setLong(6, settlement.cost().value());
    insert.setLong(7, settlement.tokens().prompt());
    insert.setLong(8, settlement.tokens().completion());
    insert.setLong(9, settlement.tokens().cached());
    insert.setLong(10, settlement.tokens().reasoning());
    insert.setBoolean(11, settlement.tokens().estimated());
    insert.setString(12, settlement.how().wire());
    insert.setBytes(13, settlement.row());
    insert.setString(14, storable(reason));
    insert.setString(15, storable(settlement.request().value()));
  }

  /** A text column accepts every character but NUL. */
  private static String storable(String text) {
    return text.replace('\0', '\uFFFD');
  }
}
