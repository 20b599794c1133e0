package dev.tollgate.server.wiring;

import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProviderFamily;
import dev.tollgate.server.oauth.AccessTokens;

/** Wiring of the {@link AccessTokens} for calling providers, with their metrics. */
final class AccessTokenModule {
  private AccessTokenModule() {}

  static AccessTokens begin(Metrics metrics) {
    var tokens = new AccessTokens();
    metrics.counter(ProviderFamily.ACCESS_TOKENS, tokens::fetched);
    metrics.counter(ProviderFamily.ACCESS_TOKEN_FAILURES, tokens::failed);
    metrics.gauge(ProviderFamily.ACCESS_TOKENS_MISSING, tokens::missing);
    return tokens;
  }
}
