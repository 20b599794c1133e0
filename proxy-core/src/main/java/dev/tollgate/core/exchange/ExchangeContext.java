package dev.tollgate.core.exchange;

import dev.tollgate.core.claim.Idempotency;
import dev.tollgate.core.fetch.Images;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.ledger.Standings;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.upstream.Upstreams;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;

/**
 * What every exchange of the process shares.
 *
 * @param jobs empty: there are none
 * @param rows writes a request's line for the request log, a JSON object
 * @param clock of signatures
 */
record ExchangeContext(
    Upstreams upstreams,
    Fleet fleet,
    InflightBytes inflight,
    Ledger ledger,
    Standings standings,
    Limits limits,
    Idempotency idempotency,
    Images images,
    Optional<JobDesk> jobs,
    Observer observer,
    Function<RequestRecord, byte[]> rows,
    DrainQuota drains,
    Unawaited unawaited,
    Outputs outputs,
    ExchangeOptions options,
    InstantSource clock) {}
