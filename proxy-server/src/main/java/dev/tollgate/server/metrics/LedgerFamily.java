package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;

/** Metric definitions of the journal of this node, its leases and the ledger store. */
public enum LedgerFamily implements MetricFamily {
  LEDGER_OPEN(gauge("tollgate_ledger_open", "1 while requests can reserve money on this node.")),
  LEDGER_RESERVATIONS(
      gauge("tollgate_ledger_reservations", "Open reservations of running requests.")),
  LEDGER_QUEUED(gauge("tollgate_ledger_queued", "Journal records that are not written yet.")),
  LEDGER_WAITING(
      gauge("tollgate_ledger_waiting", "Requests that wait for a grant of the ledger store.")),
  LEDGER_LEASES(
      gauge(
          "tollgate_ledger_leases",
          "Scopes (balances, limits, budgets) of which this node holds a lease.")),
  LEDGER_BACKLOG(gauge("tollgate_ledger_backlog", "Charges in the journal that are not settled.")),
  LEDGER_OLDEST(
      gauge(
          "tollgate_ledger_oldest_unsettled_seconds",
          "Minimum age of the oldest unsettled charge; counted from the begin of its"
              + " request if more than a batch waits.")),
  LEDGER_FLUSH(
      gauge("tollgate_ledger_flush_seconds", "Duration of the last batch of settlements.")),
  LEDGER_QUARANTINED(
      counter(
          "tollgate_ledger_quarantined_total",
          "Charges that the ledger store refused, quarantined for an operator.")),
  LEDGER_OVERRUNS(counter("tollgate_ledger_overruns_total", "Charges above their reservation.")),
  LEDGER_OVERRUN_COST(
      counter(
          "tollgate_ledger_overrun_micro_usd_total",
          "Amount of charges above their reservations, in micro-USD.")),
  LEDGER_RECALLS(
      counter(
          "tollgate_ledger_recalls_total",
          "Recalls of unused lease amounts that this node received.")),
  LEDGER_PARTIAL_GRANTS(
      counter(
          "tollgate_ledger_partial_grants_total",
          "Grants below the requested amount because the scope is nearly used up.")),
  LEDGER_AUDIT_VIOLATIONS(
      gauge(
          "tollgate_ledger_audit_violations",
          "Sums of the ledger store that did not agree at the last audit, which any node"
              + " may have run.")),
  LEDGER_AUDIT_AGE(
      gauge(
          "tollgate_ledger_audit_age_seconds",
          "Time since the last audit, or since the start if there was none.")),
  LEDGER_PARTITIONS_DROPPED(
      counter(
          "tollgate_ledger_partitions_dropped_total",
          "Daily partitions of charges and of the request log that this node dropped after"
              + " retention.")),
  LEDGER_UNRESPONSIVE_NODES(
      gauge(
          "tollgate_ledger_unresponsive_nodes",
          "Nodes that may hold leases and sent no heartbeat for 60 seconds.")),
  LEDGER_ROLLBACKS_DETECTED(
      counter(
          "tollgate_ledger_rollbacks_detected_total",
          "Times this process detected that its database was rolled back or replaced."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  LedgerFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
