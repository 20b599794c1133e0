/** Benchmarks: run by hand with {@code -Pbench}, quoted in docs/benchmarks.md. */
@NullMarked
package dev.tollgate.server.bench;

import org.jspecify.annotations.NullMarked;
