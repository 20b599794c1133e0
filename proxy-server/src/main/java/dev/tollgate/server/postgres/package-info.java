/**
 * The store: PostgreSQL, embedded or elsewhere, its schema, and the ports of the core on top of it.
 */
@NullMarked
package dev.tollgate.server.postgres;

import org.jspecify.annotations.NullMarked;
