package dev.tollgate.core.exchange;

import java.time.Duration;

/**
 * What the configuration says about exchanges.
 *
 * @param pingInterval silence toward the client after which an open stream is pinged
 * @param commitAfter time without a usable event after which a stream is opened anyway
 * @param attemptsMax tries at providers per request
 */
public record ExchangeOptions(Duration pingInterval, Duration commitAfter, int attemptsMax) {
  public static final ExchangeOptions DEFAULT =
      new ExchangeOptions(Duration.ofSeconds(15), Duration.ofSeconds(15), 3);
}
