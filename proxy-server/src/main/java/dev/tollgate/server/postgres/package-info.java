/** The store: PostgreSQL, embedded or external, its schema, and the core's ports on top of it. */
@NullMarked
package dev.tollgate.server.postgres;

import org.jspecify.annotations.NullMarked;
