/**
 * Submissions that are carried out once however often they are sent: whose turn it is, and what
 * came of it.
 */
@NullMarked
package dev.tollgate.core.idempotency;

import org.jspecify.annotations.NullMarked;
