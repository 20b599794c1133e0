package dev.tollgate.mock;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Request and connection counters of a mock provider, over all its event loops. A test can wait for
 * a count.
 */
final class MockCounters {
  private static final int DISCONNECTS_KEPT = 64;

  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong completed = new AtomicLong();
  private final AtomicLong inFlight = new AtomicLong();
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong disconnects = new AtomicLong();
  private final AtomicLong promptTokens = new AtomicLong();
  private final AtomicLong completionTokens = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Disconnect> lastDisconnects = new ArrayDeque<>();
  private final AtomicInteger waiting = new AtomicInteger();

  void connected() {
    accepted.incrementAndGet();
    connections.incrementAndGet();
    signalChange();
  }

  void closed() {
    connections.decrementAndGet();
    signalChange();
  }

  void started() {
    requests.incrementAndGet();
    inFlight.incrementAndGet();
    signalChange();
  }

  void completed(int prompt, int completion) {
    promptTokens.addAndGet(prompt);
    completionTokens.addAndGet(completion);
    completed.incrementAndGet();
    inFlight.decrementAndGet();
    signalChange();
  }

  void disconnected(Disconnect disconnect) {
    completionTokens.addAndGet(disconnect.tokens());
    lock.lock();
    try {
      if (lastDisconnects.size() == DISCONNECTS_KEPT) {
        lastDisconnects.removeFirst();
      }
      lastDisconnects.addLast(disconnect);
      disconnects.incrementAndGet();
      inFlight.decrementAndGet();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Resets the totals, but not the counts of open connections and running requests. */
  void reset() {
    lock.lock();
    try {
      List.of(requests, completed, accepted, disconnects, promptTokens, completionTokens)
          .forEach(count -> count.set(0));
      lastDisconnects.clear();
    } finally {
      lock.unlock();
    }
  }

  MockStats stats() {
    lock.lock();
    try {
      return new MockStats(
          requests.get(),
          completed.get(),
          inFlight.get(),
          connections.get(),
          accepted.get(),
          disconnects.get(),
          promptTokens.get(),
          completionTokens.get(),
          List.copyOf(lastDisconnects));
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the counts meet the condition. Returns them, or the counts at the deadline. */
  MockStats await(Predicate<MockStats> condition, Duration within) throws InterruptedException {
    long untilNanos = System.nanoTime() + within.toNanos();
    waiting.incrementAndGet();
    lock.lock();
    try {
      MockStats now = stats();
      while (!condition.test(now)) {
        if (!changed.await(untilNanos - System.nanoTime(), NANOSECONDS)) {
          return stats();
        }
        now = stats();
      }
      return now;
    } finally {
      lock.unlock();
      waiting.decrementAndGet();
    }
  }

  /** Wakes waiting threads; takes no lock if there are none. */
  private void signalChange() {
    if (waiting.get() == 0) {
      return;
    }
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
