package dev.tollgate.core.limit;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
   * What a request takes.
   *
   * @param tokens that it will use, as far as one can say beforehand
   */
  public Asked asked(RequestId request, ApiKey key, ModelId of, long tokens) {
    PerKey its = key(key);
    if (its.tokensPerMinute > 0 && tokens > limit(its.tokensPerMinute)) {
      return new Asked.NeverFits(tokenBucket(key, its), tokens);
    }
    List<Take> takes = new ArrayList<>(8);
    add(takes, Scope.KEY, key.id().value(), its.rates);
    add(takes, Scope.ORGANIZATION, key.org().id().toString(), organization);
    addModel(takes, of);
    add(takes, Scope.GLOBAL, EVERYBODY, global);
    if (its.tokensPerMinute > 0) {
      takes.add(new Take(tokenBucket(key, its), tokens));
    }
    Slot slot =
        its.concurrency > 0
            ? new Slot.OneOf(key.id().value(), its.concurrency)
            : new Slot.Unlimited();
    boolean isLimited = !takes.isEmpty() || its.concurrency > 0;
    return isLimited ? new Asked.Of(new Draw(request, takes, slot)) : new Asked.Nothing();
  }

  /**
   * What a request takes of a model that it falls back to; all else it has taken already.
   *
   * @param draw a name of its own, as the request's is of its own draw
   */
  public Asked askedToo(RequestId draw, ModelId of) {
    List<Take> takes = new ArrayList<>(2);
    addModel(takes, of);
    return takes.isEmpty()
        ? new Asked.Nothing()
        : new Asked.Of(new Draw(draw, takes, new Slot.Unlimited()));
  }

  private void addModel(List<Take> takes, ModelId of) {
    Rates rates = models.getOrDefault(of, model);
    if (!rates.equals(Rates.OFF)) {
      add(takes, Scope.MODEL, of.toString(), rates);
    }
  }

  /** A look at the key's own buckets. */
  public Draw look(RequestId request, ApiKey key) {
    PerKey its = key(key);
    List<Take> takes = new ArrayList<>(3);
    add(takes, Scope.KEY, key.id().value(), its.rates);
    List<Bucket> buckets = new ArrayList<>(takes.stream().map(Take::bucket).toList());
    if (its.tokensPerMinute > 0) {
      buckets.add(tokenBucket(key, its));
    }
    return Draw.look(request, buckets);
  }

  /** What is limited of a key, by itself or by default. */
  public PerKey key(ApiKey key) {
    return this.key.of(key.limits());
  }

  private static void add(List<Take> takes, Scope scope, String id, Rates rates) {
    if (rates.perSecond > 0) {
      takes.add(one(scope, id, Unit.REQUESTS_PER_SECOND, rates.perSecond));
    }
    if (rates.perMinute > 0) {
      takes.add(one(scope, id, Unit.REQUESTS_PER_MINUTE, rates.perMinute));
    }
  }

  private static Take one(Scope scope, String id, Unit unit, long limit) {
    return new Take(new Bucket(scope, id, unit, limit(limit)), 1);
  }

  private static Bucket tokenBucket(ApiKey key, PerKey its) {
    return new Bucket(
        Scope.KEY, key.id().value(), Unit.TOKENS_PER_MINUTE, limit(its.tokensPerMinute));
  }

  /** What is stored may be larger than any bucket; so much is as good as no limit. */
  private static long limit(long configured) {
    return Math.min(configured, Bucket.CAPACITY_MAX);
  }
}
