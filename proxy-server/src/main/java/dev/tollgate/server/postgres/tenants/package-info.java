/** Organizations, API keys, credits and secrets in PostgreSQL. */
@NullMarked
package dev.tollgate.server.postgres.tenants;

import org.jspecify.annotations.NullMarked;
