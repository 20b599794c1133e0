package dev.tollgate.server.explorer;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.explorer.RequestRow.Flags;
import dev.tollgate.server.explorer.RequestRow.Timing;
import dev.tollgate.server.explorer.RequestRow.Tokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rows of the table {@code request_view}, as they are made, written and read. */
final class RequestViewRows {
  /** Columns that {@link #read} reads. */
  static final String COLUMNS =
      """
      v.day, v.request_id, v.org_id, v.key_id, v.at, v.endpoint, v.model, v.provider, v.status,
      v.outcome, v.code, v.client_ip, v.stream, v.estimated, v.fallback, v.resumed, v.hedged,
      v.attempts, v.total_ms, v.ttft_ms, v.overhead_us, v.upstream_ms, v.prompt_tokens,
      v.completion_tokens, v.cached_tokens, v.reasoning_tokens, v.cost_micro,
      v.operator_cost_micro\
      """;

  private static final String INSERT =
      """
      INSERT INTO request_view (
        day, request_id, org_id, key_id, at, endpoint, model, provider, status, outcome, code,
        client_ip, stream, estimated, fallback, resumed, hedged, attempts, total_ms, ttft_ms,
        overhead_us, upstream_ms, prompt_tokens, completion_tokens, cached_tokens,
        reasoning_tokens, cost_micro, operator_cost_micro)
      SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                           ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      RETURNING request_id
      """;

  private static final String KEYS_USED =
      """
      INSERT INTO key_last_used AS u (key_id, at)
      SELECT * FROM unnest(?, ?)
      ON CONFLICT (key_id) DO UPDATE SET at = greatest(u.at, excluded.at)
      """;

  private static final Pattern ID = Pattern.compile("req_[0-7][0-9A-HJKMNP-TV-Z]{25}");

  private RequestViewRows() {}

  /** Ids of a request as the tables of the ledger hold them. */
  record Ids(LocalDate day, String requestId, OrgId org, KeyId key) {
    static Ids read(ResultSet row) throws SQLException {
      return new Ids(
          row.getObject("day", LocalDate.class),
          row.getString("request_id"),
          new OrgId(row.getObject("org_id", UUID.class)),
          new KeyId(row.getString("key_id")));
    }
  }

  /**
   * Charge as it was settled.
   *
   * @param isCrash true if the request's node died before it ended
   */
  record Booked(Tokens tokens, boolean estimated, long costMicro, boolean isCrash) {}

  /**
   * Returns the row of a line.
   *
   * @param writtenAt the request's time if its id does not tell one
   */
  static RequestRow of(Ids ids, RequestLine line, Instant writtenAt) {
    Long operatorCost = line.operatorCostMicro();
    return new RequestRow(
        ids.day(),
        ids.requestId(),
        ids.org(),
        ids.key(),
        timeOf(ids.requestId(), writtenAt),
        line.endpoint(),
        line.model(),
        line.provider(),
        line.status(),
        Objects.requireNonNullElse(line.outcome(), OutcomeClass.UNKNOWN),
        line.code(),
        line.clientIp(),
        new Flags(
            line.stream(), line.estimated(), line.isFallback(), line.isResumed(), line.isHedged()),
        line.attempts().size(),
        line.timing(),
        line.tokens(),
        line.costMicro(),
        operatorCost == null ? line.costMicro() : operatorCost);
  }

  /** Returns the row of a charge that has no line. */
  static RequestRow of(Ids ids, Booked booked, Instant settledAt) {
    return new RequestRow(
        ids.day(),
        ids.requestId(),
        ids.org(),
        ids.key(),
        timeOf(ids.requestId(), settledAt),
        null,
        null,
        null,
        null,
        booked.isCrash() ? OutcomeClass.CRASH : OutcomeClass.UNKNOWN,
        null,
        null,
        new Flags(null, booked.estimated(), false, false, false),
        0,
        Timing.NONE,
        booked.tokens(),
        booked.costMicro(),
        booked.costMicro());
  }

  /**
   * Returns the row of a line joined with its settlement: its cost is what was charged, whatever
   * its line says.
   */
  static RequestRow charged(ResultSet joined) throws SQLException {
    Ids ids = Ids.read(joined);
    Instant at = RequestProjection.instant(joined, "at");
    String line = joined.getString("row");
    if (line == null) {
      return of(ids, RequestProjection.booked(joined), at);
    }
    RequestRow logged = of(ids, RequestLineReader.read(line), at);
    long cost = joined.getLong("cost_micro");
    return cost == logged.costMicro() ? logged : charged(logged, cost);
  }

  /** Returns true if a text is the id of a request. */
  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  private static RequestRow charged(RequestRow row, long costMicro) {
    return new RequestRow(
        row.day(),
        row.requestId(),
        row.org(),
        row.key(),
        row.at(),
        row.endpoint(),
        row.model(),
        row.provider(),
        row.status(),
        row.outcome(),
        row.code(),
        row.clientIp(),
        row.flags(),
        row.attempts(),
        row.timing(),
        row.tokens(),
        costMicro,
        operatorCost(row, costMicro));
  }

