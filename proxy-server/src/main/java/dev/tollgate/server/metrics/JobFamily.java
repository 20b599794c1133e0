package dev.tollgate.server.metrics;

import static dev.tollgate.server.metrics.MetricDescriptor.counter;
import static dev.tollgate.server.metrics.MetricDescriptor.gauge;
import static dev.tollgate.server.metrics.MetricDescriptor.histogram;

/** Metric definitions of media jobs, their workers and their files. */
public enum JobFamily implements MetricFamily {
  JOB_SUBMISSIONS(
      counter(
          "tollgate_job_submissions_total",
          "Valid submissions of media jobs, by result.",
          "result")),
  JOBS_QUEUE(
      gauge(
          "tollgate_jobs_queue_depth",
          "Submissions and ends of media jobs that wait for a connection to the store.")),
  JOB_QUERIES_QUEUE(
      gauge(
          "tollgate_job_queries_queue_depth",
          "Queries of media jobs that wait for a connection to the store.")),
  JOBS_REFUSED(
      counter(
          "tollgate_jobs_refused_total",
          "Operations on media jobs refused: the queue was full or the wait too long.")),
  JOBS_OPEN(gauge("tollgate_jobs_open", "Media jobs of all nodes that have not ended.", "status")),
  JOBS_CLAIMED(
      counter(
          "tollgate_jobs_claimed_total", "Claims of video and music jobs by this node's workers.")),
  JOBS_DEFERRED(
      counter(
          "tollgate_jobs_deferred_total",
          "Claims deferred because the provider has media.max_open_jobs.")),
  JOBS_IN_WORK(
      gauge(
          "tollgate_jobs_in_work",
          "Jobs in the hands of this node's workers, at most media.workers.")),
  JOBS_ENDED(
      counter(
          "tollgate_jobs_ended_total",
          "Jobs that this node's workers ended, by kind and status.",
          "kind",
          "status")),
  JOB_WAIT(
      histogram(
          "tollgate_job_wait_seconds",
          "From a job's submission to its acceptance by a provider.",
          "kind")),
  JOB_DURATION(
      histogram(
          "tollgate_job_duration_seconds",
          "From a job's submission to its end.",
          "kind",
          "status")),
  JOB_POLLS_INCONCLUSIVE(
      counter(
          "tollgate_job_polls_inconclusive_total",
          "Polls of a job that brought no new information.")),
  JOB_LEASES_LOST(
      counter(
          "tollgate_job_leases_lost_total",
          "Jobs that another worker claimed while a worker of this node had them.")),
  ARTIFACTS_COPIED(
      counter("tollgate_artifacts_copied_total", "Artifacts copied into the object storage.")),
  ARTIFACT_BYTES(counter("tollgate_artifacts_copied_bytes_total", "Bytes of copied artifacts.")),
  ARTIFACT_FAILURES(
      counter(
          "tollgate_artifact_copy_failures_total", "Attempts to copy an artifact that failed.")),
  SPOOL_BYTES(
      gauge("tollgate_spool_bytes", "Disk space reserved by artifacts that are being copied.")),
  ARTIFACTS_DELETED(
      counter(
          "tollgate_artifacts_deleted_total",
          "Deleted artifacts of expired or removed jobs, and deleted input images of ended jobs."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of immutable values
  private final MetricDescriptor descriptor;

  JobFamily(MetricDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  @Override
  public MetricDescriptor descriptor() {
    return descriptor;
  }
}
