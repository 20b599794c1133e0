package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Permits of one attempt from the circuits of its deployment, by which its outcome is reported to
 * each circuit that it counts for. That the endpoint was reached or the model works counts once,
 * also if it is reported again. Loop-confined.
 */
final class CircuitPermits {
  private static final Set<CircuitScope> NONE = Set.of();

  private final DeploymentCircuits circuits;
  private final OrgId org;
  private final CircuitOptions rules;
  private final Breaker.Permit endpoint;
  private final Breaker.Permit model;
  private final @Nullable Breaker own;
  private final Breaker.Permit ofOwn;
  private boolean reached;
  private boolean worked;

  /**
   * @param own circuit of the organization; null if it had no recent failures
   */
  CircuitPermits(
      DeploymentCircuits circuits,
      OrgId org,
      CircuitOptions rules,
      Breaker.Permit endpoint,
      Breaker.Permit model,
      @Nullable Breaker own,
      Breaker.Permit ofOwn) {
    this.circuits = circuits;
    this.org = org;
    this.rules = rules;
    this.endpoint = endpoint;
    this.model = model;
    this.own = own;
    this.ofOwn = ofOwn;
  }

  OrgId org() {
    return org;
  }

  /** True if a circuit's state depends on the outcome. */
  boolean isProbe() {
    return endpoint.isProbe() || model.isProbe() || ofOwn.isProbe();
  }

  /** True if all circuits permit all attempts of the organization. */
  boolean isClosed(long nowNanos) {
    return circuits.isClosed(org, nowNanos);
  }

  /** Reports that a response head arrived: the endpoint can be reached. */
  void reached(long nowNanos) {
    if (!reached) {
      reached = true;
      circuits.endpoint().succeeded(endpoint, rules, nowNanos);
    }
  }

  /** Reports that the model works. */
  void succeeded(long nowNanos) {
    if (worked) {
      return;
    }
    worked = true;
    circuits.model().succeeded(model, rules, nowNanos);
    circuits.served().succeeded(org);
    Breaker current = circuits.orgs().find(org, circuits, nowNanos);
    if (current != null) {
      current.succeeded(permitOf(current), rules, nowNanos);
      if (current.isUnused(rules, nowNanos)) {
        circuits.orgs().removeUnused(org, circuits, rules, nowNanos);
      }
    }
  }

  /** Reports that the endpoint cannot be reached. Returns the circuits that opened. */
  Set<CircuitScope> unreachable(long nowNanos) {
    boolean opened = circuits.endpoint().failed(endpoint, org, rules, nowNanos);
    neutralForModel(nowNanos);
    return opened ? EnumSet.of(CircuitScope.ENDPOINT) : NONE;
  }

  /** Reports another failure of the provider. Returns the circuits that opened. */
  Set<CircuitScope> failed(long nowNanos) {
    circuits.endpoint().neutral(endpoint, nowNanos);
    boolean forAll = circuits.model().failed(model, org, rules, nowNanos);
    circuits.served().failed(org);
    Breaker current = circuits.orgs().findOrAdd(org, circuits, nowNanos);
    boolean forOrg = current.failed(permitOf(current), org, rules, nowNanos);
    if (!forAll && !forOrg) {
      return NONE;
    }
    Set<CircuitScope> opened = EnumSet.noneOf(CircuitScope.class);
    if (forAll) {
      opened.add(CircuitScope.MODEL);
    }
    if (forOrg) {
      opened.add(CircuitScope.ORGANIZATION);
    }
    return opened;
  }

  /** Reports an outcome that does not show the provider's health. */
  void neutral(long nowNanos) {
    circuits.endpoint().neutral(endpoint, nowNanos);
    neutralForModel(nowNanos);
  }

  private void neutralForModel(long nowNanos) {
    circuits.model().neutral(model, nowNanos);
    if (own != null) {
      own.neutral(ofOwn, nowNanos);
    }
  }

  /** Returns the permit of a circuit, which may have come or been replaced meanwhile. */
  @SuppressWarnings("ReferenceEquality") // the same object, not an equal one
  private Breaker.Permit permitOf(Breaker current) {
    return current == own ? ofOwn : DeploymentCircuits.UNUSED;
  }
}
