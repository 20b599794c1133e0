package dev.tollgate.server.ops;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.job.JobStatus;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;

/** Counts what workers do. */
public final class JobMetrics implements JobObserver {
  private static final double[] SECONDS = {.1, .5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400};
  private static final double MILLIS = 1e3;

  private final CounterDataPoint claimed;
  private final CounterDataPoint heldBack;
  private final Counter ended;
  private final Histogram waits;
  private final Histogram durations;
  private final CounterDataPoint inVain;
  private final CounterDataPoint leasesLost;
  private final CounterDataPoint copied;
  private final CounterDataPoint bytes;
  private final CounterDataPoint notCopied;
  private final CounterDataPoint deleted;

  public JobMetrics(Metrics metrics) {
    claimed = metrics.counter(Family.JOBS_CLAIMED).labelValues();
    heldBack = metrics.counter(Family.JOBS_HELD_BACK).labelValues();
    ended = metrics.counter(Family.JOBS_ENDED);
    waits = metrics.histogram(Family.JOB_WAIT, SECONDS);
    durations = metrics.histogram(Family.JOB_DURATION, SECONDS);
    inVain = metrics.counter(Family.JOB_LOOKS_IN_VAIN).labelValues();
    leasesLost = metrics.counter(Family.JOB_LEASES_LOST).labelValues();
    copied = metrics.counter(Family.ARTIFACTS_COPIED).labelValues();
    bytes = metrics.counter(Family.ARTIFACT_BYTES).labelValues();
    notCopied = metrics.counter(Family.ARTIFACT_FAILURES).labelValues();
    deleted = metrics.counter(Family.ARTIFACTS_DELETED).labelValues();
    for (JobKind kind : JobKind.values()) {
      for (JobStatus status : JobStatus.values()) {
        if (status.isTerminal()) {
          ended.labelValues(kind.wire(), status.wire()); // shown as 0 also where none has so far
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
  public void heldBack() {
    heldBack.inc();
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
  public void learnedNothing() {
    inVain.inc();
  }

  @Override
  public void copied(long fileBytes) {
    copied.inc();
    bytes.inc(fileBytes);
  }

  @Override
  public void notCopied() {
    notCopied.inc();
  }

  @Override
  public void deleted(int files) {
    deleted.inc(files);
  }
}
