package dev.tollgate.server.settings;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.LimitRules;
import dev.tollgate.core.limit.LimitRules.Rates;
import dev.tollgate.server.settings.binding.Key;
import java.util.HashMap;
import java.util.Map;

/**
 * Configuration section {@code limits}: rate and concurrency limits of requests; 0 turns a limit
 * off (docs/decisions/limits.md#buckets).
 */
public record LimitSettings(
    @Key(about = "all requests of this gateway") Global global,
    @Key(about = "one organization") Org org,
    @Key(about = "one API key; a key's own values win") PerKey key,
    @Key(about = "one model") PerModel model,
    @Key(
            about = "while Redis is down: closed refuses requests, local limits per node",
            initial = "closed",
            restart = true)
        OnStoreFailure onStoreFailure,
    @Key(
            about = "token buckets in the memory of this node; the least recently used are reset",
            initial = "100000",
            min = "1000",
            max = "10000000",
            restart = true)
        int bucketsMax) {
  /** Capacity of the largest bucket. */
  static final String LIMIT_MAX = "" + Bucket.CAPACITY_MAX;

  /** Returns these limits as the core's rules for requests. */
  public LimitRules rules() {
    var perKey =
        new LimitRules.PerKey(
            new Rates(key.requestsPerSecond, key.requestsPerMinute),
            key.tokensPerMinute,
            key.concurrency);
    Map<ModelId, Rates> models = new HashMap<>();
    model.overrides.forEach((id, rate) -> models.put(id, rate.rates()));
    return new LimitRules(
        new Rates(global.requestsPerSecond, global.requestsPerMinute),
        new Rates(org.requestsPerSecond, org.requestsPerMinute),
        perKey,
        model.usual.rates(),
        models);
  }

  /** Section {@code limits.global}: rates of all requests together. */
  public record Global(
      @Key(about = "requests per second", initial = "5000", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerSecond,
      @Key(about = "requests per minute", initial = "0", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerMinute) {}

  /** Section {@code limits.org}: limits of each organization. */
  public record Org(
      @Key(about = "requests per second", initial = "200", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerSecond,
      @Key(about = "requests per minute", initial = "12000", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerMinute,
      @Key(about = "API keys; 0: no limit", initial = "100", min = "0") int maxApiKeys) {}

  /** Section {@code limits.key}: default limits of each API key. */
  public record PerKey(
      @Key(about = "requests per second", initial = "50", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerSecond,
      @Key(about = "requests per minute", initial = "3000", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerMinute,
      @Key(
              about = "tokens per minute, reserved at admission",
              initial = "0",
              min = "0",
              max = LIMIT_MAX,
              off = "0")
          long tokensPerMinute,
      @Key(about = "requests at the same time", initial = "100", min = "0", off = "0")
          int concurrency) {}

  /** Section {@code limits.model}: limits of each model, over all clients. */
  public record PerModel(
      @Key(name = "default", about = "every model without an override") ModelRate usual,
      @Key(about = "limits of single models, by model id") Map<ModelId, ModelRate> overrides) {}

  /** Highest request rates of one model. */
  public record ModelRate(
      @Key(about = "requests per second", initial = "0", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerSecond,
      @Key(about = "requests per minute", initial = "0", min = "0", max = LIMIT_MAX, off = "0")
          int requestsPerMinute) {
    private Rates rates() {
      return new Rates(requestsPerSecond, requestsPerMinute);
    }
  }

  /** Treatment of requests while Redis is down: refused, or limited by each node alone. */
  public enum OnStoreFailure {
    CLOSED,
    LOCAL
  }
}
