package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.prompt.TokenRatios;

/**
 * Process-wide state about requests whose clients disconnect.
 *
 * @param drains bounds the streams that are drained for their usage
 * @param detached count of requests that continue, for which a stopping node waits
 * @param left how often organizations leave streams
 * @param ratios estimate prompts that no provider counted
 */
public record ClientlessRequests(
    DrainQuota drains, DetachedRequests detached, LeftStreams left, TokenRatios ratios) {
  public ClientlessRequests() {
    this(new DrainQuota(), new DetachedRequests(), new LeftStreams(), new TokenRatios());
  }
}
