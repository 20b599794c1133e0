package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of the configured rate limits (docs/decisions/limits.md#buckets); 0 means off.
 * Immutable; a reload replaces it as a whole.
 *
 * @param model the rates of every model without an entry in {@code models}
 */
public record LimitRules(
    Rates global, Rates organization, PerKey key, Rates model, Map<ModelId, Rates> models) {
  /** Rules without limits. */
  public static final LimitRules OFF =
      new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 0, 0), Rates.OFF, Map.of());

  private static final String ALL_CALLERS = "*";
  private static final AcquirePlan NOT_LIMITED = new AcquirePlan.NotLimited();

  public LimitRules {
    models = Map.copyOf(models);
  }

  /** Highest request rates per second and per minute. */
  public record Rates(long perSecond, long perMinute) {
    public static final Rates OFF = new Rates(0, 0);
  }

  /** Limits of a key; configured, they are the defaults of keys without their own. */
  public record PerKey(Rates rates, long tokensPerMinute, int concurrency) {

    /** Returns these limits with those that the key has of its own in their place. */
    public PerKey overriddenBy(KeyLimits own) {
      return new PerKey(
          new Rates(
              own.requestsPerSecond() == null ? rates.perSecond : own.requestsPerSecond(),
              own.requestsPerMinute() == null ? rates.perMinute : own.requestsPerMinute()),
          own.tokensPerMinute() == null ? tokensPerMinute : own.tokensPerMinute(),
          own.concurrency() == null ? concurrency : own.concurrency());
    }
  }

  /** Result of planning: the acquisition that a request needs, if any, or that it can never fit. */
  public sealed interface AcquirePlan {
    /** Nothing is limited. */
    record NotLimited() implements AcquirePlan {}

    record Required(Acquire acquire) implements AcquirePlan {}

    /** The request needs more tokens than the bucket can hold. */
    record NeverFits(Bucket bucket, long tokens) implements AcquirePlan {}
  }

  /**
   * Returns the limit set of a key's requests for a model.
   *
   * @param target null if the requested model cannot serve; fallback models are counted when they
   *     are tried
   */
  LimitSet limitSet(ApiKey key, @Nullable ModelId target) {
    PerKey keyLimits = key(key);
    List<Bucket> buckets = new ArrayList<>(9);
    add(buckets, LimitScope.KEY, key.id().value(), keyLimits.rates);
    add(buckets, LimitScope.ORGANIZATION, key.org().id().toString(), organization);
    if (target != null) {
      addModel(buckets, target);
    }
    add(buckets, LimitScope.GLOBAL, ALL_CALLERS, global);
    addTokens(buckets, key, keyLimits);
    Slot slot =
        keyLimits.concurrency > 0
            ? new Slot.Limited(key.id().value(), keyLimits.concurrency)
            : new Slot.Unlimited();
    return new LimitSet(buckets, slot);
  }

  /**
   * Returns the acquisition of a request.
   *
   * @param tokens estimate of the tokens that the request will use
   */
  static AcquirePlan plan(RequestId request, LimitSet target, long tokens) {
    if (target.isUnlimited()) {
      return NOT_LIMITED;
    }
    Bucket bucket = target.tokens();
    return bucket != null && tokens > bucket.capacity()
        ? new AcquirePlan.NeverFits(bucket, tokens)
        : new AcquirePlan.Required(new Acquire(request, target, 1, tokens));
  }

  /**
   * Returns the acquisition from a fallback model's limits, in addition to the request's own.
   *
   * @param acquireId an id that differs from the one of the request's own acquisition
   */
  public AcquirePlan planFallback(RequestId acquireId, ModelId target) {
    List<Bucket> buckets = new ArrayList<>(2);
    addModel(buckets, target);
    return plan(acquireId, new LimitSet(buckets, new Slot.Unlimited()), 0);
  }

  private void addModel(List<Bucket> buckets, ModelId target) {
    Rates rates = models.getOrDefault(target, model);
    if (!rates.equals(Rates.OFF)) {
      add(buckets, LimitScope.MODEL, target.toString(), rates);
    }
  }

  /** Returns a probe of the key's own buckets. */
  public Acquire probe(RequestId request, ApiKey key) {
    PerKey keyLimits = key(key);
    List<Bucket> buckets = new ArrayList<>(3);
    add(buckets, LimitScope.KEY, key.id().value(), keyLimits.rates);
    addTokens(buckets, key, keyLimits);
    return Acquire.probe(request, buckets);
  }

  /** Returns the buckets of all requests of an organization. */
  public List<Bucket> organizationBuckets(OrgId org) {
    List<Bucket> buckets = new ArrayList<>(2);
    add(buckets, LimitScope.ORGANIZATION, org.toString(), organization);
    return buckets;
  }

  /** Returns the effective limits of a key. */
  public PerKey key(ApiKey key) {
    return this.key.overriddenBy(key.limits());
  }

  private static void add(List<Bucket> buckets, LimitScope scope, String id, Rates rates) {
    if (rates.perSecond > 0) {
      buckets.add(new Bucket(scope, id, Unit.REQUESTS_PER_SECOND, limit(rates.perSecond)));
    }
    if (rates.perMinute > 0) {
      buckets.add(new Bucket(scope, id, Unit.REQUESTS_PER_MINUTE, limit(rates.perMinute)));
    }
  }

  private static void addTokens(List<Bucket> buckets, ApiKey key, PerKey keyLimits) {
    if (keyLimits.tokensPerMinute > 0) {
      long limit = limit(keyLimits.tokensPerMinute);
      buckets.add(new Bucket(LimitScope.KEY, key.id().value(), Unit.TOKENS_PER_MINUTE, limit));
    }
  }

  /** A configured limit may exceed the largest bucket, which is as good as no limit. */
  private static long limit(long configured) {
    return Math.min(configured, Bucket.CAPACITY_MAX);
  }
}
