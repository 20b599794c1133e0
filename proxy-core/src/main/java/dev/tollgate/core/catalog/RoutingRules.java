package dev.tollgate.core.catalog;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Default strategy and limits of retries, stream resumption and hedging, for requests without
 * routing preferences.
 *
 * @param attemptsMax attempts per request
 * @param retryShare share of a provider's requests that it may get as retries in addition
 * @param retriesPerSecondMin retries per second that are allowed whatever the share
 * @param resumeBytesMax bytes of one stream's text that are kept for resuming it
 * @param hedgeAfter wait for a first token after which a second provider is tried; null means never
 */
public record RoutingRules(
    Strategy strategy,
    int attemptsMax,
    double retryShare,
    int retriesPerSecondMin,
    int resumeBytesMax,
    @Nullable Duration hedgeAfter) {
  public static final RoutingRules DEFAULT =
      new RoutingRules(Strategy.PRIORITY, 3, 0.1, 3, 1 << 20, null);
}
