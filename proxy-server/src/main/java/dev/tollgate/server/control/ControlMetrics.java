package dev.tollgate.server.control;

import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.server.metrics.ControlFamily;
import dev.tollgate.server.metrics.Metrics;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;

/** Observer that counts the requests of the control plane. Routes and statuses are closed lists. */
public final class ControlMetrics implements RequestObserver {
  private static final double NANOS = 1e9;
  private static final double[] SECONDS = {
    .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10
  };

  private final Counter requests;
  private final Histogram durations;

  public ControlMetrics(Metrics metrics) {
    requests = metrics.counter(ControlFamily.CONTROL_REQUESTS);
    durations = metrics.histogram(ControlFamily.CONTROL_DURATION, SECONDS);
  }

  @Override
  public void ended(RequestRecord record) {
    requests.labelValues(record.route(), Integer.toString(record.status())).inc();
    durations.observe(record.total().toNanos() / NANOS);
  }
}
