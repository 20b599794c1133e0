/**
 * Idempotent submissions, carried out once however often they are sent: keys, claims and stored
 * replies.
 */
@NullMarked
package dev.tollgate.core.idempotency;

import org.jspecify.annotations.NullMarked;
