package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.frame.JobService;
import dev.tollgate.server.jobs.OpenJobs;
import dev.tollgate.server.metrics.JobFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.Store.DedicatedThreads;
import dev.tollgate.server.postgres.jobs.PostgresJobs;
import dev.tollgate.server.settings.Settings;
import java.util.Optional;

/** Wiring of the API's job service, which submits and queries video and music jobs in the store. */
final class JobModule implements AutoCloseable {
  /** Database connections apart from all others, so that submissions do not delay settlements. */
  private static final int CONNECTIONS = 4;

  /**
   * Database connections of queries, which thus do not wait behind submissions, which wait for
   * locks.
   */
  private static final int QUERY_CONNECTIONS = 2;

  /** Bound on all queued operations; the bound of each organization is far lower. */
  private static final int QUEUE_MAX = 1_000;

  private final BoundedOffload changes = new BoundedOffload("jobs-", CONNECTIONS, QUEUE_MAX);
  private final BoundedOffload queries =
      new BoundedOffload("job-queries-", QUERY_CONNECTIONS, QUEUE_MAX);
  private final PostgresJobs jobs;
  private final OpenJobs open;
  private final JobService service;

  private JobModule(Store store, Settings settings, Runnable onJobDue) {
    var media = settings.media();
    jobs =
        store.jobs(
            new DedicatedThreads(changes, CONNECTIONS),
            new DedicatedThreads(queries, QUERY_CONNECTIONS),
            settings.server().idempotency().retention(),
            media.jobTtl(),
            onJobDue);
    open = new OpenJobs(jobs);
    var submissions =
        media.mockProvider()
            ? JobService.Submissions.ACCEPTED
            : JobService.Submissions.NOT_IMPLEMENTED;
    service = new JobService(jobs, media.reservationFactor(), media.jobTtl(), submissions);
  }

  /**
   * Opens the job service and its database connections.
   *
   * @param onJobDue called when a job is due; must not block
   */
  static JobModule begin(Store store, Settings settings, Metrics metrics, Runnable onJobDue) {
    var jobModule = new JobModule(store, settings, onJobDue);
    metrics.gauge(JobFamily.JOBS_QUEUE, jobModule.changes::depth);
    metrics.gauge(JobFamily.JOB_QUERIES_QUEUE, jobModule.queries::depth);
    metrics.counter(
        JobFamily.JOBS_REFUSED, () -> jobModule.changes.refused() + jobModule.queries.refused());
    metrics.counters(JobFamily.JOB_SUBMISSIONS, jobModule.jobs::submissions);
    metrics.gauges(JobFamily.JOBS_OPEN, jobModule.open::byStatus);
    jobModule.open.start();
    return jobModule;
  }

  Optional<JobService> service() {
    return Optional.of(service);
  }

  @Override
  public void close() {
    open.close();
    changes.close();
    queries.close();
  }
}
