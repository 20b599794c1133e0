package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.server.redis.Standing.Down;
import dev.tollgate.server.redis.Standing.Up;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Buckets and slots that all nodes share: a draw is one call of one script. For any thread; what
 * Redis does not answer in time is answered here.
 */
final class SharedCounters implements Counters {
  private final Circuit circuit;
  private final Held held;
  private final Deadlines deadlines;
  private final Figures figures;

  SharedCounters(Circuit circuit, Held held, Deadlines deadlines, Figures figures) {
    this.circuit = circuit;
    this.held = held;
    this.deadlines = deadlines;
    this.figures = figures;
  }

  @Override
  public void take(Draw draw, Executor loop, Consumer<Drawn> answer) {
    if (draw.buckets().isEmpty() && draw.slot() instanceof Slot.Unlimited) {
      answer.accept(new Drawn.Taken(List.of()));
      return;
    }
    switch (circuit.standing()) {
      case Down down -> refuse(down.reason(), answer);
      case Up up when up.settling().get() && draw.slot() instanceof Slot.OneOf ->
          refuse("Redis was away, and other nodes have yet to say what runs there", answer);
      case Up up -> {
        var taking = new Taking(draw, up, deadlines.nowNanos(), loop, answer, this);
        taking.send();
        if (!taking.isOver()) {
          deadlines.watch(taking);
        }
      }
    }
  }

  private void refuse(String reason, Consumer<Drawn> answer) {
    figures.failed(Failure.DOWN);
    answer.accept(new Drawn.Unavailable(reason));
  }

  @Override
  public void end(Draw draw, long tokensUsed) {
    var _ = endHeld(draw, tokensUsed);
  }

  /** Ends it if it is counted here; else whoever else counts may. */
  boolean endHeld(Draw draw, long tokensUsed) {
    if (!held.remove(draw)) {
      return false;
    }
    circuit.ends().end(new DrawEnd.Used(draw, tokensUsed));
    return true;
  }

  /** Gives back what a take may have taken, or may still take, under an epoch. */
  void giveBack(Draw draw, Up up) {
    circuit.ends().tell(up, new DrawEnd.InVain(draw, up.epoch()));
  }

  /** The same where the connection is gone. */
  void giveBackLater(Draw draw, Up up) {
    if (!ScriptCall.isLook(draw)) {
      circuit.ends().end(new DrawEnd.InVain(draw, up.epoch()));
    }
  }

  void took(Draw draw, Up up) {
    if (ScriptCall.isLook(draw)) {
      return;
    }
    held.add(draw);
    if (!up.equals(circuit.standing())) {
      circuit.restate(draw, up.epoch());
      // A call that was late for the end of its epoch has made that live again.
      circuit.forgetLater(up.link(), up.epoch());
    }
  }

  /** Counts a slot that was granted without Redis: from now on, or once it answers. */
  void count(Draw slot) {
    held.add(slot);
    circuit.restate(slot, ScriptCall.NO_EPOCH);
  }

  /** Ends a slot that was counted so. While Redis is away it goes with what was its epoch. */
  void uncount(Draw slot) {
    if (held.remove(slot) && circuit.standing() instanceof Up) {
      circuit.ends().end(new DrawEnd.Used(slot, 0));
    }
  }

  void answered(Up up, long askedNanos) {
    Circuit.succeeded(up);
    figures.answered(deadlines.nowNanos() - askedNanos);
  }

  void failed(Up up, Failure why, String reason) {
    circuit.failed(up, why, reason);
  }
}
