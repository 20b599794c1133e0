package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobStatus;
import dev.tollgate.server.postgres.jobs.PostgresJobs;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gauge of the unfinished jobs of all nodes by status, counted in the store at intervals, so that
 * no scrape waits for the store.
 */
public final class OpenJobs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenJobs.class);

  private static final Duration BETWEEN = Duration.ofSeconds(15);

  /** Bound of the count, which takes some tens of milliseconds in the store. */
  private static final int COUNTED_MAX = 100_000;

  private final PostgresJobs jobs;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name("open-jobs").daemon().factory());
  private volatile Map<String, Long> counted = Map.of();

  public OpenJobs(PostgresJobs jobs) {
    this.jobs = jobs;
  }

  public void start() {
    thread.scheduleWithFixedDelay(this::count, 0, BETWEEN.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Returns the last count; empty before the first one and when counting fails. */
  public Map<String, Long> byStatus() {
    return counted;
  }

  private void count() {
    Map<String, Long> now = new TreeMap<>();
    try {
      for (Map.Entry<JobStatus, Long> each : jobs.open(COUNTED_MAX).entrySet()) {
        now.put(each.getKey().wire(), each.getValue());
      }
    } catch (SQLException | RuntimeException e) {
      LOG.debug("unfinished jobs cannot be counted", e);
    }
    counted = now;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
