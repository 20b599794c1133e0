package dev.tollgate.server.explorer;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.explorer.RequestRow.Flags;
import dev.tollgate.server.explorer.RequestRow.Timing;
import dev.tollgate.server.explorer.RequestRow.Tokens;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rows of the table {@code request_view} as they are read. */
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

  private static final Pattern ID = Pattern.compile("req_[0-7][0-9A-HJKMNP-TV-Z]{25}");

  private RequestViewRows() {}

  /** Returns true if a text is the id of a request. */
  static boolean isId(String text) {
    return ID.matcher(text).matches();
  }

  static RequestRow read(ResultSet row) throws SQLException {
    return new RequestRow(
        row.getObject("day", LocalDate.class),
        row.getString("request_id"),
        new OrgId(row.getObject("org_id", UUID.class)),
        new KeyId(row.getString("key_id")),
        instant(row, "at"),
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
        new Tokens(
            row.getLong("prompt_tokens"),
            row.getLong("completion_tokens"),
            row.getLong("cached_tokens"),
            row.getLong("reasoning_tokens")),
        row.getLong("cost_micro"),
        row.getLong("operator_cost_micro"));
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static @Nullable Integer number(ResultSet row, String column) throws SQLException {
    return row.getObject(column, Integer.class);
  }
}
