package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.responses.ResponseEventSet;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.tenant.ApiKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An authenticated request with its whole body, as the pipeline hands it to an exchange.
 *
 * @param argument the variable part of the head: the model's id for one model, the query for the
 *     list, the content type of a form, else empty
 * @param idempotencyKey the header's value; null if it is absent or the endpoint ignores it
 * @param catalog the snapshot that this request uses to its end
 * @param admittedNanos when the head had arrived, on the loop's ticker
 */
public record ExchangeRequest(
    RequestId id,
    Endpoint endpoint,
    String argument,
    @Nullable String idempotencyKey,
    Caller caller,
    Catalog catalog,
    long admittedNanos,
    Body body) {

  /**
   * Authenticated client of a request: its API key, its address and its software.
   *
   * @param clientAddress its address behind trusted proxies
   * @param eventsNeeded events that its software needs in a stream of the Responses API
   */
  public record Caller(ApiKey key, String clientAddress, ResponseEventSet eventsNeeded) {}

  public ApiKey key() {
    return caller.key();
  }

  /**
   * Returns the record of this request, which has ended.
   *
   * @param fault the error that the client got; null if it got none
   * @param served null if it did not reach routing
   */
  public RequestRecord record(
      RequestOutcome outcome,
      @Nullable Fault fault,
      int status,
      @Nullable Served served,
      long responseBytes,
      long nowNanos) {
    return new RequestRecord(
        id,
        Duration.ofNanos(nowNanos - admittedNanos),
        new RequestRecord.HttpSummary(
            caller.clientAddress(),
            endpoint.method(),
            endpoint.path(),
            status,
            body.length(),
            responseBytes),
        outcome,
        fault == null ? null : fault.code(),
        fault == null ? null : fault.param(),
        key(),
        served);
  }
}
