package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.egress.ImageFetcher;
import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.core.ledger.AccountBalances;
import dev.tollgate.core.ledger.Ledger;
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
public record ExchangeContext(
    Upstreams upstreams,
    Fleet fleet,
    InflightBytes inflight,
    Ledger ledger,
    AccountBalances balances,
    Limits limits,
    IdempotencyStore idempotency,
    ImageFetcher images,
    Optional<JobService> jobs,
    RequestObserver observer,
    Function<RequestRecord, byte[]> rows,
    DrainQuota drains,
    DetachedRequests detached,
    Outputs outputs,
    ExchangeOptions options,
    InstantSource clock) {}
