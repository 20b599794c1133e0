package dev.tollgate.core.exchange;

import dev.tollgate.core.upstream.Upstreams;

/** What every exchange of the process shares. */
record ExchangeContext(
    Upstreams upstreams,
    InflightBytes inflight,
    Observer observer,
    DrainQuota drains,
    ExchangeOptions options) {}
