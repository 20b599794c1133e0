package dev.tollgate.server.postgres;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a server again that died while its gateway lives: killed for want of memory, or by a
 * person. It comes back on the port where the gateway's connections look for it.
 */
final class PostmasterWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PostmasterWatch.class);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration END = Duration.ofSeconds(10);

  private final Postmaster postmaster;
  private final int connectionsMax;
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().name("postgres-watch").daemon().factory());
  private boolean toldFailure;

  PostmasterWatch(Postmaster postmaster, int connectionsMax) {
    this.postmaster = postmaster;
    this.connectionsMax = connectionsMax;
  }

  /** Looks from now on, whether a server runs. */
  void begin(int port) {
    thread.scheduleWithFixedDelay(
        () -> look(port), LOOK.toNanos(), LOOK.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void look(int port) {
    try {
      if (postmaster.running().isEmpty()) {
        startAgain(port);
      }
    } catch (IOException | StoreException | RuntimeException e) {
      if (!toldFailure && !thread.isShutdown()) {
        toldFailure = true;
        log.error("the embedded PostgreSQL cannot be started again, trying on: {}", e.getMessage());
      }
    }
  }

  private void startAgain(int port) throws IOException, StoreException {
    long began = System.nanoTime();
    if (!toldFailure) {
      log.warn("the embedded PostgreSQL has died and is started again");
    }
    PostmasterPid started = postmaster.start(connectionsMax, port);
    if (started.port() != port) {
      postmaster.stop(Postmaster.StopMode.FAST);
      throw new StoreException("another process has taken its port " + port);
    }
    toldFailure = false;
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    log.info("the embedded PostgreSQL runs again after {} ms (pid {})", took, started.pid());
  }

  /** Looks no more; a start that is under way is given up or over. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(END.toNanos(), TimeUnit.NANOSECONDS)) {
        log.warn("a start of the embedded PostgreSQL did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
