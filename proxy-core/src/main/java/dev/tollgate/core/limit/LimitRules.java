package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configured limits of one moment (DECISIONS 7), 0 being off: what a request takes of them.
 * Immutable; a reload swaps it whole.
 *
 * @param model of every model without an entry in {@code models}
 */
public record LimitRules(
    Rates global, Rates organization, PerKey key, Rates model, Map<ModelId, Rates> models) {
  /** Nothing is limited. */
  public static final LimitRules OFF =
      new LimitRules(Rates.OFF, Rates.OFF, new PerKey(Rates.OFF, 0, 0), Rates.OFF, Map.of());

  private static final String EVERYBODY = "*";
  private static final Asked NOTHING = new Asked.Nothing();

  public LimitRules {
    models = Map.copyOf(models);
  }

  /** Requests in a time. */
  public record Rates(long perSecond, long perMinute) {
    public static final Rates OFF = new Rates(0, 0);
  }

  /** What a key may do where it says nothing of its own. */
  public record PerKey(Rates rates, long tokensPerMinute, int concurrency) {

    /** The key's own limits go first. */
    public PerKey of(KeyLimits own) {
      return new PerKey(
          new Rates(
              own.requestsPerSecond() == null ? rates.perSecond : own.requestsPerSecond(),
              own.requestsPerMinute() == null ? rates.perMinute : own.requestsPerMinute()),
          own.tokensPerMinute() == null ? tokensPerMinute : own.tokensPerMinute(),
          own.concurrency() == null ? concurrency : own.concurrency());
    }
  }

  /** What is to be asked of the counters. */
  public sealed interface Asked {
    /** Nothing is limited. */
    record Nothing() implements Asked {}

    record Of(Draw draw) implements Asked {}

    /** The bucket will never hold so many tokens. */
    record NeverFits(Bucket bucket, long tokens) implements Asked {}
  }

  /**
   * What the requests of a key for a model draw from.
   *
   * @param of null where the model that they ask for cannot serve, and others are counted later
   */
  Allotment allotment(ApiKey key, @Nullable ModelId of) {
    PerKey its = key(key);
    List<Bucket> buckets = new ArrayList<>(9);
    add(buckets, Scope.KEY, key.id().value(), its.rates);
    add(buckets, Scope.ORGANIZATION, key.org().id().toString(), organization);
    if (of != null) {
      addModel(buckets, of);
    }
    add(buckets, Scope.GLOBAL, EVERYBODY, global);
    addTokens(buckets, key, its);
    Slot slot =
        its.concurrency > 0
            ? new Slot.OneOf(key.id().value(), its.concurrency)
            : new Slot.Unlimited();
    return new Allotment(buckets, slot);
  }

  /**
   * What a request takes.
   *
   * @param tokens that it will use, as far as one can say beforehand
   */
  static Asked asked(RequestId request, Allotment of, long tokens) {
    if (of.isUnlimited()) {
      return NOTHING;
    }
    Bucket bucket = of.tokens();
    return bucket != null && tokens > bucket.capacity()
        ? new Asked.NeverFits(bucket, tokens)
        : new Asked.Of(new Draw(request, of, 1, tokens));
  }

  /**
   * What a request takes of a model that it falls back to; all else it has taken already.
   *
   * @param draw a name of its own, as the request's is of its own draw
   */
  public Asked askedToo(RequestId draw, ModelId of) {
    List<Bucket> buckets = new ArrayList<>(2);
    addModel(buckets, of);
    return asked(draw, new Allotment(buckets, new Slot.Unlimited()), 0);
  }

  private void addModel(List<Bucket> buckets, ModelId of) {
    Rates rates = models.getOrDefault(of, model);
    if (!rates.equals(Rates.OFF)) {
      add(buckets, Scope.MODEL, of.toString(), rates);
    }
  }

  /** A look at the key's own buckets. */
  public Draw look(RequestId request, ApiKey key) {
    PerKey its = key(key);
    List<Bucket> buckets = new ArrayList<>(3);
    add(buckets, Scope.KEY, key.id().value(), its.rates);
    addTokens(buckets, key, its);
    return Draw.look(request, buckets);
  }

  /** What is limited of a key, by itself or by default. */
  public PerKey key(ApiKey key) {
    return this.key.of(key.limits());
  }

  private static void add(List<Bucket> buckets, Scope scope, String id, Rates rates) {
    if (rates.perSecond > 0) {
      buckets.add(new Bucket(scope, id, Unit.REQUESTS_PER_SECOND, limit(rates.perSecond)));
    }
    if (rates.perMinute > 0) {
      buckets.add(new Bucket(scope, id, Unit.REQUESTS_PER_MINUTE, limit(rates.perMinute)));
    }
  }

  private static void addTokens(List<Bucket> buckets, ApiKey key, PerKey its) {
    if (its.tokensPerMinute > 0) {
      long limit = limit(its.tokensPerMinute);
      buckets.add(new Bucket(Scope.KEY, key.id().value(), Unit.TOKENS_PER_MINUTE, limit));
    }
  }

  /** What is stored may be larger than any bucket; so much is as good as no limit. */
  private static long limit(long configured) {
    return Math.min(configured, Bucket.CAPACITY_MAX);
  }
}
