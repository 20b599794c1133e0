/**
 * Money held for requests before they are sent, and charged once when they ended: the rules of
 * leases, accounts and the journal, without I/O, clock or randomness of their own (docs/ledger.md).
 */
@NullMarked
package dev.tollgate.core.ledger;

import org.jspecify.annotations.NullMarked;
