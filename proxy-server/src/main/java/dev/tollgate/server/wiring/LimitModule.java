package dev.tollgate.server.wiring;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.LimitLevels;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.limit.RefusalBudgets;
import dev.tollgate.core.limit.RefusalCache;
import dev.tollgate.server.metrics.LimitFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.LimitMetrics;
import dev.tollgate.server.ops.RedisMetrics;
import dev.tollgate.server.redis.Redis;
import dev.tollgate.server.redis.Redis.ClusterException;
import dev.tollgate.server.redis.RedisAddress;
import dev.tollgate.server.redis.RedisFailure;
import dev.tollgate.server.redis.RedisObserver;
import dev.tollgate.server.settings.Settings;
import io.netty.util.concurrent.Ticker;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wiring of rate and concurrency limits, counted by this node or by Redis for all nodes, and their
 * metrics.
 */
final class LimitModule implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LimitModule.class);

  private final LocalCounters local;
  private final Optional<Redis> redis;
  private final Limits limits;
  private final RefusalBudgets budgets;

  private LimitModule(
      LocalCounters local, Optional<Redis> redis, Supplier<LimitRules> rules, Metrics metrics) {
    this.local = local;
    this.redis = redis;
    Counters counters = redis.map(Redis::counters).orElse(local);
    this.limits = new Limits(counters, rules, new LimitMetrics(metrics), new RefusalCache());
    this.budgets = new RefusalBudgets(rules);
  }

  /**
   * Connects to Redis if one is configured.
   *
   * @param rules returns the limits of the configuration in use
   */
  static LimitModule begin(Settings settings, Supplier<LimitRules> rules, Metrics metrics)
      throws StartException, InterruptedException {
    var local = new LocalCounters(Ticker.systemTicker()::nanoTime, settings.limits().bucketsMax());
    Secret url = settings.redis().url();
    Optional<Redis> redis =
        url == null ? Optional.empty() : Optional.of(open(url, settings, local, metrics));
    var limitModule = new LimitModule(local, redis, rules, metrics);
    limitModule.register(metrics);
    return limitModule;
  }

  private static Redis open(Secret url, Settings settings, Counters local, Metrics metrics)
      throws StartException, InterruptedException {
    Optional<Counters> localFallback =
        switch (settings.limits().onStoreFailure()) {
          case CLOSED -> Optional.empty();
          case LOCAL -> Optional.of(local);
        };
    if (localFallback.isPresent()) {
      LOG.warn("limits.on_store_failure is local: without Redis each node grants the full limits");
    }
    var redisMetrics = new RedisMetrics(metrics);
    try {
      return Redis.open(
          address(url),
          settings.redis().timeout(),
          localFallback,
          new RedisObserver() {
            @Override
            public void answered(long nanos) {
              redisMetrics.answered(nanos);
            }

            @Override
            public void failed(RedisFailure why) {
              redisMetrics.failed(why.wire());
            }
          });
    } catch (ClusterException e) {
      throw new StartException("redis.url: " + e.getMessage());
    }
  }

  private static RedisAddress address(Secret url) throws StartException {
    try {
      return RedisAddress.parse(url);
    } catch (IllegalArgumentException e) {
      throw new StartException("redis.url: " + e.getMessage());
    }
  }

  private void register(Metrics metrics) {
    metrics.gauge(
        LimitFamily.LIMIT_SLOTS, () -> local.slotsInUse() + redis.map(Redis::slotsHeld).orElse(0));
    metrics.gauge(LimitFamily.LIMIT_BUCKETS, local::bucketCount);
    metrics.gauge(LimitFamily.REFUSAL_BUCKETS, budgets::size);
    redis.ifPresent(
        shared -> {
          metrics.gauge(LimitFamily.REDIS_UP, () -> shared.isUp() ? 1 : 0);
          metrics.gauge(LimitFamily.REDIS_WAITING, shared::calls);
        });
  }

  Limits limits() {
    return limits;
  }

  /** Returns the reader of what is used of the limits. */
  LimitLevels levels() {
    return redis.<LimitLevels>map(Redis::levels).orElseGet(() -> new LimitLevels.OfNode(local));
  }

  /** Returns the budgets of refused requests, which each node counts for itself. */
  RefusalBudgets budgets() {
    return budgets;
  }

  /** Registers a listener of key changes that Redis announces. */
  void onKeyChange(Runnable listener) {
    redis.ifPresent(shared -> shared.onKeyChange(listener));
  }

  @Override
  public void close() {
    redis.ifPresent(Redis::close);
  }
}
