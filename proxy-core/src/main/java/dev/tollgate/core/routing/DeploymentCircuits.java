package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Circuits that every attempt at a deployment needs: of the endpoint, of the model over all
 * organizations, and of the organization that asks. Shared by all loops, as its circuits are.
 */
public final class DeploymentCircuits {
  /** Permit of a circuit that did not exist. */
  static final Breaker.Permit UNUSED = new Breaker.Permit(0, 0);

  private final Breaker endpoint;
  private final Breaker model = new Breaker(new FailuresByOrg());
  private final ServedOrgs served = new ServedOrgs();
  private final OrgCircuits orgs;
  private final AtomicLong orgOpenings = new AtomicLong();

  DeploymentCircuits(Breaker endpoint, OrgCircuits orgs) {
    this.endpoint = endpoint;
    this.orgs = orgs;
  }

  /** Returns the circuit that stops all organizations at this model. */
  public Breaker model() {
    return model;
  }

  /** Returns the circuit of one organization; empty if it has no recent failures here. */
  public Optional<Breaker> ofOrg(OrgId org, long nowNanos) {
    return Optional.ofNullable(orgs.find(org, this, nowNanos));
  }

  /** Returns how often the circuits of single organizations opened. */
  public long orgOpenings() {
    return orgOpenings.get();
  }

  Breaker newOrgCircuit() {
    return new Breaker(new LatestFailures(), orgOpenings);
  }

  /**
   * Returns the nanoseconds until an attempt of an organization may be permitted; 0 means at once.
   */
  long ask(OrgId org, CircuitOptions rules, long nowNanos) {
    Breaker own = orgs.find(org, this, nowNanos);
    long wait = own == null ? 0 : own.ask(org, rules, nowNanos);
    return wait > 0 // then it cannot take the probe of another circuit
        ? Math.max(wait, Math.max(endpoint.waitNanos(nowNanos), model.waitNanos(nowNanos)))
        : Math.max(
            endpoint.ask(org, rules, nowNanos),
            model.isClosed() ? 0 : model.ask(org, latestOutcome(org, own), rules, nowNanos));
  }

  private LatestOutcome latestOutcome(OrgId org, @Nullable Breaker own) {
    if (served.contains(org)) {
      return LatestOutcome.SUCCESS;
    }
    return own == null ? LatestOutcome.UNKNOWN : LatestOutcome.FAILURE;
  }

  /** True if all attempts of an organization are permitted. */
  boolean isClosed(OrgId org, long nowNanos) {
    Breaker own = orgs.find(org, this, nowNanos);
    return (own == null || own.isClosed()) && endpoint.isClosed() && model.isClosed();
  }

  /** Acquires the permits for one attempt of an organization, from all circuits or none. */
  Optional<CircuitPermits> tryAcquire(OrgId org, CircuitOptions rules, long nowNanos) {
    if (ask(org, rules, nowNanos) > 0) {
      return Optional.empty(); // else a circuit that is open for long would use up others' probes
    }
    Breaker own = orgs.find(org, this, nowNanos);
    LatestOutcome any = LatestOutcome.UNKNOWN;
    Breaker.Permit ofOwn = own == null ? UNUSED : acquire(own, org, any, rules, nowNanos);
    Breaker.Permit ofEndpoint = ofOwn == null ? null : acquire(endpoint, org, any, rules, nowNanos);
    Breaker.Permit ofModel =
        ofEndpoint == null ? null : acquire(model, org, latestOutcome(org, own), rules, nowNanos);
    if (ofOwn != null && ofEndpoint != null && ofModel != null) {
      return Optional.of(new CircuitPermits(this, org, rules, ofEndpoint, ofModel, own, ofOwn));
    }
    if (own != null && ofOwn != null) {
      own.neutral(ofOwn, nowNanos);
    }
    if (ofEndpoint != null) {
      endpoint.neutral(ofEndpoint, nowNanos);
    }
    return Optional.empty();
  }

  private static Breaker.@Nullable Permit acquire(
      Breaker circuit, OrgId org, LatestOutcome latest, CircuitOptions rules, long nowNanos) {
    return circuit.tryAcquire(org, latest, rules, nowNanos).orElse(null);
  }

  Breaker endpoint() {
    return endpoint;
  }

  ServedOrgs served() {
    return served;
  }

  OrgCircuits orgs() {
    return orgs;
  }
}
