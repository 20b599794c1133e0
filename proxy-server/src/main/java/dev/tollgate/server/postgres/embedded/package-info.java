/** The embedded PostgreSQL: its files, process, lock and supervisor. */
@NullMarked
package dev.tollgate.server.postgres.embedded;

import org.jspecify.annotations.NullMarked;
