/**
 * Connections to providers: pools per event loop, leases of connections, TLS and name resolution.
 */
@NullMarked
package dev.tollgate.core.upstream;

import org.jspecify.annotations.NullMarked;
