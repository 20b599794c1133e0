/** Benchmarks of the gateway and of its parts; the profile bench runs them. */
@NullMarked
package dev.tollgate.server.bench;

import org.jspecify.annotations.NullMarked;
