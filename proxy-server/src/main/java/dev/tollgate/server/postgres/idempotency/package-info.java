/** Idempotency keys and stored replies in PostgreSQL. */
@NullMarked
package dev.tollgate.server.postgres.idempotency;

import org.jspecify.annotations.NullMarked;
