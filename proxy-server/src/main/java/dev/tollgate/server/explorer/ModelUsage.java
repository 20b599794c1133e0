package dev.tollgate.server.explorer;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Requests for one model in a time, from the hourly sums.
 *
 * @param failed those that a provider, or the gateway, failed
 * @param ttftP50Ms time to the first content that half of the streams did not exceed, about; null
 *     if there were none
 */
public record ModelUsage(long requests, long failed, @Nullable Double ttftP50Ms) {
  public static final ModelUsage NONE = new ModelUsage(0, 0, null);

  private static final String OUTCOMES =
      """
      SELECT model, outcome, sum(requests) AS requests FROM usage_hour
       WHERE org_id = ? AND slot >= ? GROUP BY 1, 2
      """;

  private static final String FIRST_TOKENS =
      """
      SELECT u.model, h.bucket, sum(h.n) AS n
        FROM usage_hour u, unnest(u.ttft_hist) WITH ORDINALITY AS h (n, bucket)
       WHERE u.org_id = ? AND u.slot >= ? AND h.n > 0 GROUP BY 1, 2
      """;

  /** Returns the share of the requests that failed; null if there were none. */
  public @Nullable Double errorRate() {
    return requests == 0 ? null : (double) failed / requests;
  }

  /** Mutable sum of one model. */
  private static final class Sum {
    private long requests;
    private long failed;
    private final long[] ttft = new long[LatencyHistogram.BUCKETS];

    ModelUsage usage() {
      return new ModelUsage(
          requests, failed, LatencyHistogram.percentile(ttft, 0.5, LatencyHistogram.FIRST_MS));
    }
  }

  /** Query of the usage of an organization's models. */
  public static final class Query {
    private final DataSource source;

    public Query(DataSource source) {
      this.source = source;
    }

    /**
     * Returns the usage by model since the begin of the hour of {@code from}, without models that
     * were not used.
     */
    public Map<String, ModelUsage> of(OrgId org, Instant from) throws SQLException {
      Instant since = UsageSums.begin(from, Duration.ofHours(1));
      Map<String, Sum> sums = new HashMap<>();
      try (Connection connection = source.getConnection()) {
        Statements.list(connection, OUTCOMES, row -> addOutcome(sums, row), org.value(), since);
        Statements.list(connection, FIRST_TOKENS, row -> addBucket(sums, row), org.value(), since);
      }
      Map<String, ModelUsage> usage = new HashMap<>();
      sums.forEach((model, sum) -> usage.put(model, sum.usage()));
      return usage;
    }

    private static Sum addOutcome(Map<String, Sum> sums, ResultSet row) throws SQLException {
      Sum sum = sums.computeIfAbsent(row.getString("model"), _ -> new Sum());
      sum.requests += row.getLong("requests");
      if (OutcomeClass.of(row.getString("outcome")) == OutcomeClass.PROVIDER_ERROR) {
        sum.failed += row.getLong("requests");
      }
      return sum;
    }

    private static Sum addBucket(Map<String, Sum> sums, ResultSet row) throws SQLException {
      Sum sum = sums.computeIfAbsent(row.getString("model"), _ -> new Sum());
      sum.ttft[row.getInt("bucket") - 1] += row.getLong("n");
      return sum;
    }
  }
}
