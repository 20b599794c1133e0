package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Circuits of single organizations at all deployments of a node. One exists from a failure on until
 * a success without recent failures, and only the most recently used ones are kept. Shared by all
 * loops: a concurrent map, in which requests of organizations without failures find nothing.
 */
public final class OrgCircuits {
  /** Circuits of a node; beyond it the least recently used one is evicted. */
  static final int CIRCUITS_MAX = 4096;

  private final Map<Name, Used> circuits = new ConcurrentHashMap<>();
  private final AtomicLong evictions = new AtomicLong();

  private record Name(OrgId org, DeploymentCircuits at) {}

  /** A circuit, and when a request used it last. */
  private static final class Used {
    private final Breaker breaker;
    private volatile long atNanos;

    Used(Breaker breaker, long nowNanos) {
      this.breaker = breaker;
      this.atNanos = nowNanos;
    }

    Breaker at(long nowNanos) {
      atNanos = nowNanos;
      return breaker;
    }
  }

  /** Returns the number of circuits. */
  public int size() {
    return circuits.size();
  }

  /** Returns the number of circuits that were dropped for others. */
  public long evictions() {
    return evictions.get();
  }

  /** Returns the number of circuits that are not closed, by deployment. */
  public Map<DeploymentCircuits, Long> open() {
    return circuits.entrySet().stream()
        .filter(one -> !one.getValue().breaker.isClosed())
        .collect(Collectors.groupingBy(one -> one.getKey().at(), Collectors.counting()));
  }

  /** Returns the circuit of an organization; null if it has no recent failures. */
  @Nullable Breaker find(OrgId org, DeploymentCircuits at, long nowNanos) {
    if (circuits.isEmpty()) {
      return null;
    }
    Used used = circuits.get(new Name(org, at));
    return used == null ? null : used.at(nowNanos);
  }

  /** Returns the circuit of an organization, for a failure. */
  Breaker findOrAdd(OrgId org, DeploymentCircuits at, long nowNanos) {
    Used used =
        circuits.computeIfAbsent(new Name(org, at), _ -> new Used(at.newOrgCircuit(), nowNanos));
    while (circuits.size() > CIRCUITS_MAX) {
      evict(nowNanos);
    }
    return used.at(nowNanos);
  }

  private void evict(long nowNanos) {
    Name oldest = null;
    long longest = Long.MIN_VALUE;
    for (Map.Entry<Name, Used> one : circuits.entrySet()) {
      long unused = nowNanos - one.getValue().atNanos;
      if (unused > longest) {
        oldest = one.getKey();
        longest = unused;
      }
    }
    if (oldest != null && circuits.remove(oldest) != null) {
      evictions.incrementAndGet();
    }
  }

  /** Drops the circuit of an organization if it has no recent failures. */
  void removeUnused(OrgId org, DeploymentCircuits at, CircuitOptions rules, long nowNanos) {
    var _ =
        circuits.computeIfPresent(
            new Name(org, at), (_, one) -> one.breaker.isUnused(rules, nowNanos) ? null : one);
  }

  /** Drops the circuits at all other deployments. */
  void retain(Collection<DeploymentCircuits> live) {
    circuits.keySet().removeIf(one -> !live.contains(one.at()));
  }
}
