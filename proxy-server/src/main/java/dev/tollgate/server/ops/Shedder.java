package dev.tollgate.server.ops;

import dev.tollgate.core.endpoint.Endpoint;
import dev.tollgate.core.endpoint.Endpoint.Urgency;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.pipeline.LoadShedder;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Judges requests by the {@link Load} of the last look and by how many are in work, which it counts
 * in all and by organization. On all loops at once.
 */
public final class Shedder implements LoadShedder {
  private final AtomicInteger running = new AtomicInteger();
  private final ConcurrentMap<OrgId, AtomicInteger> runningByOrg = new ConcurrentHashMap<>();
  private final CounterDataPoint shedAboveShare;
  private volatile Load load;

  public Shedder(Metrics metrics, LoadWatch.Rules rules) {
    load = rules.calm();
    shedAboveShare = metrics.counter(Family.SHED_ABOVE_SHARE).labelValues();
    metrics.gauge(Family.REQUESTS_ADMITTED, running::get);
    metrics.gauge(Family.REQUESTS_MAX, () -> load.requestsMax());
    metrics.gauge(Family.LOAD_LEVEL, () -> load.level().number());
  }

  void load(Load now) {
    load = now;
  }

  Load load() {
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
    Load now = load;
    Urgency urgency = endpoint.urgency();
    int others = running.getAndIncrement();
    int its = runningByOrg.compute(org, (_, count) -> oneMore(count)).get() - 1;
    if (now.sheds(urgency, others)) {
      leave(org);
      return retryLater(); // keys were being looked up while the room was filled
    }
    if (now.shedsAboveShare(others, its)) {
      leave(org);
      shedAboveShare.inc();
      return retryLater();
    }
    return new Admitted(() -> leave(org));
  }

  // Within the map's lock of this entry, so that nobody counts in one that is being dropped.
  private static AtomicInteger oneMore(@Nullable AtomicInteger count) {
    if (count == null) {
      return new AtomicInteger(1);
    }
    count.incrementAndGet();
    return count;
  }

  private void leave(OrgId org) {
    running.decrementAndGet();
    runningByOrg.computeIfPresent(org, (_, count) -> count.decrementAndGet() == 0 ? null : count);
  }

  private static Shed retryLater() {
    return new Shed(Fault.laterSeconds());
  }
}
