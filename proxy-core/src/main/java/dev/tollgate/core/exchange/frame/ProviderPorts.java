package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.upstream.Upstreams;
import java.time.InstantSource;

/**
 * Ports through which exchanges use providers: connections, and the health of deployments and
 * credentials.
 *
 * @param clock wall clock for the signatures of requests and the time of replies
 */
public record ProviderPorts(Upstreams upstreams, Fleet fleet, InstantSource clock) {}
