package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.exchange.frame.HedgeOutcome;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When a stream's second provider is tried beside the first because its first token is late: at
 * most once for a request. Ended exactly once. Loop-confined.
 */
final class Hedge {
  private final EventExecutor loop;
  private final @Nullable Duration after;
  private @Nullable ScheduledFuture<?> timer;

  /** Which wait for a first token it is; who stopped waiting has another. */
  private int waitSerial;

  private @Nullable RacingAttempt first;
  private @Nullable RacingAttempt second;
  private HedgeOutcome outcome = HedgeOutcome.NO;

  Hedge(InferenceRequest request, RoutingRules rules, EventExecutor loop) {
    this.loop = loop;
    Duration requested = request.routing().hedgeAfter();
    Duration wait = requested == null ? rules.hedgeAfter() : requested;
    this.after = !request.mayBeHedged() || wait == null || wait.isZero() ? null : wait;
  }

  /** A try began before anything was delivered. */
  void await(Runnable late) {
    stop();
    if (after != null && outcome == HedgeOutcome.NO) {
      int serial = waitSerial;
      // Behind a first token that came meanwhile and waits to be read.
      Runnable due =
          () -> ClientPriorityIoHandler.executeQueued(() -> fireUnlessStopped(serial, late));
      timer = loop.schedule(due, after.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void fireUnlessStopped(int serial, Runnable late) {
    if (waitSerial == serial) {
      late.run();
    }
  }

  /** Nobody waits for a first token any more. */
  void stop() {
    waitSerial++;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  /** A second try began, and neither has served so far. */
  void begun(RacingAttempt beside, RacingAttempt begun) {
    first = beside;
    second = begun;
    outcome = HedgeOutcome.NEITHER;
  }

  /** This one serves. */
  void won(RacingAttempt racing) {
    if (racing == first) {
      outcome = HedgeOutcome.FIRST;
    } else if (racing == second) {
      outcome = HedgeOutcome.SECOND;
    }
  }

  HedgeOutcome outcome() {
    return outcome;
  }
}
