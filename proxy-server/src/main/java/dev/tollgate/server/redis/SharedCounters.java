package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.server.redis.ConnectionState.Down;
import dev.tollgate.server.redis.ConnectionState.Up;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Buckets and slots that all nodes share: a draw is one call of one script. For any thread; what
 * Redis does not answer in time is answered here.
 */
final class SharedCounters implements Counters {
  private final RedisCircuit circuit;
  private final HeldPermits permits;
  private final AcquireTimeouts timeouts;
  private final RedisObserver observer;

  SharedCounters(
      RedisCircuit circuit, HeldPermits permits, AcquireTimeouts timeouts, RedisObserver observer) {
    this.circuit = circuit;
    this.permits = permits;
    this.timeouts = timeouts;
    this.observer = observer;
  }

  @Override
  public void acquire(Acquire acquire, Executor loop, Consumer<AcquireResult> answer) {
    if (acquire.buckets().isEmpty() && acquire.slot() instanceof Slot.Unlimited) {
      answer.accept(new AcquireResult.AllAcquired(List.of()));
      return;
    }
    switch (circuit.connectionState()) {
      case Down down -> refuse(down.reason(), answer);
      case Up up when up.settling().get() && acquire.slot() instanceof Slot.Limited ->
          refuse("Redis was away, and other nodes have yet to say what runs there", answer);
      case Up up -> {
        var pending = new PendingAcquire(acquire, up, timeouts.nowNanos(), loop, answer, this);
        pending.send();
        if (!pending.isFinished()) {
          timeouts.watch(pending);
        }
      }
    }
  }

  private void refuse(String reason, Consumer<AcquireResult> answer) {
    observer.failed(RedisFailure.DOWN);
    answer.accept(new AcquireResult.Unavailable(reason));
  }

  @Override
  public void end(Acquire acquire, long tokensUsed) {
    var _ = endHeld(acquire, tokensUsed);
  }

  /** Ends it if it is counted here; else whoever else counts may. */
  boolean endHeld(Acquire acquire, long tokensUsed) {
    if (!permits.remove(acquire)) {
      return false;
    }
    circuit.releases().release(new PermitRelease.Used(acquire, tokensUsed));
    return true;
  }

  /** Gives back what a take may have taken, or may still take, under an epoch. */
  void undo(Acquire acquire, Up up) {
    circuit.releases().send(up, new PermitRelease.Undo(acquire, up.epoch()));
  }

  /** The same where the connection is gone. */
  void undoLater(Acquire acquire, Up up) {
    if (!ScriptCall.isProbe(acquire)) {
      circuit.releases().release(new PermitRelease.Undo(acquire, up.epoch()));
    }
  }

  void acquired(Acquire acquire, Up up) {
    if (ScriptCall.isProbe(acquire)) {
      return;
    }
    permits.add(acquire);
    if (!up.equals(circuit.connectionState())) {
      circuit.restate(acquire, up.epoch());
      // A call that was late for the end of its epoch has made that live again.
      circuit.dropEpochLater(up.link(), up.epoch());
    }
  }

  /** Counts a slot that was granted without Redis: from now on, or once it answers. */
  void countSlot(Acquire slot) {
    permits.add(slot);
    circuit.restate(slot, ScriptCall.NO_EPOCH);
  }

  /** Ends a slot that was counted so. While Redis is away it goes with what was its epoch. */
  void uncountSlot(Acquire slot) {
    if (permits.remove(slot) && circuit.connectionState() instanceof Up) {
      circuit.releases().release(new PermitRelease.Used(slot, 0));
    }
  }

  void answered(Up up, long askedNanos) {
    RedisCircuit.succeeded(up);
    observer.answered(timeouts.nowNanos() - askedNanos);
  }

  void failed(Up up, RedisFailure why, String reason) {
    circuit.failed(up, why, reason);
  }
}
