/** The ledger store in PostgreSQL: settlement, leases, audits and the request log. */
@NullMarked
package dev.tollgate.server.postgres.ledger;

import org.jspecify.annotations.NullMarked;
