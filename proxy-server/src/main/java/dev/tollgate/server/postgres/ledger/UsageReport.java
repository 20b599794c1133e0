package dev.tollgate.server.postgres.ledger;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.Window;
import dev.tollgate.core.money.MicroUsd;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Query of usage sums in PostgreSQL for the CLI: requests, tokens and costs by day, model or key.
 * Costs and tokens come from the charges, which are never lost; a request without a charge comes
 * from the request log. Of a day whose charges were dropped the sums remain: it counts as a whole,
 * and without its models and aborted requests. Of a day whose request log was dropped, what the
 * operator paid comes from the hourly sums. Refusals that were counted and have no row are a sum of
 * their own.
 */
public final class UsageReport {
  private static final String SUM =
      """
      WITH charge AS (
        SELECT day, request_id, key_id, prompt_tokens, completion_tokens, cached_tokens,
               reasoning_tokens, cost_micro
          FROM settlement
         WHERE day BETWEEN ?::date AND ?::date AND request_id >= ? AND request_id < ?
           AND (?::uuid IS NULL OR org_id = ?::uuid)),
      line AS (
        SELECT day, request_id, key_id, row::json ->> 'model' AS model,
               (row::json ->> 'prompt_tokens')::bigint AS prompt_tokens,
               (row::json ->> 'completion_tokens')::bigint AS completion_tokens,
               (row::json ->> 'cached_tokens')::bigint AS cached_tokens,
               (row::json ->> 'reasoning_tokens')::bigint AS reasoning_tokens,
               row::json ->> 'outcome' IN ('client_abort', 'client_stalled') AS left_early,
               operator_cost_micro
          FROM request_log
         WHERE day BETWEEN ?::date AND ?::date AND request_id >= ? AND request_id < ?
           AND (?::uuid IS NULL OR org_id = ?::uuid))
      SELECT its_columns, sum(requests) AS requests,
             sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
             sum(cached_tokens) AS cached_tokens, sum(reasoning_tokens) AS reasoning_tokens,
             sum(cost_micro) AS cost_micro, sum(cost_micro) - sum(margin) AS operator_cost_micro,
             sum(refusals) AS refusals, sum(aborted) AS aborted
        FROM (
          SELECT day, coalesce(c.key_id, l.key_id) AS key_id, l.model, 1 AS requests,
                 coalesce(c.prompt_tokens, l.prompt_tokens, 0) AS prompt_tokens,
                 coalesce(c.completion_tokens, l.completion_tokens, 0) AS completion_tokens,
                 coalesce(c.cached_tokens, l.cached_tokens, 0) AS cached_tokens,
                 coalesce(c.reasoning_tokens, l.reasoning_tokens, 0) AS reasoning_tokens,
                 coalesce(c.cost_micro, 0) AS cost_micro,
                 coalesce(coalesce(c.cost_micro, 0) - l.operator_cost_micro, 0) AS margin,
                 0 AS refusals,
                 (c.cost_micro IS NULL AND l.prompt_tokens = 0 AND l.left_early)::int AS aborted
            FROM charge c FULL JOIN line l USING (day, request_id)
           WHERE c.cost_micro IS NOT NULL OR l.model IS NOT NULL
          UNION ALL
          SELECT r.day, a.key_id, NULL, r.n, r.prompt_tokens, r.completion_tokens,
                 r.cached_tokens, r.reasoning_tokens, r.sum_micro, 0, 0, 0
            FROM settlement_rollup r JOIN scope_account a ON a.scope_id = r.scope_id
           WHERE r.scope_id LIKE 'keyd:%' AND r.day BETWEEN ?::date AND ?::date
             AND (?::uuid IS NULL OR a.org_id = ?::uuid)
             AND r.day NOT IN (SELECT d.day FROM ledger_days('settlement') d)
          UNION ALL
          SELECT (h.slot AT TIME ZONE 'UTC')::date, h.key_id, NULL, 0, 0, 0, 0, 0, 0,
                 h.cost_micro - h.operator_cost_micro, 0, 0
            FROM usage_hour h
           WHERE h.slot >= ?::date::timestamp AT TIME ZONE 'UTC'
             AND h.slot < (?::date + 1)::timestamp AT TIME ZONE 'UTC'
             AND (?::uuid IS NULL OR h.org_id = ?::uuid)
             AND h.operator_cost_micro <> h.cost_micro
             AND (h.slot AT TIME ZONE 'UTC')::date
                 NOT IN (SELECT d.day FROM ledger_days('request_log') d)
          UNION ALL
          SELECT (f.minute AT TIME ZONE 'UTC')::date, f.key_id, NULL, 0, 0, 0, 0, 0, 0, 0,
                 f.refusals, 0
            FROM refusal_count f
           WHERE f.minute >= date_trunc('minute', ?::timestamptz) AND f.minute < ?::timestamptz
             AND (?::uuid IS NULL OR f.org_id = ?::uuid)) u
       GROUP BY its_positions ORDER BY its_positions
      """;

