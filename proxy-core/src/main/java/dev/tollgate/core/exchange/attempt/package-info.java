/**
 * Attempts to have a request served by a provider: the upstream call, its timeouts, hedging,
 * retries and the resumption of broken streams.
 */
@NullMarked
package dev.tollgate.core.exchange.attempt;

import org.jspecify.annotations.NullMarked;
