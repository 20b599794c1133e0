package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import io.netty.util.concurrent.MockTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Outbox in memory, with a clock that a test moves. */
public final class VirtualOutbox implements Outbox {
  private final MockTicker ticker;
  private final List<Waiting> waiting = new ArrayList<>();
  final List<Attempt> booked = new ArrayList<>();
  final List<ClaimedEvent> released = new ArrayList<>();
  private int failures;
  private boolean isExhausted;
  private boolean isOvertaken;
  private Unsignable locked = Unsignable.NONE;

  private static final class Waiting {
    final ClaimedEvent due;
    int attempts;
    int leases;
    long dueNanos;
    long leasedUntilNanos;

    Waiting(ClaimedEvent due, long nowNanos) {
      this.due = due;
      this.dueNanos = nowNanos;
      this.leasedUntilNanos = nowNanos;
    }
  }

  public VirtualOutbox(MockTicker ticker) {
    this.ticker = ticker;
  }

  public synchronized void add(ClaimedEvent due) {
    waiting.add(new Waiting(due, ticker.nanoTime()));
  }

  /** Returns all attempts recorded so far. */
  public synchronized List<Attempt> booked() {
    return List.copyOf(booked);
  }

  /** Makes the next calls fail. */
  synchronized void fail(int calls) {
    failures = calls;
  }

  /** Makes every later record arrive after the lease's end. */
  synchronized void overtake() {
    isOvertaken = true;
  }

  /** Makes the next claim run out of memory. */
  synchronized void exhaust() {
    isExhausted = true;
  }

  private void mayFail() throws OutboxException {
    if (failures > 0) {
      failures--;
      throw new OutboxException("the store is away", new IllegalStateException());
    }
  }

  @Override
  public synchronized List<ClaimedEvent> claim(ClaimOptions wish) throws OutboxException {
    mayFail();
    if (isExhausted) {
      isExhausted = false;
      throw new OutOfMemoryError("no room for rows");
    }
    long now = ticker.nanoTime();
    List<ClaimedEvent> claimed = new ArrayList<>();
    for (Waiting one : waiting) {
      boolean isFree = one.dueNanos <= now && one.leasedUntilNanos <= now;
      if (isFree
          && claimed.size() < wish.limit()
          && leasedOf(one, now) < wish.concurrency().receiver()) {
        one.leasedUntilNanos = now + wish.lease().toNanos();
        claimed.add(numbered(one.due, ++one.leases, one.attempts + 1));
      }
    }
    return claimed;
  }

  private long leasedOf(Waiting like, long now) {
    return waiting.stream()
        .filter(one -> one.leasedUntilNanos > now && one.due.url().equals(like.due.url()))
        .count();
  }

  private static ClaimedEvent numbered(ClaimedEvent due, int lease, int attempt) {
    return new ClaimedEvent(
        due.id(),
        due.org(),
        due.job(),
        due.event(),
        due.url(),
        due.request(),
        lease,
        attempt,
        due.age(),
        due.secrets());
  }

  @Override
  public synchronized RecordResult recordAttempt(Attempt attempt) throws OutboxException {
    mayFail();
    booked.add(attempt);
    Waiting its = find(attempt.claimed().id());
    if (its == null) {
      return RecordResult.SUPERSEDED;
    }
    its.leasedUntilNanos = ticker.nanoTime();
    its.attempts = attempt.claimed().attempt();
    if (attempt.next() instanceof NextStep.Retry(Duration pause)) {
      its.dueNanos = ticker.nanoTime() + pause.toNanos();
    } else {
      waiting.remove(its);
    }
    return isOvertaken ? RecordResult.SUPERSEDED : RecordResult.APPLIED;
  }

  @Override
  public synchronized void release(ClaimedEvent due, Duration pause) throws OutboxException {
    mayFail();
    released.add(due);
    Waiting its = find(due.id());
    if (its != null) {
      its.leasedUntilNanos = ticker.nanoTime() + pause.toNanos();
    }
  }

  private @Nullable Waiting find(UUID event) {
    return waiting.stream().filter(one -> one.due.id().equals(event)).findAny().orElse(null);
  }

  @Override
  public synchronized Depth depth() {
    return new Depth(waiting.size(), Duration.ZERO);
  }

  @Override
  public synchronized Unsignable unsignable() {
    return locked;
  }

  /** Reports events that cannot be signed. */
  synchronized void lock(Unsignable locked) {
    this.locked = locked;
  }

  /** Lets time pass until an event is due; false if none waits. */
  synchronized boolean passToNext() {
    long now = ticker.nanoTime();
    long next =
        waiting.stream()
            .mapToLong(one -> Math.max(one.dueNanos, one.leasedUntilNanos))
            .min()
            .orElse(-1);
    if (next > now) {
      ticker.advance(next - now, TimeUnit.NANOSECONDS);
    }
    return next >= 0;
  }
}
