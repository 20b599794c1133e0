/** Webhook events and attempts in PostgreSQL. */
@NullMarked
package dev.tollgate.server.postgres.webhook;

import org.jspecify.annotations.NullMarked;
