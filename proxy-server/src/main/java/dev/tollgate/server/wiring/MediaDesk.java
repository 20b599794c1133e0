package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.JobDesk;
import dev.tollgate.core.fetch.PublicAddressResolver;
import dev.tollgate.core.fetch.UrlGuard;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.PostgresJobs;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.Store.OwnThreads;
import dev.tollgate.server.settings.Settings;
import java.util.Optional;

/** Where clients submit videos and music, and ask for them. */
final class MediaDesk implements AutoCloseable {
  /** Beside all else, so that submissions take no connection from those who charge. */
  private static final int CONNECTIONS = 4;

  /** For those who only look: they do not wait behind submissions, which wait for locks. */
  private static final int LOOK_CONNECTIONS = 2;

  /** What waits for a connection; each organization has a bound far below. */
  private static final int QUEUE_MAX = 1_000;

  private final BoundedOffload changes = new BoundedOffload("jobs-", CONNECTIONS, QUEUE_MAX);
  private final BoundedOffload looks =
      new BoundedOffload("job-looks-", LOOK_CONNECTIONS, QUEUE_MAX);
  private final PostgresJobs jobs;
  private final OpenJobs open;
  private final JobDesk desk;

  private MediaDesk(
      Store store, Network network, Snapshots snapshots, Settings settings, Runnable due) {
    var media = settings.media();
    jobs =
        store.jobs(
            new OwnThreads(changes, CONNECTIONS),
            new OwnThreads(looks, LOOK_CONNECTIONS),
            settings.server().idempotency().retention(),
            media.jobTtl(),
            due);
    open = new OpenJobs(jobs);
    var resolver = new PublicAddressResolver(network.clientNames());
    var guard = new UrlGuard(resolver, () -> snapshots.fetches().urls());
    var submissions =
        media.mockProvider() ? JobDesk.Submissions.TAKEN : JobDesk.Submissions.NOT_IMPLEMENTED;
    desk = new JobDesk(jobs, guard, media.reservationFactor(), media.jobTtl(), submissions);
  }

  /**
   * Opens it.
   *
   * @param due something is to be done with a job; it must not block
   */
  static MediaDesk begin(
      Store store,
      Network network,
      Snapshots snapshots,
      Settings settings,
      Metrics metrics,
      Runnable due) {
    var desk = new MediaDesk(store, network, snapshots, settings, due);
    metrics.gauge(Family.JOBS_QUEUE, desk.changes::depth);
    metrics.gauge(Family.JOB_LOOKS_QUEUE, desk.looks::depth);
    metrics.counter(Family.JOBS_REFUSED, () -> desk.changes.refused() + desk.looks.refused());
    metrics.counters(Family.JOB_SUBMISSIONS, desk.jobs::submissions);
    metrics.gauges(Family.JOBS_OPEN, desk.open::byStatus);
    desk.open.start();
    return desk;
  }

  Optional<JobDesk> port() {
    return Optional.of(desk);
  }

  @Override
  public void close() {
    open.close();
    changes.close();
    looks.close();
  }
}
