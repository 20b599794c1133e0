package dev.tollgate.server.jobs;

import dev.tollgate.core.id.OrgId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/** What a node remembers of turns: who had the last one, and what it works at. Any thread. */
final class FairScheduler {
  /** So long a provider that has as many jobs as it may is not asked whether it has room. */
  private static final Duration CLOSED_FOR = Duration.ofSeconds(1);

  /** One worker in so many, and at least one, is left to the other providers. */
  private static final int LEFT_TO_OTHERS = 4;

  private final int share;
  private final LongSupplier nanoTime;
  private final Map<String, Integer> inWork = new HashMap<>();
  private final Map<String, Long> closedAt = new HashMap<>();
  private OrgId lastOrg = new OrgId(UUID.randomUUID()); // nodes begin in different places
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

  /** What came of a turn, in its order. */
  synchronized void claimed(List<ClaimedJob> jobs) {
    jobs.forEach(job -> inWork.merge(job.job().provider(), 1, Integer::sum));
    if (jobs.isEmpty()) {
      lastOrg = new OrgId(UUID.randomUUID()); // beyond those that one turn looks at
      lastProvider = "";
    } else {
      lastOrg = jobs.getLast().job().org();
      lastProvider = jobs.getLast().job().provider();
    }
  }

  /** A job is not in work any more. */
  synchronized void ended(ClaimedJob job) {
    inWork.computeIfPresent(job.job().provider(), (_, jobs) -> jobs > 1 ? jobs - 1 : null);
  }

  /** A provider has as many jobs as it may. */
  synchronized void providerFull(String provider) {
    closedAt.put(provider, nanoTime.getAsLong());
  }
}
