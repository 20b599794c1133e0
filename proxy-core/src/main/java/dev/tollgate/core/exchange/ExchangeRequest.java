package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.endpoint.Endpoint;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.tenant.ApiKey;

/**
 * An authenticated request with its whole body: what the pipeline hands to an exchange.
 *
 * @param argument the variable part of the target: the model's id for one model, the query for the
 *     list, else empty
 * @param catalog the snapshot that this request keeps to its end
 * @param admittedNanos when the head had arrived, on the loop's ticker
 * @param clientAddress the caller's address behind trusted proxies
 */
public record ExchangeRequest(
    RequestId id,
    Endpoint endpoint,
    String argument,
    ApiKey key,
    String clientAddress,
    Catalog catalog,
    long admittedNanos,
    Body body) {}
