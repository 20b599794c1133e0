package dev.tollgate.server.account.tenant;

import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.LimitLevels;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.tenant.KeyView.Limits;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.settings.LimitSettings;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** Nodes that may count requests; one without a heartbeat for a minute does not run. */
  private static final String NODES =
      """
      SELECT count(*)::int AS nodes FROM node_epoch
       WHERE state = 'open' AND heartbeat_at > ledger_now() - interval '60 seconds'""";

  private final DataSource pool;
  private final Supplier<LimitSettings> limits;
  private final LimitLevels levels;

  /**
   * @param levels what is used of the limits now
   */
  public LimitService(DataSource pool, Supplier<LimitSettings> limits, LimitLevels levels) {
    this.pool = pool;
    this.limits = limits;
    this.levels = levels;
  }

  /**
   * Limits and refusals; a limit of 0 is off.
   *
   * @param organization of all keys together; tokens and concurrency are limited by key only
   * @param keyDefaults of each key without its own
   * @param used what is used of the organization's limits now; null if that is not known: several
   *     nodes count without Redis, or Redis does not answer
   * @param refusals24h requests of the last 24 hours that were refused or failed, by code
   */
  public record LimitsView(
      Limits organization, Limits keyDefaults, @Nullable Limits used, List<Refusals> refusals24h) {}

  /** Number of requests that were refused or failed with a code. */
  public record Refusals(String code, long count) {}

  public LimitsView limits(OrgAccess access) throws SQLException {
    access.require(Permission.ORG_READ);
    LimitSettings settings = limits.get();
    List<Bucket> buckets = settings.rules().organizationBuckets(access.org());
    return new LimitsView(
        new Limits(
            settings.org().requestsPerSecond(), settings.org().requestsPerMinute(), null, null),
        new Limits(null, null, null, null).orElse(settings.rules().key()),
        used(buckets).map(amounts -> limits(buckets, amounts)).orElse(null),
        Statements.list(
            pool,
            REFUSALS,
            row -> new Refusals(row.getString("code"), row.getLong("requests")),
            access.org().value(),
            access.org().value()));
  }

  private Optional<List<Long>> used(List<Bucket> buckets) throws SQLException {
    return switch (levels) {
      case LimitLevels.OfNode one ->
          isOnlyNode() ? Optional.of(one.counters().used(buckets)) : Optional.empty();
      case LimitLevels.OfAllNodes all -> all.used(buckets);
    };
  }

  private boolean isOnlyNode() throws SQLException {
    return Statements.list(pool, NODES, row -> row.getInt("nodes")).getFirst() <= 1;
  }

  private static Limits limits(List<Bucket> buckets, List<Long> amounts) {
    Map<Unit, Long> byUnit = new EnumMap<>(Unit.class);
    for (int i = 0; i < buckets.size(); i++) {
      byUnit.put(buckets.get(i).unit(), amounts.get(i));
    }
    return new Limits(
        number(byUnit.get(Unit.REQUESTS_PER_SECOND)),
        number(byUnit.get(Unit.REQUESTS_PER_MINUTE)),
        null,
        null);
  }

  private static @Nullable Integer number(@Nullable Long amount) {
    return amount == null ? null : Math.toIntExact(amount);
  }
}
