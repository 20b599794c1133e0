package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.endpoint.InferenceRequest;
import dev.tollgate.core.upstream.ClientsFirst;
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
  private int waits;

  private @Nullable Contender first;
  private @Nullable Contender second;
  private Hedged outcome = Hedged.NO;

  Hedge(InferenceRequest request, RoutingRules rules, EventExecutor loop) {
    this.loop = loop;
    Duration wished = request.routing().hedgeAfter();
    Duration wait = wished == null ? rules.hedgeAfter() : wished;
    this.after = !request.mayBeHedged() || wait == null || wait.isZero() ? null : wait;
  }

  /** A try began before anything was delivered. */
  void await(Runnable late) {
    stop();
    if (after != null && outcome == Hedged.NO) {
      int its = waits;
      // Behind a first token that came meanwhile and waits to be read.
      Runnable due = () -> ClientsFirst.inLine(() -> lateUnlessStopped(its, late));
      timer = loop.schedule(due, after.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void lateUnlessStopped(int its, Runnable late) {
    if (waits == its) {
      late.run();
    }
  }

  /** Nobody waits for a first token any more. */
  void stop() {
    waits++;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  /** A second try began, and neither has served so far. */
  void begun(Contender beside, Contender begun) {
    first = beside;
    second = begun;
    outcome = Hedged.NEITHER;
  }

  /** This one serves. */
  void won(Contender contender) {
    if (contender == first) {
      outcome = Hedged.FIRST;
    } else if (contender == second) {
      outcome = Hedged.SECOND;
    }
  }

  Hedged outcome() {
    return outcome;
  }
}
