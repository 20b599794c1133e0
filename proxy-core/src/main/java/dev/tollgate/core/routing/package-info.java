/**
 * Choice of the provider for each attempt of a request, and the health of all providers as this
 * process observed it. {@code Router} filters and ranks the candidates of a request, {@code
 * NextAttempt} decides what follows a failed attempt, and {@code Fleet} keeps the health that both
 * read: circuits by endpoint, by model and by organization, a retry budget by provider, the state
 * of each key by model, and latencies by route. An attempt takes a {@code Placement} from the fleet
 * and ends it once with its outcome.
 */
@NullMarked
package dev.tollgate.core.routing;

import org.jspecify.annotations.NullMarked;
