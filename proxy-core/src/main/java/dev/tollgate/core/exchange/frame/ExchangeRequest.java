package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.tenant.ApiKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An authenticated request with its whole body: what the pipeline hands to an exchange.
 *
 * @param argument the variable part of the head: the model's id for one model, the query for the
 *     list, the content type of a form, else empty
 * @param idempotencyKey as the head had it; null: it had none, or the route makes nothing of it
 * @param catalog the snapshot that this request keeps to its end
 * @param admittedNanos when the head had arrived, on the loop's ticker
 * @param clientAddress the caller's address behind trusted proxies
 */
public record ExchangeRequest(
    RequestId id,
    Endpoint endpoint,
    String argument,
    @Nullable String idempotencyKey,
    ApiKey key,
    String clientAddress,
    Catalog catalog,
    long admittedNanos,
    Body body) {

  /**
   * What is recorded of this request now that it ended.
   *
   * @param served null where it never reached routing
   */
  public RequestRecord record(
      RequestOutcome outcome,
      @Nullable ErrorCode code,
      int status,
      @Nullable Served served,
      long responseBytes,
      long nowNanos) {
    return new RequestRecord(
        id,
        Duration.ofNanos(nowNanos - admittedNanos),
        clientAddress,
        endpoint.method(),
        endpoint.path(),
        status,
        outcome,
        code,
        key,
        served,
        body.length(),
        responseBytes);
  }
}
