package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.ledger.AccountBalances;

/** Ports, bounds and options that all exchanges of a process share. */
public record ExchangeContext(
    ProviderPorts providers,
    AdmissionPorts admission,
    AccountBalances balances,
    MediaPorts media,
    RecordSinks sinks,
    ClientlessRequests clientless,
    BodyPorts bodies,
    ExchangeOptions options) {

  /** Returns the budget of the bytes that requests hold in memory. */
  public InflightBytes inflight() {
    return bodies.inflight();
  }
}
