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
 * Load shedder that admits or sheds requests by the last {@link LoadState} and its counts of
 * running requests. It counts them in total and by organization. Used by all event loops at once.
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

  /** Returns true while queries are shed, the first requests that are. */
  public boolean isShedding() {
    return load.sheds(Urgency.LOOKUP, running.get());
  }

  /** Returns the number of running requests of all organizations. */
  int running() {
    return running.get();
  }

  /** Returns the number of organizations with running requests. */
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
      return retryLater(); // other requests were admitted while this key was looked up
    }
    if (now.shedsAboveShare(others, orgRunning)) {
      exit(org);
      shedAboveShare.inc();
      return retryLater();
    }
    return new Admitted(() -> exit(org));
  }

  // Within the map's lock of this entry, so that no request is counted in an entry that is being
  // removed.
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
