package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.responses.ResponseEventSet;
import java.time.Duration;

/**
 * What the configuration says about all exchanges from the start to the end of the process.
 *
 * @param pingInterval silence toward the client after which an open stream is pinged
 * @param commitAfter time without a usable event after which a stream is opened anyway
 * @param storedReplyBytesMax what is kept of a submission that carries a key; a larger reply is not
 * @param responses which events streams of the Responses API have
 */
public record ExchangeOptions(
    Duration pingInterval,
    Duration commitAfter,
    int storedReplyBytesMax,
    ResponseEventSet responses) {
  public static final ExchangeOptions DEFAULT =
      new ExchangeOptions(
          Duration.ofSeconds(15),
          Duration.ofSeconds(15),
          32 * 1024 * 1024,
          ResponseEventSet.LISTED);
}
