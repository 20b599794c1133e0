/**
 * The ledger of a node: money is reserved before a request is sent and charged exactly once when it
 * ended (docs/ledger.md). The package has no I/O, clock or randomness of its own, so that a
 * simulation can run it.
 *
 * <p><b>Reserve.</b> {@link Ledger} is the port that requests use; {@link NodeLedger} implements
 * it. A {@link Payer} has up to four {@link Scope scopes}, sums that limit spending. The node has
 * an {@link Account} for each scope in use, and {@link PayerAccounts} of a key takes the worst case
 * from all of them or from none. The result is a {@link Reservation}, ended exactly once.
 *
 * <p><b>Journal.</b> {@link OpenReservation} writes a {@link JournalRecord} to the {@link Journal}
 * at each step: reserve, progress, settle or release. A settle record is durable before the client
 * receives the cost. {@link JournalCodec} defines the bytes.
 *
 * <p><b>Lease.</b> An account spends from a lease, a part of the scope that the {@link LedgerStore}
 * granted to this node. {@link LeasePlanner} runs on the ledger's thread: it requests grants for
 * the {@link GrantQueue} of waiting requests and ahead of need, and {@link NextWindowPrefetch}
 * creates accounts before midnight. {@link LeaseStatements} return money that is idle or recalled,
 * and {@link Commitments} bound what others must count as spent if this node is lost. The planner
 * stops admission when heartbeats fail for longer than {@link LedgerRules} allow.
 *
 * <p><b>Settle.</b> A {@link Settlement} stays in the journal until the ledger store has settled
 * it, once for each request id. A charge is never refused: what exceeds the lease becomes an
 * overrun, and the lease grows by it.
 *
 * <p><b>Epoch.</b> Each start of a node's process begins an epoch as {@link
 * LedgerStore.LeaseHolder}; the store fences older ones. Before that, {@link Recovery} reads the
 * previous epoch's journal and every charge in it is sent again. Only then the old leases are
 * closed.
 *
 * <p><b>Checkpoint and rollback.</b> The store records in the same transactions what it has of the
 * journal. A node compares this {@link NodeCheckpoint} with its {@link LedgerWatermark}, what the
 * store acknowledged to it, and the {@link LedgerStoreIdentity}. A store that has less was rolled
 * back: the node stops spending, and its next start sends the retained journal again.
 */
@NullMarked
package dev.tollgate.core.ledger;

import org.jspecify.annotations.NullMarked;
