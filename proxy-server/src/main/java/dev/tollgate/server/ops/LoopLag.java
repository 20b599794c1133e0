package dev.tollgate.server.ops;

import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProcessFamily;
import io.netty.util.concurrent.EventExecutor;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metric of event loop lag: a probe on each loop measures every 250 ms how late its timer fires. A
 * loop that is blocked now shows in the maximum at once.
 */
public final class LoopLag implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofMillis(250);
  private static final double[] BOUNDS = {.0005, .001, .002, .005, .01, .02, .05, .1, .25, 1, 5};
  private static final Logger LOG = LoggerFactory.getLogger(LoopLag.class);

  private final DistributionDataPoint histogram;
  private final List<Probe> probes = new ArrayList<>();

  public LoopLag(Metrics metrics, Iterable<? extends EventExecutor> loops) {
    histogram = metrics.histogram(ProcessFamily.LOOP_LAG, BOUNDS).labelValues();
    for (EventExecutor loop : loops) {
      probes.add(new Probe(loop, Integer.toString(probes.size())));
    }
    metrics.gauges(ProcessFamily.LOOP_LAG_MAX, this::maxima);
    probes.forEach(Probe::start);
  }

  /** Returns the largest lag of each loop within the last minute, in seconds. */
  Map<String, Double> maxima() {
    Map<String, Double> maxima = new TreeMap<>();
    probes.forEach(probe -> maxima.put(probe.name, probe.maximumNanos() / 1e9));
    return maxima;
  }

  @Override
  public void close() {
    probes.forEach(probe -> probe.closed = true);
  }

  /** Periodic timer of one loop, confined to the loop except for the values that a scrape reads. */
  private final class Probe implements Runnable {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOG_THRESHOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final EventExecutor loop;
    private final String name;
    private volatile boolean closed;
    private volatile long expectedNanos;
    private volatile Windows windows;
    private long loggedNanos;

    Probe(EventExecutor loop, String name) {
      this.loop = loop;
      this.name = name;
      long now = loop.ticker().nanoTime();
      this.windows = new Windows(now, 0, 0);
      this.loggedNanos = now - LOG_INTERVAL_NANOS;
    }

    void start() {
      expect(loop.ticker().nanoTime());
    }

    @Override
    public void run() {
      assert loop.inEventLoop();
      if (closed) {
        return;
      }
      long now = loop.ticker().nanoTime();
      long lagNanos = Math.max(0, now - expectedNanos);
      histogram.observe(lagNanos / 1e9);
      windows = windows.with(now, lagNanos);
      if (lagNanos > LOG_THRESHOLD_NANOS && now - loggedNanos >= LOG_INTERVAL_NANOS) {
        loggedNanos = now;
        LOG.warn("event loop {} was blocked for {} ms", name, lagNanos / 1_000_000);
      }
      expect(now);
    }

    private void expect(long now) {
      expectedNanos = now + INTERVAL.toNanos();
      if (!loop.isShuttingDown()) {
        var _ = loop.schedule(this, INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    long maximumNanos() {
      long heldUpNow = closed ? 0 : loop.ticker().nanoTime() - expectedNanos;
      return Math.max(heldUpNow, windows.maximumNanos());
    }

    /** Two overlapping windows: their maximum covers the last 30 to 60 seconds. */
    private record Windows(long sinceNanos, long current, long previous) {
      Windows with(long now, long lag) {
        return now - sinceNanos < WINDOW_NANOS
            ? new Windows(sinceNanos, Math.max(current, lag), previous)
            : new Windows(now, lag, current);
      }

      long maximumNanos() {
        return Math.max(current, previous);
      }
    }
  }
}
