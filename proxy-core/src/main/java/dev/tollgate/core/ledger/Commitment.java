package dev.tollgate.core.ledger;

import dev.tollgate.core.money.MicroUsd;

/**
 * How much of a lease its node has committed: charged to it since it has it, reserved, and may soon
 * want of it while the books cannot be reached.
 */
public record Commitment(Scope scope, MicroUsd amount) {}
