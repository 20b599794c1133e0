package dev.tollgate.server.keys;

import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.server.postgres.session.SchemaFloor;
import dev.tollgate.server.postgres.tenants.KeyChanges;
import io.netty.util.concurrent.Ticker;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the key cache every second what changed in the store, and at once where it is said that
 * something did, so that a revocation holds on every node within 5 seconds. With each poll it also
 * looks whether the store still takes this version. One thread of its own: a slow database delays
 * nothing else.
 */
public final class KeyChangePoller {
  private static final Logger log = LoggerFactory.getLogger(KeyChangePoller.class);
  private static final long INTERVAL_SECONDS = 1;
  private static final long END_SECONDS_MAX = 5;

  private final KeyChanges changes;
  private final SchemaFloor floor;
  private final KeyCache cache;
  private final Ticker ticker;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("key-changes").daemon().factory());
  private final AtomicBoolean pollRequested = new AtomicBoolean();
  private boolean failing;

  public KeyChangePoller(KeyChanges changes, SchemaFloor floor, KeyCache cache, Ticker ticker) {
    this.changes = changes;
    this.floor = floor;
    this.cache = cache;
    this.ticker = ticker;
  }

  /** Polls once now, so that the cache may answer at once, then every second. */
  public void start() {
    poll();
    var _ =
        thread.scheduleWithFixedDelay(
            this::poll, INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Why the store does not take this version any more, as of the last poll; empty while it does.
   */
  public Optional<String> obstacle() {
    return floor.obstacle();
  }

  /** Polls as soon as may be: something changed. For any thread; many at once are one poll. */
  public void pollSoon() {
    if (!pollRequested.getAndSet(true)) {
      try {
        thread.execute(
            () -> {
              pollRequested.set(
                  false); // before it looks: what changes from here on is asked for anew
              poll();
            });
      } catch (RejectedExecutionException closed) {
        // the node ends
      }
    }
  }

  // A schedule ends with the first exception that leaves it: none may.
  private void poll() {
    try {
      long began = ticker.nanoTime();
      apply(changes.poll(), began);
      floor.read();
    } catch (RuntimeException e) {
      log.error("polling key changes failed", e);
      cache.pollFailed(ticker.nanoTime());
    }
  }

  private void apply(KeyChanges.PollResult poll, long began) {
    switch (poll) {
      case KeyChanges.PollResult.Changed changed -> {
        cache.changed(changed.keys());
        cache.changedOrgs(changed.orgs());
        succeeded(began);
      }
      case KeyChanges.PollResult.EverythingChanged _ -> {
        cache.changedAll();
        succeeded(began);
      }
      case KeyChanges.PollResult.Failed failed -> {
        cache.pollFailed(ticker.nanoTime());
        if (!failing) {
          failing = true;
          log.warn("{}; known keys go on for a minute", failed.reason());
        }
      }
    }
  }

  private void succeeded(long began) {
    cache.pollSucceeded(began);
    if (failing) {
      failing = false;
      log.info("key changes are heard of again");
    }
  }

  public void close() throws InterruptedException {
    thread.shutdownNow();
    thread.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS);
  }
}
