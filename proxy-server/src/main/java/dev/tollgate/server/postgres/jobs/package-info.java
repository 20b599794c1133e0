/** Media jobs in PostgreSQL. */
@NullMarked
package dev.tollgate.server.postgres.jobs;

import org.jspecify.annotations.NullMarked;
