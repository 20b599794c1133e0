package dev.tollgate.server.postgres;

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
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What was used: requests for models, their tokens and their cost. Cost and tokens are those of the
 * charges, which are never lost; a request without a charge counts with what the request log says.
 */
public final class UsageReport {
  private static final String SUM =
      """
      WITH charge AS (
        SELECT day, request_id, key_id, prompt_tokens, completion_tokens, cost_micro
          FROM settlement
         WHERE day >= ?::date AND request_id >= ? AND (?::uuid IS NULL OR org_id = ?::uuid)),
      line AS (
        SELECT day, request_id, key_id, row ->> 'model' AS model,
               (row ->> 'prompt_tokens')::bigint AS prompt_tokens,
               (row ->> 'completion_tokens')::bigint AS completion_tokens
          FROM request_log
         WHERE day >= ?::date AND request_id >= ? AND (?::uuid IS NULL OR org_id = ?::uuid))
      SELECT its_column AS its_group, count(*) AS requests,
             coalesce(sum(coalesce(c.prompt_tokens, l.prompt_tokens)), 0) AS prompt_tokens,
             coalesce(sum(coalesce(c.completion_tokens, l.completion_tokens)), 0)
               AS completion_tokens,
             coalesce(sum(c.cost_micro), 0) AS cost_micro
        FROM charge c FULL JOIN line l USING (day, request_id)
       WHERE c.cost_micro IS NOT NULL OR l.model IS NOT NULL
       GROUP BY 1 ORDER BY 1 NULLS LAST
      """;

  private final DataSource source;

  UsageReport(DataSource source) {
    this.source = source;
  }

  /** What sums are made for. */
  public enum By {
    DAY("day::text"),
    MODEL("l.model"),
    KEY("coalesce(c.key_id, l.key_id)");

    private final String column;

    By(String column) {
      this.column = column;
    }
  }

  /**
   * One sum.
   *
   * @param group the day, the model or the key; null where the model is not known any more
   */
  public record Row(
      @Nullable String group,
      long requests,
      long promptTokens,
      long completionTokens,
      MicroUsd cost) {}

  /** The sums since a time, of one organization or of all. */
  public List<Row> sum(By by, @Nullable OrgId org, Instant since) throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement select =
            connection.prepareStatement(SUM.replace("its_column", by.column))) {
      for (int first : new int[] {1, 5}) {
        select.setString(first, Window.at(since.toEpochMilli()).day().toString());
        select.setString(first + 1, RequestId.lowestAt(since.toEpochMilli()));
        select.setString(first + 2, org == null ? null : org.toString());
        select.setString(first + 3, org == null ? null : org.toString());
      }
      try (ResultSet row = select.executeQuery()) {
        List<Row> sums = new ArrayList<>();
        while (row.next()) {
          sums.add(read(row));
        }
        return sums;
      }
    }
  }

  private static Row read(ResultSet row) throws SQLException {
    return new Row(
        row.getString("its_group"),
        row.getLong("requests"),
        row.getLong("prompt_tokens"),
        row.getLong("completion_tokens"),
        new MicroUsd(row.getLong("cost_micro")));
  }
}
