package dev.tollgate.server.wiring;

import dev.tollgate.core.exchange.JobDesk;
import dev.tollgate.core.fetch.PublicAddressResolver;
import dev.tollgate.core.fetch.UrlGuard;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.PostgresJobs;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.util.Optional;

/** Where clients submit videos and music, and ask for them. */
final class MediaDesk implements AutoCloseable {
  /** Beside all else, so that polls take no connection from those who charge. */
  private static final int CONNECTIONS = 4;

  /** What waits for a connection; each organization has a bound far below. */
  private static final int QUEUE_MAX = 1_000;

  private final BoundedOffload offload = new BoundedOffload("jobs-", CONNECTIONS, QUEUE_MAX);
  private final PostgresJobs jobs;
  private final JobDesk desk;

  private MediaDesk(Store store, Network network, Snapshots snapshots, Settings settings) {
    var media = settings.media();
    var remembered = settings.server().idempotency().retention();
    jobs = store.jobs(offload, CONNECTIONS, remembered, media.jobTtl());
    var resolver = new PublicAddressResolver(network.clientNames());
    var guard = new UrlGuard(resolver, () -> snapshots.fetches().urls());
    var open =
        media.mockProvider() ? JobDesk.Submissions.TAKEN : JobDesk.Submissions.NOT_IMPLEMENTED;
    desk = new JobDesk(jobs, guard, media.reservationFactor(), open);
  }

  static MediaDesk begin(
      Store store, Network network, Snapshots snapshots, Settings settings, Metrics metrics) {
    var desk = new MediaDesk(store, network, snapshots, settings);
    metrics.gauge(Family.JOBS_QUEUE, desk.offload::depth);
    metrics.counter(Family.JOBS_REFUSED, desk.offload::refused);
    metrics.counters(Family.JOB_SUBMISSIONS, desk.jobs::submissions);
    return desk;
  }

  Optional<JobDesk> port() {
    return Optional.of(desk);
  }

  @Override
  public void close() {
    offload.close();
  }
}
