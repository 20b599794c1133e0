package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;

/**
 * Part of a lease that its node has committed: what it charged since the lease began, what is
 * reserved, and what it may soon reserve while the ledger store cannot be reached.
 */
public record Commitment(Scope scope, MicroUsd amount) {}
