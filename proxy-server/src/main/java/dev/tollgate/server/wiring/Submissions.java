package dev.tollgate.server.wiring;

import dev.tollgate.core.idempotency.IdempotencyStore;
import dev.tollgate.server.metrics.IdempotencyFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.ops.BoundedOffload;
import dev.tollgate.server.outage.StoreOutage;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.idempotency.PostgresIdempotency;
import dev.tollgate.server.settings.ServerSettings;
import java.sql.SQLException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wiring of the idempotency key store, with a timer that renews the claims held by this node. */
final class Submissions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Submissions.class);

  /** Number of renewals within a lease: two may fail before it expires. */
  private static final int RENEWALS_PER_LEASE = 3;

  /** Bound on all queued operations; the bound of each organization is far lower. */
  private static final int QUEUE_MAX = 1_000;

  private final StoreOutage outage = new StoreOutage(LOG, "renewals of submissions");
  private final PostgresIdempotency idempotency;
  private final BoundedOffload offload;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("submissions").daemon().factory());

  private Submissions(PostgresIdempotency idempotency, BoundedOffload offload) {
    this.idempotency = idempotency;
    this.offload = offload;
  }

  static Submissions begin(Store store, ServerSettings.Idempotency settings, Metrics metrics) {
    var offload = new BoundedOffload("submission-", settings.connections(), QUEUE_MAX);
    var idempotency = store.idempotency(offload, settings);
    var submissions = new Submissions(idempotency, offload);
    metrics.gauge(StoreFamily.STORE_FAILING, "submissions", submissions.outage::gauge);
    metrics.gauge(IdempotencyFamily.IDEMPOTENCY_QUEUE, offload::depth);
    metrics.counter(IdempotencyFamily.IDEMPOTENCY_REFUSED, offload::refused);
    metrics.counters(IdempotencyFamily.IDEMPOTENCY_CLAIMS, idempotency::claims);
    metrics.gauge(IdempotencyFamily.IDEMPOTENCY_RUNNING, idempotency::running);
    metrics.counter(IdempotencyFamily.IDEMPOTENCY_STORED_BYTES, idempotency::storedBytes);
    metrics.counter(IdempotencyFamily.IDEMPOTENCY_NOT_KEPT, idempotency::notKept);
    metrics.counter(IdempotencyFamily.IDEMPOTENCY_NOT_STORED, idempotency::notStored);
    long between = settings.lease().toNanos() / RENEWALS_PER_LEASE;
    submissions.thread.scheduleWithFixedDelay(
        submissions::renew, between, between, TimeUnit.NANOSECONDS);
    return submissions;
  }

  IdempotencyStore port() {
    return idempotency;
  }

  private void renew() {
    long begunNanos = System.nanoTime();
    try {
      idempotency.renew();
      outage.succeeded(begunNanos);
    } catch (SQLException | RuntimeException e) {
      outage.begin(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    offload.close();
  }
}
