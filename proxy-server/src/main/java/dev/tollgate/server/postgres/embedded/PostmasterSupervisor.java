package dev.tollgate.server.postgres.embedded;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Supervisor of the embedded PostgreSQL server: restarts a server that died while the gateway runs,
 * on the port where the gateway's connections expect it.
 */
final class PostmasterSupervisor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostmasterSupervisor.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

  private final Postmaster postmaster;
  private final int connectionsMax;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("postgres-watch").daemon().factory());
  private boolean failureLogged;

  PostmasterSupervisor(Postmaster postmaster, int connectionsMax) {
    this.postmaster = postmaster;
    this.connectionsMax = connectionsMax;
  }

  /** Starts to check whether a server runs. */
  void begin(int port) {
    thread.scheduleWithFixedDelay(
        () -> check(port), POLL_INTERVAL.toNanos(), POLL_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void check(int port) {
    try {
      if (postmaster.running().isEmpty()) {
        restart(port);
      }
    } catch (IOException | StoreException | RuntimeException e) {
      if (!failureLogged && !thread.isShutdown()) {
        failureLogged = true;
        LOG.error("the embedded PostgreSQL cannot be restarted, will retry: {}", e.getMessage());
      }
    }
  }

  private void restart(int port) throws IOException, StoreException {
    long began = System.nanoTime();
    if (!failureLogged) {
      LOG.warn("the embedded PostgreSQL has died and is restarted");
    }
    PostmasterPid started = postmaster.start(connectionsMax, port);
    if (started.port() != port) {
      postmaster.stop(Postmaster.StopMode.FAST);
      throw new StoreException("another process has taken its port " + port);
    }
    failureLogged = false;
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    LOG.info("the embedded PostgreSQL runs again after {} ms (pid {})", took, started.pid());
  }

  /** Stops checking; waits for a restart in progress, or cancels it. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(SHUTDOWN_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn("a start of the embedded PostgreSQL did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
