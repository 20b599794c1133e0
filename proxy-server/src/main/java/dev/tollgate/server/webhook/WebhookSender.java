package dev.tollgate.server.webhook;

import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.ClaimOptions;
import dev.tollgate.core.webhook.Outbox.ConcurrencyLimits;
import dev.tollgate.core.webhook.Outbox.Depth;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.core.webhook.Outbox.Unsignable;
import dev.tollgate.core.webhook.WebhookObserver;
import dev.tollgate.server.outage.StoreOutage;
import dev.tollgate.server.webhook.WebhookDelivery.Timing;
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
 * Sender of webhook events on this node: claims due events, on wake-up and otherwise twice a
 * second, and delivers each on a virtual thread. Limits per receiver, host and organization, lower
 * for slow receivers, keep dead receivers from delaying others.
 */
public final class WebhookSender implements AutoCloseable {
  /** Attempts in progress on one node. */
  public static final int IN_FLIGHT_MAX = 256;

  /** Attempts in progress at slow receivers on one node. */
  static final int SLOW_IN_FLIGHT_MAX = IN_FLIGHT_MAX / 2;

  /**
   * Attempts in progress on all nodes: of an organization to a host, to a host, and of an
   * organization.
   */
  static final ConcurrencyLimits SHARED_LIMITS = new ConcurrencyLimits(4, 16, 16);

  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final int POLLS_PER_COUNT = 20;

  /** Counting is more frequent: with an older count the store or the node is failing. */
  private static final Duration COUNT_STALE_AFTER = Duration.ofSeconds(30);

  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(2);

  private final Outbox outbox;
  private final WebhookDelivery delivery;
  private final Supplier<SenderRules> rules;
  private final ExecutorService workers;
  private final Ticker ticker;
  private final Semaphore permits = new Semaphore(IN_FLIGHT_MAX);
  private final Semaphore wakeup = new Semaphore(0);
  private final StoreOutage outage = new StoreOutage(LOG, "webhooks");
  private final Thread thread;
  private volatile boolean stopping;
  private volatile BacklogCount backlog;

  /** Backlog of undelivered events, with the time at which it was counted. */
  private record BacklogCount(Depth depth, Unsignable unsignable, long atNanos) {}

  WebhookSender(
      Outbox outbox,
      WebhookDelivery delivery,
      Supplier<SenderRules> rules,
      ExecutorService workers,
      Ticker ticker) {
    this.outbox = outbox;
    this.delivery = delivery;
    this.rules = rules;
    this.workers = workers;
    this.ticker = ticker;
    this.backlog =
        new BacklogCount(new Depth(0, Duration.ZERO), Unsignable.NONE, ticker.nanoTime());
    this.thread = Thread.ofPlatform().name("webhooks").daemon().unstarted(this::run);
  }

  /**
   * Creates the sender of a node.
   *
   * @param wall the time in signatures, which receivers check
   */
  public static WebhookSender of(
      Outbox outbox,
      JobPayloads jobs,
      WebhookTransport transport,
      WebhookObserver observer,
      Supplier<SenderRules> rules,
      InstantSource wall) {
    Ticker ticker = Ticker.systemTicker();
    var timing = new Timing(wall, ticker, new SecureRandom(), Thread::sleep);
    var delivery = new WebhookDelivery(outbox, jobs, transport, observer, timing);
    return new WebhookSender(
        outbox, delivery, rules, Executors.newVirtualThreadPerTaskExecutor(), ticker);
  }

  /** Starts polling. */
  public void start() {
    thread.start();
  }

  /** Wakes the sender because a job ended on this node. Safe on any thread. */
  public void wakeUp() {
    wakeup.release();
  }

  /** Returns the number of attempts that have not ended. */
  public int inFlight() {
    return IN_FLIGHT_MAX - permits.availablePermits();
  }

