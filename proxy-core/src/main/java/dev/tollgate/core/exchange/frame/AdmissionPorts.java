package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.limit.Limits;

/** Ports that an exchange uses to admit a request: idempotency store, ledger and rate limits. */
public record AdmissionPorts(IdempotencyStore idempotency, Ledger ledger, Limits limits) {}
