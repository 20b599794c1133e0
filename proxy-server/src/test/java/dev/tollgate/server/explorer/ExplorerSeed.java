package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Rows of the view and of the request log that a benchmark makes in the database, spread evenly
 * over one day, and sums of thirty days.
 */
final class ExplorerSeed {
  static final int KEYS = 50;
  static final int MODELS = 20;
  private static final int SECONDS = 86_400;

  private static final String ROWS =
      """
      INSERT INTO request_view (day, request_id, org_id, key_id, at, endpoint, model, provider,
        status, outcome, code, client_ip, stream, estimated, fallback, resumed, hedged, attempts,
        total_ms, ttft_ms, overhead_us, upstream_ms, prompt_tokens, completion_tokens,
        cached_tokens, reasoning_tokens, cost_micro, operator_cost_micro)
      SELECT ?, s.prefix || to_char(i, 'FM0000000000000000'), ?, 'key' || to_char(a % 50, 'FM00000'),
             s.at, CASE WHEN b % 10 < 8 THEN '/v1/chat/completions' ELSE '/v1/embeddings' END,
             'vendor/model-' || c % 20, 'provider-' || d % 5, CASE WHEN f THEN 502 ELSE 200 END,
             CASE WHEN f THEN 'provider_error' ELSE 'ok' END,
             CASE WHEN f THEN 'provider_error' END, '192.0.2.' || a / 64 % 200, b / 64 % 3 > 0,
             c / 64 % 40 = 0, d / 64 % 60 = 0, false, false, 1, a / 16384 % 5000, b / 256 % 900,
             c / 8192 % 700, a / 16384 % 4900, b / 8192 % 3000, d / 8192 % 800, 0, 0,
             CASE WHEN i = ? THEN 999999 ELSE c / 65536 % 1000 END, 1
        FROM generate_series(?::bigint, ?::bigint) i
        JOIN bench_second s ON s.n = i * 86400 / ?
       CROSS JOIN LATERAL (
         SELECT hashint8(i) & 2147483647 AS a, hashint8(-i) & 2147483647 AS b,
                hashint8(i << 20) & 2147483647 AS c, hashint8(i << 40) & 2147483647 AS d,
                (hashint8(i << 10) & 2147483647) % 100 < 2 AS f) x
      """;

  private static final String SUMS =
      """
      INSERT INTO usage_hour
      SELECT h, ?, 'key' || to_char(k, 'FM00000'), 'vendor/model-' || (k + m) % 20,
             'provider-' || m % 5, '/v1/chat/completions',
             CASE m WHEN 0 THEN 'provider_error' ELSE 'ok' END,
             CASE m WHEN 0 THEN 'provider_error' ELSE '' END, 10 + k, 100, 100, 0, 0, 1000, 1000,
             '{}', '{}', '{}'
        FROM generate_series(date_trunc('hour', ?::timestamptz) - interval '30 days',
                             ?::timestamptz, interval '1 hour') h,
             generate_series(0, 19) k, generate_series(0, 9) m
      """;

  private static final String LINES =
      """
      INSERT INTO request_log (day, request_id, org_id, key_id, row, at)
      SELECT ?, s.prefix || 'Z' || to_char(i, 'FM000000000000000'), ?, 'key' || to_char(i % 50, 'FM00000'),
             replace(?, 'vendor/model', 'vendor/model-' || i % 20),
             ?::timestamptz + i * interval '100 microseconds'
        FROM generate_series(1::bigint, ?::bigint) i
        JOIN bench_second s ON s.n = i * 600 / ?
      """;

  private final DataSource source;
  private final Instant begin;

  /**
   * @param begin a midnight in UTC
   */
  ExplorerSeed(DataSource source, Instant begin) throws SQLException {
    this.source = source;
    this.begin = begin;
    List<String> prefixes = new ArrayList<>();
    for (int second = 0; second <= SECONDS; second++) {
      prefixes.add(RequestId.lowestAt(begin.plusSeconds(second).toEpochMilli()));
    }
    execute("CREATE TABLE bench_second (n bigint PRIMARY KEY, prefix text, at timestamptz)");
    execute(
        "INSERT INTO bench_second SELECT n - 1, p, ?::timestamptz + (n - 1) * interval '1 second'"
            + " FROM unnest(string_to_array(?, ' ')) WITH ORDINALITY AS t (p, n)",
        begin.atOffset(ZoneOffset.UTC),
        String.join(" ", prefixes));
    execute("ANALYZE bench_second");
  }

  /** Adds rows of an organization; the first one has the only cost of 999,999. */
  void rows(OrgId org, long first, long count) throws SQLException {
    execute(
        ROWS,
        RequestViewRebuild.dayOf(begin),
        org.value(),
        first,
        first,
        first + count - 1,
        first + count);
  }

  /** Adds sums of the thirty days before the end of the day, 200 an hour. */
  void sums(OrgId org) throws SQLException {
    var end = begin.plus(Duration.ofDays(1)).atOffset(ZoneOffset.UTC);
    execute(SUMS, org.value(), end, end);
  }

  /** Adds lines to the request log, as they are written 10,000 a second from a time on. */
  void lines(OrgId org, Instant writtenFrom, long count) throws SQLException {
    execute(
        LINES,
        RequestViewRebuild.dayOf(begin),
        org.value(),
        TestRequests.line("vendor/model", "ok", 7),
        writtenFrom.atOffset(ZoneOffset.UTC),
        count,
        count);
  }

  List<String> execute(String sql, Object... values) throws SQLException {
    return TestLedgerStore.execute(source, sql, values);
  }
}
