package dev.tollgate.core.pipeline;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.exchange.InflightBytes;
import dev.tollgate.core.exchange.Observer;
import dev.tollgate.core.exchange.RequestService;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * What the client side calls.
 *
 * @param catalog the snapshot of now; a request keeps the one it began with
 */
public record GatewayPorts(
    RequestService service,
    Authenticator authenticator,
    LoadShedder loadShedder,
    KnownRefusals refusals,
    InflightBytes inflightBytes,
    Observer observer,
    InstantSource clock,
    Supplier<Catalog> catalog) {}
