/**
 * Attempts at a provider: one call, its timeouts, the race of hedged attempts, retries and
 * resumption.
 */
@NullMarked
package dev.tollgate.core.exchange.attempt;

import org.jspecify.annotations.NullMarked;
