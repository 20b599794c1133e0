package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.server.redis.Standing.Up;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * One draw on its way through Redis. It is answered once: by Redis, or when its time is over. In
 * the latter case nobody knows what Redis did or will do, so that what it may have taken is given
 * back on the same connection, behind it, or on the next one.
 */
final class Taking {
  private final Draw draw;
  private final Up up;
  private final long askedNanos;
  private final Executor loop;
  private final Consumer<Drawn> answer;
  private final SharedCounters counters;
  private boolean over;

  Taking(
      Draw draw,
      Up up,
      long askedNanos,
      Executor loop,
      Consumer<Drawn> answer,
      SharedCounters counters) {
    this.draw = draw;
    this.up = up;
    this.askedNanos = askedNanos;
    this.loop = loop;
    this.answer = answer;
    this.counters = counters;
  }

  long askedNanos() {
    return askedNanos;
  }

  synchronized boolean isOver() {
    return over;
  }

  void send() {
    up.link().call(ScriptCall.take(draw, up.epoch()), this::answered);
  }

  /** Its time is over. */
  synchronized void expire() {
    if (!over) {
      // Under the lock: in between, the call would be sent again behind its own undoing.
      counters.giveBack(draw, up);
      unavailable(Failure.TIMEOUT, "Redis does not answer in time");
    }
  }

  private synchronized void answered(Reply reply) {
    if (over) {
      return;
    }
    switch (reply) {
      case Reply.Done done -> drawn(ScriptCall.drawn(done.values()));
      case Reply.UnknownScript _ ->
          up.link().callInFull(ScriptCall.take(draw, up.epoch()), this::answered);
      case Reply.Failed failed -> {
        unavailable(failed.why(), failed.reason());
        if (failed.why() == Failure.DISCONNECTED) { // perhaps after Redis did it
          counters.giveBackLater(draw, up);
        }
      }
    }
  }

  private void drawn(Drawn drawn) {
    over = true;
    counters.answered(up, askedNanos);
    if (drawn instanceof Drawn.Taken) {
      counters.took(draw, up);
    }
    tell(drawn);
  }

  private void unavailable(Failure why, String reason) {
    over = true;
    counters.failed(up, why, reason);
    tell(new Drawn.Unavailable(reason));
  }

  private void tell(Drawn drawn) {
    try {
      loop.execute(() -> answer.accept(drawn));
    } catch (RejectedExecutionException e) {
      counters.end(draw, 0); // the loop is gone, and the request with it
    }
  }
}
