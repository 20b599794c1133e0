package dev.tollgate.server.account.tenant;

import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.tenant.KeyView.Limits;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.settings.LimitSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Service that shows the rate limits of an organization and its keys, and which requests were
 * refused lately.
 */
public final class LimitService {
  /** Failures of the view come from its sums by five minutes; counted refusals are not in it. */
  private static final String REFUSALS =
      """
      SELECT code, sum(requests)::bigint AS requests
        FROM (SELECT c.code, c.refusals AS requests FROM refusal_count c
               WHERE c.org_id = ? AND c.minute >= ledger_now() - interval '24 hours'
              UNION ALL
              SELECT u.code, u.requests FROM usage_slot u
               WHERE u.org_id = ? AND u.slot >= ledger_now() - interval '24 hours'
                 AND u.code <> '') failed
       GROUP BY code ORDER BY requests DESC, code""";

  private final DataSource pool;
  private final Supplier<LimitSettings> limits;

  public LimitService(DataSource pool, Supplier<LimitSettings> limits) {
    this.pool = pool;
    this.limits = limits;
  }

  /**
   * Limits and refusals; a limit of 0 is off.
   *
   * @param organization of all keys together; tokens and concurrency are limited by key only
   * @param keyDefaults of each key without its own
   * @param used what is used of them now; null: it is not known
   * @param refusals24h requests of the last 24 hours that were refused or failed, by code
   */
  public record LimitsView(
      Limits organization, Limits keyDefaults, @Nullable Long used, List<Refusals> refusals24h) {}

  /** Number of requests that were refused or failed with a code. */
  public record Refusals(String code, long count) {}

  public LimitsView limits(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    LimitSettings settings = limits.get();
    try (Connection connection = pool.getConnection()) {
      return new LimitsView(
          new Limits(
              settings.org().requestsPerSecond(), settings.org().requestsPerMinute(), null, null),
          new Limits(null, null, null, null).orElse(settings.rules().key()),
          null,
          Statements.list(
              connection,
              REFUSALS,
              row -> new Refusals(row.getString("code"), row.getLong("requests")),
              access.org().value(),
              access.org().value()));
    }
  }
}
