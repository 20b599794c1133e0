package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;

/**
 * Part of a lease that its node has spent or may yet spend. It includes what was charged since the
 * lease began, what is reserved, and what may soon be reserved while the ledger store cannot be
 * reached.
 */
public record Commitment(Scope scope, MicroUsd amount) {}
