package dev.tollgate.core.catalog;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What holds for all routing where a request says nothing.
 *
 * @param attemptsMax tries at providers per request
 * @param retryShare retries that a provider is sent at most, as a share of its requests
 * @param retriesPerSecondMin retries that it may be sent whatever the share allows
 * @param resumeBytesMax text of one stream that is kept to continue it
 * @param hedgeAfter wait for a first token after which a second provider is tried; null: never
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
