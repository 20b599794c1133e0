package dev.tollgate.server.wiring;

import dev.tollgate.core.upstream.CollectedCalls;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProviderFamily;
import dev.tollgate.server.oauth.AccessTokens;
import dev.tollgate.server.oauth.TokenClient;

/** Wiring of the {@link AccessTokens} for calling providers, with their metrics. */
final class AccessTokenModule {
  private AccessTokenModule() {}

  static AccessTokens begin(
      Network network, Upstreams upstreams, EgressEndpoints egress, Metrics metrics) {
    var calls = new CollectedCalls(upstreams, network.loops()::next);
    var tokens = new AccessTokens(new TokenClient(calls, egress::of));
    metrics.counter(ProviderFamily.ACCESS_TOKENS, tokens::fetched);
    metrics.counter(ProviderFamily.ACCESS_TOKEN_FAILURES, tokens::failed);
    metrics.gauge(ProviderFamily.ACCESS_TOKENS_MISSING, tokens::missing);
    return tokens;
  }
}
