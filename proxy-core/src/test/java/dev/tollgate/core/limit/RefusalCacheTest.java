package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RefusalCacheTest {
  private static final ApiKey KEY = key("onekey01", KeyLimits.DEFAULT);
  private static final RefusalCache.CachedRefusal REPORTED =
      new RefusalCache.CachedRefusal(
          Fault.of(ErrorCode.RATE_LIMITED, "Too many requests.").withRetryAfter(1),
          List.of(new Field("x-ratelimit-remaining-requests", "0")));
  private static final LimitRules RULES = rules();
  private static final long NOW = -5; // a monotonic clock may be below zero

  private final RefusalCache cache = new RefusalCache();

  @Test
  void aKeyIsRefusedUntilItsTimeOnly() {
    assertThat(cache.find(KEY, RULES, NOW)).isNull();
    cache.remember(KEY, RULES, REPORTED, NOW, NOW + 1000);

    assertThat(cache.find(KEY, RULES, NOW + 999)).isSameAs(REPORTED);
    assertThat(cache.find(KEY, RULES, NOW + 1000)).isNull();
    assertThat(cache.find(key("otherkey", KeyLimits.DEFAULT), RULES, NOW)).isNull();
  }

  @Test
  void nothingIsCachedForMoreThanASecond() {
    cache.remember(KEY, RULES, REPORTED, NOW, NOW + TimeUnit.SECONDS.toNanos(60));

    assertThat(cache.find(KEY, RULES, NOW + TimeUnit.SECONDS.toNanos(1) - 1)).isSameAs(REPORTED);
    assertThat(cache.find(KEY, RULES, NOW + TimeUnit.SECONDS.toNanos(1))).isNull();
  }

  @Test
  void anExpiredRefusalIsNotCached() {
    cache.remember(KEY, RULES, REPORTED, NOW, NOW);

    assertThat(cache.find(KEY, RULES, NOW - 1)).isNull();
  }

  @Test
  void changedLimitsInvalidateARefusal() {
    cache.remember(KEY, RULES, REPORTED, NOW, NOW + 1000);

    var raised = new KeyLimits(90, null, null, null, null, null);
    assertThat(cache.find(key("onekey01", raised), RULES, NOW)).as("of the key").isNull();
    assertThat(cache.find(KEY, rules(), NOW)).as("by a reload").isNull();
  }

  @Test
  void theCacheIsBounded() {
    for (int i = 0; i < 100_000; i++) {
      cache.remember(numbered(i), RULES, REPORTED, NOW, NOW + 1000);
    }

    long known = 0;
    for (int i = 0; i < 100_000; i++) {
      known += cache.find(numbered(i), RULES, NOW) == null ? 0 : 1;
    }
    assertThat(known).isBetween(1L, (long) cache.size());
  }

  private static ApiKey numbered(int n) {
    return key("key%05d".formatted(n), KeyLimits.DEFAULT);
  }

  private static ApiKey key(String id, KeyLimits own) {
    ApiKey usual = TestCatalog.key(own);
    return new ApiKey(
        new KeyId(id),
        usual.name(),
        usual.lastFour(),
        usual.org(),
        usual.state(),
        usual.expiresAt(),
        usual.scope(),
        own);
  }

  private static LimitRules rules() {
    return new LimitRules(
        Rates.OFF, Rates.OFF, new PerKey(new Rates(1, 0), 0, 0), Rates.OFF, Map.of());
  }
}