  private final DataSource source;

  public UsageReport(DataSource source) {
    this.source = source;
  }

  /** Dimension by which usage sums are grouped. */
  public enum GroupBy {
    DAY("day::text"),
    MODEL("model"),
    KEY("key_id");

    private final String column;

    GroupBy(String column) {
      this.column = column;
    }
  }

  /**
   * Usage sums of one group.
   *
   * @param group the day, the model or the key of each dimension; null for a model that is no
   *     longer known
   * @param cachedTokens part of the prompt's; 0 if a day's charges were dropped before these sums
   *     were kept, as for reasoning
   * @param reasoningTokens part of the completion's, or beside them if the provider counts them so
   * @param operatorCost what the operator paid; the cost where nothing else is known
   * @param countedRefusals refusals without a row, which are not among the requests; their models
   *     are unknown
   * @param aborted requests whose client left before the first event, as far as the log holds them
   */
  public record UsageRow(
      List<@Nullable String> group,
      long requests,
      long promptTokens,
      long completionTokens,
      long cachedTokens,
      long reasoningTokens,
      MicroUsd cost,
      MicroUsd operatorCost,
      long countedRefusals,
      long aborted) {

    /** Returns what the operator keeps; negative if the operator paid more than the price. */
    public MicroUsd margin() {
      return cost.minus(operatorCost);
    }
  }

  /**
   * Period of the sums.
   *
   * @param to its end, exclusive
   */
  public record Period(Instant from, Instant to) {
    private String firstDay() {
      return Window.at(from.toEpochMilli()).day().toString();
    }

    private String lastDay() {
      return Window.at(to.toEpochMilli() - 1).day().toString();
    }
  }

  /**
   * Returns the sums of a period, of one organization or of all.
   *
   * @param by the dimensions, at least one
   */
  public List<UsageRow> sum(List<GroupBy> by, @Nullable OrgId org, Period period)
      throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select = connection.prepareStatement(sql(by))) {
      String first = period.firstDay();
      String last = period.lastDay();
      String lowest = RequestId.lowestAt(period.from().toEpochMilli());
      String beyond = RequestId.lowestAt(period.to().toEpochMilli());
      String orgId = org == null ? null : org.toString();
      String[] values = {
        first,
        last,
        lowest,
        beyond,
        orgId,
        orgId,
        first,
        last,
        lowest,
        beyond,
        orgId,
        orgId,
        first,
        last,
        orgId,
        orgId,
        first,
        last,
        orgId,
        orgId,
        period.from().toString(),
        period.to().toString(),
        orgId,
        orgId
      };
      for (int i = 0; i < values.length; i++) {
        select.setString(i + 1, values[i]);
      }
      try (ResultSet row = select.executeQuery()) {
        List<UsageRow> sums = new ArrayList<>();
        while (row.next()) {
          sums.add(read(row, by.size()));
        }
        return sums;
      }
    }
  }

  private static String sql(List<GroupBy> by) {
    String columns = by.stream().map(each -> each.column).collect(Collectors.joining(", "));
    String positions =
        IntStream.rangeClosed(1, by.size())
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(", "));
    return SUM.replace("its_columns", columns).replace("its_positions", positions);
  }

  private static UsageRow read(ResultSet row, int dimensions) throws SQLException {
    List<@Nullable String> group = new ArrayList<>();
    for (int i = 1; i <= dimensions; i++) {
      group.add(row.getString(i));
    }
    return new UsageRow(
        Collections.unmodifiableList(group),
        row.getLong("requests"),
        row.getLong("prompt_tokens"),
        row.getLong("completion_tokens"),
        row.getLong("cached_tokens"),
        row.getLong("reasoning_tokens"),
        new MicroUsd(row.getLong("cost_micro")),
        new MicroUsd(row.getLong("operator_cost_micro")),
        row.getLong("refusals"),
        row.getLong("aborted"));
  }
}
