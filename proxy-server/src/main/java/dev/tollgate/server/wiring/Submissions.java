package dev.tollgate.server.wiring;

import dev.tollgate.core.claim.Idempotency;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.ops.Family;
import dev.tollgate.server.ops.Metrics;
import dev.tollgate.server.postgres.PostgresIdempotency;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.ServerSettings;
import java.sql.SQLException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Submissions that carry a key, and the signs of life of those that run on this node. */
final class Submissions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Submissions.class);

  /** Two signs of life may be missed. */
  private static final int RENEWALS_PER_LEASE = 3;

  /** What waits for a connection; each organization has a bound far below. */
  private static final int QUEUE_MAX = 1_000;

  private final PostgresIdempotency remembered;
  private final BoundedOffload offload;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("submissions").daemon().factory());

  private Submissions(PostgresIdempotency remembered, BoundedOffload offload) {
    this.remembered = remembered;
    this.offload = offload;
  }

  static Submissions begin(Store store, ServerSettings.Idempotency settings, Metrics metrics) {
    var offload = new BoundedOffload("submission-", settings.connections(), QUEUE_MAX);
    var remembered = store.idempotency(offload, settings);
    var submissions = new Submissions(remembered, offload);
    metrics.gauge(Family.IDEMPOTENCY_QUEUE, offload::depth);
    metrics.counter(Family.IDEMPOTENCY_REFUSED, offload::refused);
    metrics.counters(Family.IDEMPOTENCY_CLAIMS, remembered::claims);
    metrics.gauge(Family.IDEMPOTENCY_RUNNING, remembered::running);
    metrics.counter(Family.IDEMPOTENCY_STORED_BYTES, remembered::storedBytes);
    metrics.counter(Family.IDEMPOTENCY_NOT_KEPT, remembered::notKept);
    metrics.counter(Family.IDEMPOTENCY_NOT_STORED, remembered::notStored);
    long between = settings.lease().toNanos() / RENEWALS_PER_LEASE;
    submissions.thread.scheduleWithFixedDelay(
        submissions::renew, between, between, TimeUnit.NANOSECONDS);
    return submissions;
  }

  Idempotency port() {
    return remembered;
  }

  private void renew() {
    try {
      remembered.renew();
    } catch (SQLException | RuntimeException e) {
      log.warn("the leases of submissions could not be renewed: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    offload.close();
  }
}
