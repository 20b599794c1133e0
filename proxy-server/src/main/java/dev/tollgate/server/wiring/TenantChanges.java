package dev.tollgate.server.wiring;

import dev.tollgate.server.settings.RedisSettings;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announcement of changes of keys and organizations that this node made: its own cache sees them at
 * once, other nodes at once if there is a Redis, and at their next poll otherwise.
 */
final class TenantChanges {
  private static final Logger LOG = LoggerFactory.getLogger(TenantChanges.class);

  private final Runnable pollSoon;
  private final RedisSettings redis;
  private final AtomicBoolean isWaiting = new AtomicBoolean();
  private final ReentrantLock publishing = new ReentrantLock();

  /**
   * @param pollSoon makes this node's cache read the changes
   */
  TenantChanges(Runnable pollSoon, RedisSettings redis) {
    this.pollSoon = pollSoon;
    this.redis = redis;
  }

  /** Announces what was committed before. Does not block; calls at the same time share one. */
  void announce() {
    pollSoon.run();
    if (redis.url() != null && !isWaiting.getAndSet(true)) {
      Thread.ofVirtual().name("tenant-changes").start(this::publish);
    }
  }

  private void publish() {
    publishing.lock();
    try (KeyChangeNotification notification = KeyChangeNotification.open(redis)) {
      isWaiting.set(false); // before the message: later changes need another one
      notification
          .publish()
          .ifPresent(why -> LOG.warn("other nodes see a change at their next poll: {}", why));
    } finally {
      publishing.unlock();
    }
  }
}
