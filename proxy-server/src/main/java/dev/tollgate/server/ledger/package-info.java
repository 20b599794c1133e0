/**
 * The ledger on a node: the journal on its disk, the settler that sends its charges to the ledger
 * store, the client that leases from the store, recovery after a crash, and detection of a rollback
 * of the store.
 */
@NullMarked
package dev.tollgate.server.ledger;

import org.jspecify.annotations.NullMarked;
