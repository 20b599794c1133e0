/**
 * The node's own log of money on its disk, and the way of its charges into the books: written
 * before a client learns its cost, sent until the store has them, read back after a crash.
 */
@NullMarked
package dev.tollgate.server.ledger;

import org.jspecify.annotations.NullMarked;
