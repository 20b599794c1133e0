package dev.tollgate.core.pipeline;

import dev.tollgate.core.net.CidrSet;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the API listener behaves: {@code listeners.api} of the configuration, as far as the client
 * side needs it.
 *
 * @param proxyProtocol whether every connection starts with a PROXY protocol v2 header
 * @param trustedProxies whose X-Forwarded-For and PROXY headers are believed
 * @param requestBytesMax the largest JSON body
 * @param multipartBytesMax the largest multipart body
 * @param headerBytesMax request line and fields together
 * @param bodyTimeout for a whole body, plus one second for each KiB received
 * @param writeStall how long a client may take nothing at all
 * @param idleTimeout how long a connection may wait for its next request
 * @param healthPath answered with 200 without a key; null: none
 */
public record GatewayOptions(
    InetSocketAddress address,
    boolean proxyProtocol,
    CidrSet trustedProxies,
    int requestBytesMax,
    int multipartBytesMax,
    int headerBytesMax,
    int connectionsMax,
    Duration headerTimeout,
    Duration bodyTimeout,
    Duration writeStall,
    Duration idleTimeout,
    @Nullable String healthPath) {}
