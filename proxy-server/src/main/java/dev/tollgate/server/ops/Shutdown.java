package dev.tollgate.server.ops;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State machine that drains the node before the process ends (docs/decisions/operations.md#drain).
 * The node is not ready at once; the listener closes after load balancers had time to notice;
 * running requests finish; those left at the timeout are ended in order. A second request to drain
 * ends them at once.
 */
public final class Shutdown {
  private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
  private static final Duration CUT_TIMEOUT = Duration.ofSeconds(5);

  /** Port to the listener and requests that are drained. Calls must not block. */
  public interface Traffic {
    /** Adds {@code Connection: close} to every reply from now on. Thread safe. */
    void announceClose();

    /**
     * Stops accepting connections. This method and the following are called on the clock's thread.
     */
    void closeListener();

    /** Completes when no request is running; called after the listener closed. */
    CompletionStage<?> idle();

    /** Ends every running request with an error, in the stream if it is open. */
    void cutShort();

    /** Returns the number of running requests. */
    int running();
  }

  private enum Step {
    SERVING,
    ANNOUNCED,
    WAITING,
    CUTTING,
    DONE
  }

  private final EventExecutor clock;
  private final Health health;
  private final Traffic traffic;
  private final Duration delay;
  private final Duration timeout;
  private final AtomicBoolean announced = new AtomicBoolean();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private Step step = Step.SERVING;

  /**
   * @param clock the only thread on which the steps run
   * @param delay from unready to the closing of the listener
   * @param timeout from there to the end of the remaining requests
   */
  public Shutdown(
      EventExecutor clock, Health health, Traffic traffic, Duration delay, Duration timeout) {
    this.clock = clock;
    this.health = health;
    this.traffic = traffic;
    this.delay = delay;
    this.timeout = timeout;
  }

  /**
   * Begins to drain, or ends the remaining requests if a drain has begun. Any thread; the node is
   * unready at once.
   */
  public CompletionStage<Void> begin() {
    becomeUnready();
    clock.execute(this::beginOrCutShort);
    return drained;
  }

  /** Begins to drain, and leaves a drain that has begun as it is. Any thread. */
  public void beginUnlessBegun() {
    becomeUnready();
    clock.execute(
        () -> {
          if (step == Step.SERVING) {
            announce();
          }
        });
  }

  /** Completes when no request runs any more. */
  public CompletionStage<Void> drained() {
    return drained;
  }

  /** Replies close their connections before the node is seen as unready. */
  private void becomeUnready() {
    if (announced.compareAndSet(false, true)) {
      traffic.announceClose();
    }
    health.transitionTo(Health.State.DRAINING);
  }

  private void beginOrCutShort() {
    switch (step) {
      case SERVING -> announce();
      case ANNOUNCED, WAITING -> cutShort("second request to drain");
      case CUTTING, DONE -> {}
    }
  }

  private void announce() {
    step = Step.ANNOUNCED;
    LOG.info("draining: listener closes in {} s, {} running", delay.toSeconds(), traffic.running());
    schedule(delay, Step.ANNOUNCED, this::closeListener);
  }

  private void closeListener() {
    step = Step.WAITING;
    traffic.closeListener();
    var _ = traffic.idle().thenRunAsync(this::finish, clock);
    schedule(timeout, Step.WAITING, () -> cutShort("timeout"));
  }

  private void cutShort(String why) {
    if (step == Step.ANNOUNCED) {
      closeListener();
    }
    step = Step.CUTTING;
    LOG.warn("draining: {}, ending {} requests", why, traffic.running());
    traffic.cutShort();
    schedule(CUT_TIMEOUT, Step.CUTTING, this::finish);
  }

  private void finish() {
    if (step != Step.DONE) {
      step = Step.DONE;
      LOG.info("drained, {} left running", traffic.running());
      drained.complete(null);
    }
  }

  /** Runs {@code next} after {@code wait}, unless the drain has moved on by then. */
  private void schedule(Duration wait, Step expected, Runnable next) {
    var _ =
        clock.schedule(
            () -> {
              if (step == expected) {
                next.run();
              }
            },
            wait.toMillis(),
            TimeUnit.MILLISECONDS);
  }
}
