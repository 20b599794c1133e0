package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.Due;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Depth;
import dev.tollgate.core.webhook.Outbox.Locked;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.core.webhook.Outbox.Places;
import dev.tollgate.core.webhook.Outbox.Wish;
import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.server.webhook.Delivery.Means;
import io.netty.util.concurrent.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for events that are due, at each ring and otherwise twice a second, and delivers each on a
 * virtual thread. Places are few for one receiver, for one host and for one organization, and fewer
 * for those who are slow, so that the dead ones hold nobody else up.
 */
public final class Sender implements AutoCloseable {
  /** Attempts under way on one node. */
  public static final int PLACES = 256;

  /** Those of them that slow receivers may have. */
  static final int SLOW_PLACES = PLACES / 2;

  /** Attempts under way: for an organization to a host, to a host, and for an organization. */
  static final Places SHARED = new Places(4, 16, 16);

  private static final Logger log = LoggerFactory.getLogger(Sender.class);
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final int LOOKS_PER_COUNT = 20;

  /** Counts are made more often: since one that is older, the store fails or the node does. */
  private static final Duration COUNT_LATE = Duration.ofSeconds(30);

  private static final Duration LAST_WAIT = Duration.ofSeconds(2);

  private final Outbox outbox;
  private final Delivery delivery;
  private final Supplier<SenderRules> rules;
  private final ExecutorService workers;
  private final Ticker ticker;
  private final Semaphore places = new Semaphore(PLACES);
  private final Semaphore bell = new Semaphore(0);
  private final Thread thread;
  private volatile boolean stopping;
  private volatile Counted counted;
  private boolean failing;

  /** What waited, and when that was so. */
  private record Counted(Depth depth, Locked locked, long atNanos) {}

  Sender(
      Outbox outbox,
      Delivery delivery,
      Supplier<SenderRules> rules,
      ExecutorService workers,
      Ticker ticker) {
    this.outbox = outbox;
    this.delivery = delivery;
    this.rules = rules;
    this.workers = workers;
    this.ticker = ticker;
    this.counted = new Counted(new Depth(0, Duration.ZERO), Locked.NONE, ticker.nanoTime());
    this.thread = Thread.ofPlatform().name("webhooks").daemon().unstarted(this::run);
  }

  /**
   * A sender of a node.
   *
   * @param wall the time that signatures name, which receivers check
   */
  public static Sender of(
      Outbox outbox,
      JobTexts jobs,
      Wire wire,
      WebhookObserver observer,
      Supplier<SenderRules> rules,
      InstantSource wall) {
    Ticker ticker = Ticker.systemTicker();
    var means = new Means(wall, ticker, new SecureRandom(), Thread::sleep);
    var delivery = new Delivery(outbox, jobs, wire, observer, means);
    return new Sender(outbox, delivery, rules, Executors.newVirtualThreadPerTaskExecutor(), ticker);
  }

  /** Begins to look. */
  public void start() {
    thread.start();
  }

  /** Something may be due: a job ended on this node. From any thread. */
  public void ring() {
    bell.release();
  }

  /** Attempts that have not ended. */
  public int inFlight() {
    return PLACES - places.availablePermits();
  }

  /**
   * What waited on all nodes when it was counted last. If that was long ago, nobody knows better
   * than that it has been due ever since.
   */
  public Depth depth() {
    Counted last = counted;
    Duration age = Duration.ofNanos(ticker.nanoTime() - last.atNanos());
    Depth then = last.depth();
    return age.compareTo(COUNT_LATE) < 0
        ? then
        : new Depth(then.pending(), then.oldest().plus(age));
  }

  /** What waited for a secret that cannot be opened here, when it was counted last. */
  public Locked locked() {
    return counted.locked();
  }

  /** Asks the store what waits. */
  void count() throws OutboxException {
    Locked locked = outbox.locked();
    if (locked.keyMissing() > 0 && locked().keyMissing() == 0) {
      log.warn(
          "{} webhooks wait to be signed by a node with the master key of their organization's"
              + " secret, which is not among this node's store.master_keys",
          locked.keyMissing());
    }
    counted = new Counted(outbox.depth(), locked, ticker.nanoTime());
  }

  private void run() {
    for (int look = 0; !stopping; look++) {
      try {
        if (look % LOOKS_PER_COUNT == 0) {
          count();
        }
        round();
        failing = false;
      } catch (OutboxException | RuntimeException e) {
        if (!failing) {
          log.warn("webhooks wait for the store: {}", e.getMessage());
        }
        failing = true;
      } catch (Error e) {
        log.error("webhooks wait after a failure of this node", e);
      }
      awaitRing();
    }
  }

  /** Takes what is due, as far as there are places, and begins to deliver it. */
  void round() throws OutboxException {
    int free = places.availablePermits(); // nobody else takes any
    if (free == 0) {
      return;
    }
    SenderRules now = rules.get();
    var wish = new Wish(free, SLOW_PLACES, SHARED, now.lease(), now.schedule().first());
    long claimedNanos = ticker.nanoTime();
    for (Due due : outbox.claim(wish)) {
      places.acquireUninterruptibly();
      begin(due, now, claimedNanos);
    }
  }

  private void begin(Due due, SenderRules now, long claimedNanos) {
    try {
      workers.execute(() -> deliver(due, now, claimedNanos));
    } catch (RuntimeException | Error e) {
      places.release();
      throw e;
    }
  }

  private void deliver(Due due, SenderRules now, long claimedNanos) {
    try {
      delivery.run(due, now, claimedNanos);
    } catch (RuntimeException | Error e) {
      log.error("webhook {} of {} failed unexpectedly", due.id(), due.request(), e);
    } finally {
      places.release();
      ring();
    }
  }

  private void awaitRing() {
    try {
      if (bell.tryAcquire(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
        bell.drainPermits();
      }
    } catch (InterruptedException e) {
      stopping = true; // nobody else interrupts it
    }
  }

  /** Takes nothing more, and waits a moment for what is under way; the rest is given back. */
  @Override
  public void close() {
    stopping = true;
    ring();
    try {
      thread.join(LAST_WAIT);
      boolean isIdle = places.tryAcquire(PLACES, LAST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
      if (!isIdle) {
        workers.shutdownNow();
        var _ = places.tryAcquire(PLACES, LAST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    workers.shutdownNow();
  }
}
