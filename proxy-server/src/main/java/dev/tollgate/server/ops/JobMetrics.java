package dev.tollgate.server.ops;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.server.metrics.JobFamily;
import dev.tollgate.server.metrics.Metrics;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;

/** Observer that counts the events of the workers that run media jobs on this node. */
public final class JobMetrics implements JobObserver {
  private static final double[] SECONDS = {.1, .5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400};
  private static final double MILLIS = 1e3;

  private final CounterDataPoint claimed;
  private final CounterDataPoint deferred;
  private final Counter ended;
  private final Histogram waits;
  private final Histogram durations;
  private final CounterDataPoint inconclusive;
  private final CounterDataPoint leasesLost;
  private final CounterDataPoint copied;
  private final CounterDataPoint bytes;
  private final CounterDataPoint notCopied;
  private final CounterDataPoint deleted;

  public JobMetrics(Metrics metrics) {
    claimed = metrics.counter(JobFamily.JOBS_CLAIMED).labelValues();
    deferred = metrics.counter(JobFamily.JOBS_DEFERRED).labelValues();
    ended = metrics.counter(JobFamily.JOBS_ENDED);
    waits = metrics.histogram(JobFamily.JOB_WAIT, SECONDS);
    durations = metrics.histogram(JobFamily.JOB_DURATION, SECONDS);
    inconclusive = metrics.counter(JobFamily.JOB_POLLS_INCONCLUSIVE).labelValues();
    leasesLost = metrics.counter(JobFamily.JOB_LEASES_LOST).labelValues();
    copied = metrics.counter(JobFamily.ARTIFACTS_COPIED).labelValues();
    bytes = metrics.counter(JobFamily.ARTIFACT_BYTES).labelValues();
    notCopied = metrics.counter(JobFamily.ARTIFACT_FAILURES).labelValues();
    deleted = metrics.counter(JobFamily.ARTIFACTS_DELETED).labelValues();
    for (JobKind kind : JobKind.values()) {
      for (JobStatus status : JobStatus.values()) {
        if (status.isTerminal()) {
          ended.labelValues(
              kind.wire(),
              status.wire()); // registered at once, so that it is 0 before the first event
        }
      }
    }
  }

  @Override
  public void claimed(int jobs) {
    claimed.inc(jobs);
  }

  @Override
  public void accepted(JobKind kind, Duration waited) {
    waits.labelValues(kind.wire()).observe(waited.toMillis() / MILLIS);
  }

  @Override
  public void deferred() {
    deferred.inc();
  }

  @Override
  public void ended(JobKind kind, JobStatus how, Duration age) {
    ended.labelValues(kind.wire(), how.wire()).inc();
    durations.labelValues(kind.wire(), how.wire()).observe(age.toMillis() / MILLIS);
  }

  @Override
  public void leaseLost() {
    leasesLost.inc();
  }

  @Override
  public void pollInconclusive() {
    inconclusive.inc();
  }

  @Override
  public void copied(long fileBytes) {
    copied.inc();
    bytes.inc(fileBytes);
  }

  @Override
  public void copyFailed() {
    notCopied.inc();
  }

  @Override
  public void deleted(int files) {
    deleted.inc(files);
  }
}
