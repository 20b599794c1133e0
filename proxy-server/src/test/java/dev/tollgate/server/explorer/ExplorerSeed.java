package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.server.postgres.TestLedgerStore;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Rows of the view that a benchmark makes in the database, in the order of their time, with the
 * sums of them, and lines of the request log. Every organization has its part of each second.
 */
final class ExplorerSeed {
  private static final int SECONDS = 86_400;

  /** Days with five-minute sums. */
  private static final int DAYS_FINE = 2;

  /**
   * One day. Each organization has 50 keys, each of which uses two of 20 models; each model has two
   * of five providers and one endpoint. 2 % of the requests fail.
   */
  private static final String ROWS =
      """
      INSERT INTO %s (day, request_id, org_id, key_id, at, endpoint, model, provider,
        status, outcome, code, client_ip, stream, estimated, fallback, resumed, hedged, attempts,
        total_ms, ttft_ms, overhead_us, upstream_ms, prompt_tokens, completion_tokens,
        cached_tokens, reasoning_tokens, cost_micro, operator_cost_micro)
      SELECT ?::date, s.prefix || to_char(i, 'FM0000000000000000'), o.id,
             CASE o.n WHEN 0 THEN 'key' ELSE to_char(o.n, 'FM000') END || to_char(k, 'FM00000'),
             s.at, CASE WHEN m < 16 THEN '/v1/chat/completions' ELSE '/v1/embeddings' END,
             'vendor/model-' || m, 'provider-' || (m + b / 2 % 2) % 5,
             CASE WHEN f THEN 502 ELSE 200 END, CASE WHEN f THEN 'provider_error' ELSE 'ok' END,
             CASE WHEN f THEN 'provider_error' END, '192.0.2.' || a / 64 % 200, b / 64 % 3 > 0,
             c / 64 % 40 = 0, d / 64 % 60 = 0, false, false, 1, a / 16384 % 5000, b / 256 % 900,
             c / 8192 % 700, a / 16384 % 4900, b / 8192 % 3000, d / 8192 % 800, 0, 0,
             CASE WHEN i = 0 THEN 999999 ELSE c / 65536 % 1000 END, 1
        FROM generate_series(?::bigint, ?::bigint - 1) i
        JOIN bench_second s ON s.n = (i - ?::bigint) * 86400 / ?
        JOIN bench_org o ON o.n = i % ?
       CROSS JOIN LATERAL (
         SELECT hashint8extended(i, 1) & 4611686018427387903 AS a,
                hashint8extended(i, 2) & 4611686018427387903 AS b,
                hashint8extended(i, 3) & 4611686018427387903 AS c,
                hashint8extended(i, 4) & 4611686018427387903 AS d,
                (hashint8extended(i, 5) & 4611686018427387903) % 100 < 2 AS f) x
       CROSS JOIN LATERAL (SELECT a % 50 AS k, (a % 50 + b % 2 * 7) % 20 AS m) y
       ORDER BY i
      """;

