package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.responses.ResponseEventChoice;
import java.time.Duration;

/**
 * Configuration of all exchanges, fixed from the start of the process.
 *
 * @param pingInterval time without a byte to the client after which an open stream is pinged
 * @param commitAfter time without a usable event after which a stream is opened anyway
 * @param storedReplyBytesMax size in bytes of the largest body that is stored for an idempotency
 *     key
 * @param responses events in streams of the Responses API
 * @param brokenStreamEnd how the body of a stream ends that broke off
 */
public record ExchangeOptions(
    Duration pingInterval,
    Duration commitAfter,
    int storedReplyBytesMax,
    ResponseEventChoice responses,
    BrokenStreamEnd brokenStreamEnd) {
  public static final ExchangeOptions DEFAULT =
      new ExchangeOptions(
          Duration.ofSeconds(15),
          Duration.ofSeconds(15),
          32 * 1024 * 1024,
          ResponseEventChoice.BY_CLIENT,
          BrokenStreamEnd.ABORT);
}
