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
 * The drain (docs/decisions/operations.md#drain): not ready at once, the listener closes when load
 * balancers had time to notice, running requests finish, and what is left when the time is up is
 * cut short in order. Who asks again cuts short at once.
 */
public final class Shutdown {
  private static final Logger log = LoggerFactory.getLogger(Shutdown.class);
  private static final Duration CUT_TIMEOUT = Duration.ofSeconds(5);

  /** The traffic that is drained. Must not block. */
  public interface Traffic {
    /** From now on every reply says {@code Connection: close}. For any thread. */
    void announceClose();

    /** Accepts no more connections. This and the others are called on the clock's thread. */
    void closeListener();

    /** Completes when no request is running; asked after the listener closed. */
    CompletionStage<?> idle();

    /** Ends every running request with an error, in-stream where its stream is open. */
    void cutShort();

    /** Requests that run now. */
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
   * @param clock the one thread on which the steps run
   * @param delay from not ready to the listener's end
   * @param timeout from there to cutting short
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
   * Begins to drain, or hurries a drain that has begun. Any thread; the node is unready at once.
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

  /** Completes when nothing runs any more. */
  public CompletionStage<Void> drained() {
    return drained;
  }

  /** Whoever reads that it is unready finds replies that end their connections. */
  private void becomeUnready() {
    if (announced.compareAndSet(false, true)) {
      traffic.announceClose();
    }
    health.transitionTo(Health.State.DRAINING);
  }

  private void beginOrCutShort() {
    switch (step) {
      case SERVING -> announce();
      case ANNOUNCED, WAITING -> cutShort("asked again");
      case CUTTING, DONE -> {}
    }
  }

  private void announce() {
    step = Step.ANNOUNCED;
    log.info("draining: listener closes in {} s, {} running", delay.toSeconds(), traffic.running());
    schedule(delay, Step.ANNOUNCED, this::closeListener);
  }

  private void closeListener() {
    step = Step.WAITING;
    traffic.closeListener();
    var _ = traffic.idle().thenRunAsync(this::finish, clock);
    schedule(timeout, Step.WAITING, () -> cutShort("out of time"));
  }

  private void cutShort(String why) {
    if (step == Step.ANNOUNCED) {
      closeListener();
    }
    step = Step.CUTTING;
    log.warn("draining: {}, cutting {} short", why, traffic.running());
    traffic.cutShort();
    schedule(CUT_TIMEOUT, Step.CUTTING, this::finish);
  }

  private void finish() {
    if (step != Step.DONE) {
      step = Step.DONE;
      log.info("drained, {} left running", traffic.running());
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
