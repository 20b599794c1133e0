package dev.tollgate.server.ops;

import dev.tollgate.core.egress.FetchObserver;
import dev.tollgate.core.egress.FetchOutcome;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.OutputFamily;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Observer that counts fetches of images from URLs that clients supply. It runs on event loops. */
public final class FetchMetrics implements FetchObserver {
  private static final double NANOS = 1e9;
  private static final double[] SECONDS = {.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30};

  private final Map<FetchOutcome, CounterDataPoint> fetches = new EnumMap<>(FetchOutcome.class);
  private final CounterDataPoint bytes;
  private final DistributionDataPoint durations;

  public FetchMetrics(Metrics metrics) {
    Counter byOutcome = metrics.counter(OutputFamily.FETCHES);
    for (FetchOutcome outcome : FetchOutcome.values()) {
      fetches.put(outcome, byOutcome.labelValues(outcome.wire()));
    }
    bytes = metrics.counter(OutputFamily.FETCHED_BYTES).labelValues();
    durations = metrics.histogram(OutputFamily.FETCH_DURATION, SECONDS).labelValues();
  }

  @Override
  public void ended(FetchOutcome outcome, long bytesFetched, Duration took) {
    CounterDataPoint point = fetches.get(outcome);
    if (point != null) {
      point.inc();
    }
    bytes.inc(bytesFetched);
    durations.observe(took.toNanos() / NANOS);
  }
}
