package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.LimitRules.AcquirePlan;
import dev.tollgate.core.limit.LimitRules.PerKey;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Amounts that a request takes from each limit, and the order of refusal. */
class LimitRulesTest {
  private static final ModelId MODEL = new ModelId("acme", "one");
  private static final RequestId REQUEST = RequestId.at(0);
  private static final String KEY = TestCatalog.key().id().value();
  private static final String ORG = TestCatalog.key().org().id().toString();
  private static final LimitRules ALL =
      new LimitRules(
          new Rates(5_000, 9_000),
          new Rates(200, 12_000),
          new PerKey(new Rates(50, 3_000), 10_000, 100),
          new Rates(7, 8),
          Map.of(new ModelId("acme", "two"), new Rates(0, 3), new ModelId("x", "y"), Rates.OFF));

  @Test
  void aRequestTakesOneOfEachBucketItsTokensAndASlot() {
    Acquire acquire = plan(ALL, TestCatalog.key(), MODEL);
    assertThat(acquire.amounts())
        .containsExactly(
            one(LimitScope.KEY, KEY, Unit.REQUESTS_PER_SECOND, 50),
            one(LimitScope.KEY, KEY, Unit.REQUESTS_PER_MINUTE, 3_000),
            one(LimitScope.ORGANIZATION, ORG, Unit.REQUESTS_PER_SECOND, 200),
            one(LimitScope.ORGANIZATION, ORG, Unit.REQUESTS_PER_MINUTE, 12_000),
            one(LimitScope.MODEL, "acme/one", Unit.REQUESTS_PER_SECOND, 7),
            one(LimitScope.MODEL, "acme/one", Unit.REQUESTS_PER_MINUTE, 8),
            one(LimitScope.GLOBAL, "*", Unit.REQUESTS_PER_SECOND, 5_000),
            one(LimitScope.GLOBAL, "*", Unit.REQUESTS_PER_MINUTE, 9_000),
            new BucketAmount(
                new Bucket(LimitScope.KEY, KEY, Unit.TOKENS_PER_MINUTE, 10_000), 1_234));
    assertThat(acquire.slot()).isEqualTo(new Slot.Limited(KEY, 100));
  }

  @Test
  void aModelsOwnRatesReplaceTheDefaultAltogether() {
    assertThat(plan(ALL, TestCatalog.key(), new ModelId("acme", "two")).amounts())
        .filteredOn(take -> take.bucket().scope() == LimitScope.MODEL)
        .containsExactly(one(LimitScope.MODEL, "acme/two", Unit.REQUESTS_PER_MINUTE, 3));
    assertThat(plan(ALL, TestCatalog.key(), new ModelId("x", "y")).amounts())
        .noneMatch(take -> take.bucket().scope() == LimitScope.MODEL);
  }

  @Test
  void aKeysOwnLimitsWinAndZeroIsOff() {
    ApiKey key = TestCatalog.key(new KeyLimits(0, 9, 0L, 0, null, null));
    Acquire acquire = plan(ALL, key, MODEL);
    assertThat(acquire.amounts())
        .filteredOn(take -> take.bucket().scope() == LimitScope.KEY)
        .containsExactly(one(LimitScope.KEY, KEY, Unit.REQUESTS_PER_MINUTE, 9));
    assertThat(acquire.slot()).isEqualTo(new Slot.Unlimited());
    ApiKey own = TestCatalog.key(new KeyLimits(null, null, 2_000L, 3, null, null));
    Acquire itsOwn = plan(LimitRules.OFF, own, MODEL);
    assertThat(itsOwn.amounts())
        .containsExactly(
            new BucketAmount(
                new Bucket(LimitScope.KEY, KEY, Unit.TOKENS_PER_MINUTE, 2_000), 1_234));
    assertThat(itsOwn.slot()).isEqualTo(new Slot.Limited(KEY, 3));
  }

  @Test
  void withoutAnyLimitNothingIsAcquired() {
    assertThat(asked(LimitRules.OFF, TestCatalog.key(), 1L << 40))
        .isEqualTo(new AcquirePlan.NotLimited());
  }

  @Test
  void moreTokensThanTheCapacityAreNotAcquired() {
    assertThat(asked(ALL, TestCatalog.key(), 10_000)).isInstanceOf(AcquirePlan.Required.class);
    Bucket tokens = new Bucket(LimitScope.KEY, KEY, Unit.TOKENS_PER_MINUTE, 10_000);
    assertThat(asked(ALL, TestCatalog.key(), 10_001))
        .isEqualTo(new AcquirePlan.NeverFits(tokens, 10_001));
  }

  @Test
  void aConfiguredLimitMayExceedTheLargestBucket() {
    ApiKey key =
        TestCatalog.key(new KeyLimits(0, Integer.MAX_VALUE, Long.MAX_VALUE, 0, null, null));
    assertThat(plan(LimitRules.OFF, key, MODEL).amounts())
        .extracting(take -> take.bucket().capacity())
        .containsExactly(Bucket.CAPACITY_MAX, Bucket.CAPACITY_MAX);
  }

  @Test
  void aProbeHasTheKeysOwnBuckets() {
    Acquire probe = ALL.probe(REQUEST, TestCatalog.key());
    assertThat(probe.isProbe()).isTrue();
    assertThat(probe.amounts())
        .extracting(take -> take.bucket().unit())
        .containsExactly(Unit.values());
  }

  private static Acquire plan(LimitRules rules, ApiKey key, ModelId model) {
    return ((AcquirePlan.Required) LimitRules.plan(REQUEST, rules.limitSet(key, model), 1_234))
        .acquire();
  }

  private static AcquirePlan asked(LimitRules rules, ApiKey key, long tokens) {
    return LimitRules.plan(REQUEST, rules.limitSet(key, MODEL), tokens);
  }

  private static BucketAmount one(LimitScope scope, String id, Unit unit, long capacity) {
    return new BucketAmount(new Bucket(scope, id, unit, capacity), 1);
  }
}
