package dev.tollgate.core.pipeline;

import dev.tollgate.core.http.Cors;
import dev.tollgate.core.net.CidrSet;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a listener for clients, as far as the client pipeline needs them.
 *
 * @param proxyProtocol true if every connection starts with a PROXY protocol v2 header
 * @param trustedProxies peers whose X-Forwarded-For and PROXY headers count
 * @param requestBytesMax size of the largest JSON body in bytes
 * @param multipartBytesMax size of the largest multipart body in bytes
 * @param headerBytesMax largest number of bytes of request line and fields together
 * @param connectionsMax open connections in all
 * @param unprovenPerAddressMax open connections of one address that have not proved a key; 0 means
 *     any number
 * @param headerTimeout for the head of a request, and for a kept connection without a proved key
 * @param bodyTimeout for a complete body, plus one second for each KiB received
 * @param writeStall longest time without any progress of a client that receives
 * @param idleTimeout longest wait of a connection with a proved key for its next request
 * @param healthPath path that is answered with 200 without a key; null means none
 * @param cors pages that may call from browsers; null means none
 */
public record GatewayOptions(
    InetSocketAddress address,
    boolean proxyProtocol,
    CidrSet trustedProxies,
    int requestBytesMax,
    int multipartBytesMax,
    int headerBytesMax,
    int connectionsMax,
    int unprovenPerAddressMax,
    Duration headerTimeout,
    Duration bodyTimeout,
    Duration writeStall,
    Duration idleTimeout,
    @Nullable String healthPath,
    @Nullable Cors cors) {}
