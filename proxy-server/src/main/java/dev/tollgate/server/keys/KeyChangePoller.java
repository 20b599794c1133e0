package dev.tollgate.server.keys;

import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyIds;
import dev.tollgate.server.postgres.session.SchemaFloor;
import dev.tollgate.server.postgres.tenants.KeyChanges;
import io.netty.util.concurrent.Ticker;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Poller of API key changes in the store, which invalidates changed keys in this node's cache. It
 * polls every second, and at once when a change is announced, so that a revocation takes effect on
 * every node within 5 seconds. Each poll also reads the schema floor, and adds the ids of new keys
 * to the cache's set; the first reads those of all keys. It uses a thread of its own, so that a
 * slow database delays nothing else.
 */
public final class KeyChangePoller {
  private static final Logger LOG = LoggerFactory.getLogger(KeyChangePoller.class);
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
  private volatile boolean failing;
  private boolean idsDue;
  private boolean idsFull;

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

  /** Returns why this version may not use the store, as of the last poll; empty while it may. */
  public Optional<String> obstacle() {
    return floor.obstacle();
  }

  /**
   * Polls as soon as possible, because something changed. Safe on any thread; concurrent calls
   * share one poll.
   */
  public void pollSoon() {
    if (!pollRequested.getAndSet(true)) {
      try {
        thread.execute(
            () -> {
              pollRequested.set(false); // before the poll: later changes request another one
              poll();
            });
      } catch (RejectedExecutionException closed) {
        // the node is shutting down
      }
    }
  }

  // Must not throw: an exception would end the schedule.
  private void poll() {
    try {
      long began = ticker.nanoTime();
      apply(changes.poll(), began);
      readIdsIfDue();
      floor.read();
    } catch (RuntimeException e) {
      LOG.error("polling key changes failed", e);
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
        idsDue = true;
        succeeded(began);
      }
      case KeyChanges.PollResult.Failed failed -> {
        cache.pollFailed(ticker.nanoTime());
        if (!failing) {
          failing = true;
          LOG.warn("{}; cached keys stay valid for a minute", failed.reason());
        }
      }
    }
  }

  /** Reads the ids of all keys; a failure is repaired by a later poll. */
  private void readIdsIfDue() {
    if (idsDue && !failing) {
      try {
        int count = changes.readIds(cache::exists);
        cache.allExist();
        idsDue = false;
        LOG.debug("read the ids of {} keys", count);
      } catch (SQLException e) {
        LOG.warn("the ids of all keys could not be read: {}", e.getMessage());
      }
    }
    if (!idsFull && cache.ids() == KeyIds.IDS_MAX) {
      idsFull = true;
      LOG.warn("{} key ids are known: first look-ups of further keys are rationed", KeyIds.IDS_MAX);
    }
  }

  private void succeeded(long began) {
    cache.pollSucceeded(began);
    if (failing) {
      failing = false;
      LOG.info("polling of key changes succeeds again");
    }
  }

  /** True while polls fail. */
  public boolean isFailing() {
    return failing;
  }

  public void close() throws InterruptedException {
    thread.shutdownNow();
    thread.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS);
  }
}