  /**
   * Returns the last counted backlog of all nodes. Its age is added to a stale count, as if the
   * events had been due ever since.
   */
  public Depth depth() {
    BacklogCount last = backlog;
    Duration age = Duration.ofNanos(ticker.nanoTime() - last.atNanos());
    Depth then = last.depth();
    return age.compareTo(COUNT_STALE_AFTER) < 0
        ? then
        : new Depth(then.pending(), then.oldest().plus(age));
  }

  /** Returns whether the store can be reached, as the sender knows. */
  public StoreOutage outage() {
    return outage;
  }

  /** Returns the last counted events whose secret cannot be opened on this node. */
  public Unsignable unsignable() {
    return backlog.unsignable();
  }

  /** Queries the store for the backlog. */
  void countBacklog() throws OutboxException {
    Unsignable unsignable = outbox.unsignable();
    if (unsignable.keyMissing() > 0 && unsignable().keyMissing() == 0) {
      LOG.warn(
          "{} webhooks wait to be signed by a node with the master key of their organization's"
              + " secret, which is not among this node's store.master_keys",
          unsignable.keyMissing());
    }
    backlog = new BacklogCount(outbox.depth(), unsignable, ticker.nanoTime());
  }

  private void run() {
    for (int pollCount = 0; !stopping; pollCount++) {
      long begunNanos = System.nanoTime();
      try {
        if (pollCount % POLLS_PER_COUNT == 0) {
          countBacklog();
        }
        poll();
        outage.succeeded(begunNanos);
      } catch (OutboxException | RuntimeException e) {
        outage.begin(String.valueOf(e.getMessage()));
      } catch (Error e) {
        LOG.error("webhooks delayed by a failure of this node", e);
      }
      awaitWakeup();
    }
  }

  /** Claims due events up to the free permits and starts to deliver them. */
  void poll() throws OutboxException {
    int free = permits.availablePermits(); // only this thread acquires permits
    if (free == 0) {
      return;
    }
    SenderRules now = rules.get();
    var options =
        new ClaimOptions(
            free, SLOW_IN_FLIGHT_MAX, SHARED_LIMITS, now.lease(), now.schedule().firstDelay());
    long claimedNanos = ticker.nanoTime();
    for (ClaimedEvent event : outbox.claim(options)) {
      permits.acquireUninterruptibly();
      begin(event, now, claimedNanos);
    }
  }

  private void begin(ClaimedEvent event, SenderRules now, long claimedNanos) {
    try {
      workers.execute(() -> deliver(event, now, claimedNanos));
    } catch (RuntimeException | Error e) {
      permits.release();
      throw e;
    }
  }

  private void deliver(ClaimedEvent event, SenderRules now, long claimedNanos) {
    try {
      delivery.run(event, now, claimedNanos);
    } catch (OutboxException e) {
      if (!outage.isCauseOf(e)) {
        LOG.warn("webhook {} of {} delayed: {}", event.id(), event.request(), e.getMessage());
      }
    } catch (RuntimeException | Error e) {
      LOG.error("webhook {} of {} failed unexpectedly", event.id(), event.request(), e);
    } finally {
      permits.release();
      wakeUp();
    }
  }

  private void awaitWakeup() {
    try {
      if (wakeup.tryAcquire(POLL_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
        wakeup.drainPermits();
      }
    } catch (InterruptedException e) {
      stopping = true; // only a shutdown interrupts this thread
    }
  }

  /** Stops claiming, waits briefly for attempts in progress, and releases the rest. */
  @Override
  public void close() {
    stopping = true;
    wakeUp();
    try {
      thread.join(SHUTDOWN_TIMEOUT);
      boolean isIdle =
          permits.tryAcquire(IN_FLIGHT_MAX, SHUTDOWN_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
      if (!isIdle) {
        workers.shutdownNow();
        var _ = permits.tryAcquire(IN_FLIGHT_MAX, SHUTDOWN_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    workers.shutdownNow();
  }
}
