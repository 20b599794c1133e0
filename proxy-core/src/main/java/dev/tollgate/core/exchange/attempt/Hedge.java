package dev.tollgate.core.exchange.attempt;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.exchange.frame.HedgeOutcome;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.upstream.loop.ClientPriorityIoHandler;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hedging of one streamed request: the timer that starts one second attempt if the first token is
 * late, and the race of the two. Ended exactly once. Loop-confined.
 */
final class Hedge {
  private final RequestLoop loop;
  private final @Nullable Duration after;
  private @Nullable ScheduledFuture<?> timer;

  /** Number of the current wait for a first token; a wait that was stopped has a lower one. */
  private int waitSerial;

  private @Nullable Attempt first;
  private @Nullable Attempt second;
  private boolean racing;
  private HedgeOutcome outcome = HedgeOutcome.NO;

  Hedge(InferenceRequest request, RoutingRules rules, RequestLoop loop) {
    this.loop = loop;
    Duration requested = request.routing().hedgeAfter();
    Duration wait = requested == null ? rules.hedgeAfter() : requested;
    this.after = !request.mayBeHedged() || wait == null || wait.isZero() ? null : wait;
  }

  /** Starts the timer for an attempt that begins before anything was delivered. */
  void await(Runnable late) {
    stop();
    if (after != null && outcome == HedgeOutcome.NO) {
      int serial = waitSerial;
      // Queued behind a first token that arrived meanwhile and waits to be read.
      Runnable due =
          () ->
              ClientPriorityIoHandler.executeQueued(
                  () -> loop.run(() -> fireUnlessStopped(serial, late)));
      timer = loop.eventLoop().schedule(due, after.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void fireUnlessStopped(int serial, Runnable late) {
    if (waitSerial == serial) {
      late.run();
    }
  }

  /** Stops the timer. */
  void stop() {
    waitSerial++;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  /** Starts the race of a late attempt and the one beside it. */
  void begin(Attempt late, Attempt beside) {
    first = late;
    second = beside;
    racing = true;
    outcome = HedgeOutcome.NEITHER;
  }

  /** True while both attempts run. */
  boolean isRacing() {
    return racing;
  }

  /** Returns the other attempt of a race; null if none runs. */
  @Nullable Attempt rivalOf(Attempt one) {
    return !racing ? null : one == second ? first : second;
  }

  boolean isFirst(Attempt one) {
    return one == first;
  }

  /** Ends the race because an attempt delivered. Returns the one that lost; null if none ran. */
  @Nullable Attempt won(Attempt winner) {
    stop();
    if (winner == first) {
      outcome = HedgeOutcome.FIRST;
    } else if (winner == second) {
      outcome = HedgeOutcome.SECOND;
    }
    Attempt rival = rivalOf(winner);
    racing = false;
    return rival;
  }

  /** Ends the race because an attempt failed or the request ends. */
  void endRace() {
    racing = false;
  }

  HedgeOutcome outcome() {
    return outcome;
  }
}