  /** Counted refusals of one key of each organization, in one of ten minutes. */
  private static final String REFUSALS =
      """
      INSERT INTO refusal_count (minute, key_id, code, org_id, refusals)
      SELECT m, CASE o.n WHEN 0 THEN 'key' ELSE to_char(o.n, 'FM000') END || '00007',
             'rate_limited', o.id, 40
        FROM bench_org o, generate_series(?::timestamptz, ?, interval '10 minutes') m
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

  ExplorerSeed(DataSource source) {
    this.source = source;
  }

  /**
   * Rows that are there.
   *
   * @param org the organization that is looked at
   * @param end a midnight in UTC
   */
  record Seeded(OrgId org, Instant end) {}

  /**
   * Makes rows of whole days up to today, unless the database has some: a benchmark may be repeated
   * on them. The first row, the oldest, has the only cost of 999,999.
   *
   * @param rows of one organization
   * @param orgs that have so many
   */
  Seeded seeded(long rows, int orgs, int days) throws SQLException {
    execute("CREATE TABLE IF NOT EXISTS bench_org (n bigint PRIMARY KEY, id uuid, until date)");
    LocalDate end = LocalDate.now(ZoneOffset.UTC);
    if (execute("SELECT 1 FROM bench_org WHERE n = 0").isEmpty()) {
      for (int n = orgs - 1; n >= 0; n--) {
        execute("INSERT INTO bench_org VALUES (?, ?, ?)", n, UUID.randomUUID(), end);
      }
      long all = rows * orgs;
      for (int day = 0; day < days; day++) {
        LocalDate its = end.minusDays(days - day);
        day(its, day * all / days, (day + 1) * all / days, orgs);
        if (days - day <= DAYS_FINE) {
          sums("usage_slot", UsageSums.SLOT, its);
        }
        sums("usage_hour", UsageSums.HOUR, its);
      }
      execute(REFUSALS, midnight(end.minusDays(days)), midnight(end));
      execute("VACUUM ANALYZE usage_slot, usage_hour, refusal_count");
      execute("UPDATE request_view_mark SET upto = ?", midnight(end));
    }
    return new Seeded(
        new OrgId(UUID.fromString(execute("SELECT id FROM bench_org WHERE n = 0").getFirst())),
        LocalDate.parse(execute("SELECT until FROM bench_org WHERE n = 0").getFirst())
            .atStartOfDay(ZoneOffset.UTC)
            .toInstant());
  }

  /** Makes the rows of a day, and its indexes after them, which takes less time. */
  private void day(LocalDate day, long first, long end, int orgs) throws SQLException {
    seconds(day);
    String table = table(day);
    execute("DROP TABLE IF EXISTS " + table);
    execute("CREATE TABLE " + table + " (LIKE request_view)");
    execute(ROWS.replace("%s", table), day, first, end, first, end - first, orgs);
    execute(
        "ALTER TABLE request_view ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')"
            .formatted(table, day, day.plusDays(1)));
    execute("VACUUM ANALYZE " + table);
  }

  private void sums(String table, Duration length, LocalDate day) throws SQLException {
    String insert =
        """
        INSERT INTO %s
        SELECT date_bin(make_interval(secs => ?), at, '2000-01-01Z'), org_id, key_id, model, provider,
               endpoint, outcome, coalesce(code, ''), count(*), sum(prompt_tokens),
               sum(completion_tokens), 0, 0, sum(cost_micro), sum(operator_cost_micro),
               array_fill(1, ARRAY[40]), array_fill(1, ARRAY[40]), array_fill(1, ARRAY[40])
          FROM %s GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
        """
            .formatted(table, table(day));
    execute(insert, length.toSeconds());
  }

  /** Returns the table of a day's rows. */
  static String table(LocalDate day) {
    return "request_view_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
  }

  private static OffsetDateTime midnight(LocalDate day) {
    return day.atStartOfDay().atOffset(ZoneOffset.UTC);
  }

  /** Makes the seconds of a day with the begins of their ids. */
  private void seconds(LocalDate day) throws SQLException {
    long begin = midnight(day).toInstant().toEpochMilli();
    List<String> prefixes = new ArrayList<>();
    for (int second = 0; second < SECONDS; second++) {
      prefixes.add(RequestId.lowestAt(begin + 1_000L * second));
    }
    execute("DROP TABLE IF EXISTS bench_second");
    execute("CREATE TABLE bench_second (n bigint PRIMARY KEY, prefix text, at timestamptz)");
    execute(
        "INSERT INTO bench_second SELECT n - 1, p, ?::timestamptz + (n - 1) * interval '1 second'"
            + " FROM unnest(string_to_array(?, ' ')) WITH ORDINALITY AS t (p, n)",
        midnight(day),
        String.join(" ", prefixes));
    execute("ANALYZE bench_second");
  }

  /** Adds lines of today to the request log, as they are written 10,000 a second from a time on. */
  void lines(OrgId org, Instant writtenFrom, long count) throws SQLException {
    LocalDate day = LocalDate.now(ZoneOffset.UTC);
    seconds(day);
    execute(
        LINES,
        day,
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