  /** Returns the operator's cost under another charge: a recorded one stays. */
  static long operatorCost(RequestRow row, long costMicro) {
    return row.operatorCostMicro() == row.costMicro() ? costMicro : row.operatorCostMicro();
  }

  private static Instant timeOf(String requestId, Instant otherwise) {
    return isId(requestId)
        ? Instant.ofEpochMilli(new RequestId(requestId).epochMillis())
        : otherwise;
  }

  /**
   * Inserts rows that are not in the view yet, and adds those that were to the sums and to the last
   * use of their keys. Returns their number.
   */
  static int insert(Connection connection, List<RequestRow> rows, UsageSums sums)
      throws SQLException {
    if (rows.isEmpty()) {
      return 0;
    }
    Map<String, RequestRow> byId = HashMap.newHashMap(rows.size());
    rows.forEach(row -> byId.put(row.requestId(), row));
    Map<String, Instant> used = new HashMap<>();
    int inserted = 0;
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      bind(connection, insert, rows);
      try (ResultSet id = insert.executeQuery()) {
        while (id.next()) {
          RequestRow row = Objects.requireNonNull(byId.get(id.getString(1)));
          sums.add(row);
          used.merge(row.key().value(), row.at(), (a, b) -> a.isAfter(b) ? a : b);
          inserted++;
        }
      }
    }
    writeUsed(connection, used);
    return inserted;
  }

  private static void bind(Connection connection, PreparedStatement insert, List<RequestRow> rows)
      throws SQLException {
    var columns = new Columns<>(connection, insert, rows);
    columns.text("date", row -> row.day().toString());
    columns.text("text", RequestRow::requestId);
    columns.text("uuid", row -> row.org().toString());
    columns.text("text", row -> row.key().value());
    columns.text("timestamptz", row -> row.at().toString());
    columns.text("text", RequestRow::endpoint);
    columns.text("text", RequestRow::model);
    columns.text("text", RequestRow::provider);
    columns.any("int2", RequestRow::status);
    columns.text("text", RequestRow::outcome);
    columns.text("text", RequestRow::code);
    columns.text("text", RequestRow::clientIp);
    columns.any("bool", row -> row.flags().stream());
    columns.any("bool", row -> row.flags().estimated());
    columns.any("bool", row -> row.flags().fallback());
    columns.any("bool", row -> row.flags().resumed());
    columns.any("bool", row -> row.flags().hedged());
    columns.any("int2", RequestRow::attempts);
    columns.any("int4", row -> row.timing().totalMs());
    columns.any("int4", row -> row.timing().ttftMs());
    columns.any("int4", row -> row.timing().overheadUs());
    columns.any("int4", row -> row.timing().upstreamMs());
    columns.number(row -> row.tokens().prompt());
    columns.number(row -> row.tokens().completion());
    columns.number(row -> row.tokens().cached());
    columns.number(row -> row.tokens().reasoning());
    columns.number(RequestRow::costMicro);
    columns.number(RequestRow::operatorCostMicro);
  }

  private static void writeUsed(Connection connection, Map<String, Instant> used)
      throws SQLException {
    if (used.isEmpty()) {
      return;
    }
    try (PreparedStatement write = connection.prepareStatement(KEYS_USED)) {
      var columns = new Columns<>(connection, write, List.copyOf(used.entrySet()));
      columns.text("text", Map.Entry::getKey);
      columns.text("timestamptz", each -> each.getValue().toString());
      write.executeUpdate();
    }
  }

  /** Reads a row of the view. */
  static RequestRow read(ResultSet row) throws SQLException {
    Ids ids = Ids.read(row);
    return new RequestRow(
        ids.day(),
        ids.requestId(),
        ids.org(),
        ids.key(),
        row.getObject("at", OffsetDateTime.class).toInstant(),
        row.getString("endpoint"),
        row.getString("model"),
        row.getString("provider"),
        row.getObject("status", Integer.class),
        row.getString("outcome"),
        row.getString("code"),
        row.getString("client_ip"),
        new Flags(
            row.getObject("stream", Boolean.class),
            row.getObject("estimated", Boolean.class),
            row.getBoolean("fallback"),
            row.getBoolean("resumed"),
            row.getBoolean("hedged")),
        row.getInt("attempts"),
        new Timing(
            number(row, "total_ms"),
            number(row, "ttft_ms"),
            number(row, "overhead_us"),
            number(row, "upstream_ms")),
        tokens(row),
        row.getLong("cost_micro"),
        row.getLong("operator_cost_micro"));
  }

  static Tokens tokens(ResultSet row) throws SQLException {
    return new Tokens(
        row.getLong("prompt_tokens"),
        row.getLong("completion_tokens"),
        row.getLong("cached_tokens"),
        row.getLong("reasoning_tokens"));
  }

  private static @Nullable Integer number(ResultSet row, String column) throws SQLException {
    return row.getObject(column, Integer.class);
  }
}
