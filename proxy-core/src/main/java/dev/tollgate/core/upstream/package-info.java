/** Connections out: pools per loop, leases, TLS and name resolution. */
@NullMarked
package dev.tollgate.core.upstream;

import org.jspecify.annotations.NullMarked;
