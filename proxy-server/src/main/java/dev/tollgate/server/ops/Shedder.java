package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.Endpoint.Urgency;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.pipeline.LoadShedder;
import dev.tollgate.server.metrics.LoadFamily;
import dev.tollgate.server.metrics.Metrics;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Judges requests by the {@link LoadState} of the last look and by how many are in work, which it
 * counts in all and by organization. On all loops at once.
 */
public final class Shedder implements LoadShedder {
  private final AtomicInteger running = new AtomicInteger();
  private final ConcurrentMap<OrgId, AtomicInteger> runningByOrg = new ConcurrentHashMap<>();
  private final CounterDataPoint shedAboveShare;
  private volatile LoadState load;

  public Shedder(Metrics metrics, LoadMonitor.Rules rules) {
    load = rules.initialLoad();
    shedAboveShare = metrics.counter(LoadFamily.SHED_ABOVE_SHARE).labelValues();
    metrics.gauge(LoadFamily.REQUESTS_ADMITTED, running::get);
    metrics.gauge(LoadFamily.REQUESTS_MAX, () -> load.requestsMax());
    metrics.gauge(LoadFamily.LOAD_LEVEL, () -> load.level().number());
  }

  void load(LoadState now) {
    load = now;
  }

  LoadState load() {
    return load;
  }

  /** Requests in work, of all organizations. */
  int running() {
    return running.get();
  }

  /** Organizations that have requests in work. */
  int organizations() {
    return runningByOrg.size();
  }

  @Override
  public Verdict judge(Endpoint endpoint) {
    Urgency urgency = endpoint.urgency();
    return load.sheds(urgency, running.get()) ? retryLater() : Verdict.SERVE;
  }

  @Override
  public Entry enter(Endpoint endpoint, OrgId org) {
    LoadState now = load;
    Urgency urgency = endpoint.urgency();
    int others = running.getAndIncrement();
    int orgRunning = runningByOrg.compute(org, (_, count) -> oneMore(count)).get() - 1;
    if (now.sheds(urgency, others)) {
      exit(org);
      return retryLater(); // keys were being looked up while the room was filled
    }
    if (now.shedsAboveShare(others, orgRunning)) {
      exit(org);
      shedAboveShare.inc();
      return retryLater();
    }
    return new Admitted(() -> exit(org));
  }

  // Within the map's lock of this entry, so that nobody counts in one that is being dropped.
  private static AtomicInteger oneMore(@Nullable AtomicInteger count) {
    if (count == null) {
      return new AtomicInteger(1);
    }
    count.incrementAndGet();
    return count;
  }

  private void exit(OrgId org) {
    running.decrementAndGet();
    runningByOrg.computeIfPresent(org, (_, count) -> count.decrementAndGet() == 0 ? null : count);
  }

  private static Shed retryLater() {
    return new Shed(Fault.randomRetryAfterSeconds());
  }
}
