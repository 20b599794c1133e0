/** Connections to PostgreSQL: pool, transactions, arrays and schema migrations. */
@NullMarked
package dev.tollgate.server.postgres.session;

import org.jspecify.annotations.NullMarked;
