package dev.tollgate.server.jobs;

import dev.tollgate.core.id.OrgId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Scheduler of a node's job claims, which shares its workers fairly among organizations and
 * providers. Instances are thread-safe.
 */
final class FairScheduler {
  /** Time for which a provider with its maximum of jobs gets no new one. */
  private static final Duration CLOSED_FOR = Duration.ofSeconds(1);

  /** One worker in four, and at least one, is reserved for other providers. */
  private static final int LEFT_TO_OTHERS = 4;

  private final int share;
  private final LongSupplier nanoTime;
  private final Map<String, Integer> inWork = new HashMap<>();
  private final Map<String, Long> closedAt = new HashMap<>();
  private OrgId lastOrg = new OrgId(UUID.randomUUID()); // nodes begin apart
  private String lastProvider = "";

  FairScheduler(int workers, LongSupplier nanoTime) {
    this.share = Math.max(1, workers - Math.max(1, workers / LEFT_TO_OTHERS));
    this.nanoTime = nanoTime;
  }

  synchronized JobClaimOptions nextClaim(int limit) {
    long now = nanoTime.getAsLong();
    closedAt.values().removeIf(at -> now - at >= CLOSED_FOR.toNanos());
    return new JobClaimOptions(limit, lastOrg, lastProvider, inWork, share, closedAt.keySet());
  }

  /** Records the jobs of one claim, in their order. */
  synchronized void claimed(List<ClaimedJob> jobs) {
    jobs.forEach(job -> inWork.merge(job.job().provider(), 1, Integer::sum));
    if (jobs.isEmpty()) {
      lastOrg = new OrgId(UUID.randomUUID()); // skips the organizations that one claim examines
      lastProvider = "";
    } else {
      lastOrg = jobs.getLast().job().org();
      lastProvider = jobs.getLast().job().provider();
    }
  }

  /** Removes a job that has left this node's work. */
  synchronized void ended(ClaimedJob job) {
    inWork.computeIfPresent(job.job().provider(), (_, jobs) -> jobs > 1 ? jobs - 1 : null);
  }

  /** Records that a provider has reached its maximum of jobs. */
  synchronized void providerFull(String provider) {
    closedAt.put(provider, nanoTime.getAsLong());
  }
}
