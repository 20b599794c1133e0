/**
 * Load generator and report of {@code tollgate bench}: open-loop requests, alternating between
 * gateway and provider.
 */
@NullMarked
package dev.tollgate.bench;

import org.jspecify.annotations.NullMarked;
