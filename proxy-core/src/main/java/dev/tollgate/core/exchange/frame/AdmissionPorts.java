package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.limit.Limits;

/** Ports that admit a request before its first attempt: claim, reservation, permit. */
public record AdmissionPorts(IdempotencyStore idempotency, Ledger ledger, Limits limits) {}
