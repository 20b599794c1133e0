/** The embedded PostgreSQL: its files, process, lock and watch. */
@NullMarked
package dev.tollgate.server.postgres.embedded;

import org.jspecify.annotations.NullMarked;
