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
 * Rate limit counters in Redis that all nodes share: an acquisition is one call of one script. Safe
 * on any thread; a call that Redis does not answer in time is answered with {@link
 * AcquireResult.Unavailable}.
 */
final class SharedCounters implements Counters {
  private final RedisCircuit circuit;
  private final ActivePermits permits;
  private final RedisObserver observer;

  SharedCounters(RedisCircuit circuit, ActivePermits permits, RedisObserver observer) {
    this.circuit = circuit;
    this.permits = permits;
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
      case Up up when acquire.slot() instanceof Slot.Limited && up.inRestateGrace() ->
          refuse("Redis was down, and other nodes have yet to restate their slots", answer);
      case Up up ->
          new PendingAcquire(acquire, up, up.link().nowNanos(), loop, answer, this).send();
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

  /** Ends an acquisition; true if Redis counts it. */
  boolean endHeld(Acquire acquire, long tokensUsed) {
    if (!permits.remove(acquire)) {
      return false;
    }
    circuit.releases().release(new PermitRelease.Used(acquire, tokensUsed));
    return true;
  }

  /** Undoes an acquisition that Redis may have executed, or may yet execute, under an epoch. */
  void undo(Acquire acquire, Up up) {
    circuit.releases().send(up, new PermitRelease.Undo(acquire, up.epoch()));
  }

  /** Undoes an acquisition whose connection is closed. */
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
      // A call that was executed after its epoch was dropped has created the epoch again.
      circuit.dropEpochLater(up.link(), up.epoch());
    }
  }

  /** Counts a slot in Redis that was granted locally, now or once Redis answers. */
  void countSlot(Acquire slot) {
    permits.add(slot);
    circuit.restate(slot, ScriptCall.NO_EPOCH);
  }

  /**
   * Releases a slot that was granted locally. While Redis is down, nothing is sent: the slot ends
   * with its epoch.
   */
  void uncountSlot(Acquire slot) {
    if (permits.remove(slot) && circuit.connectionState() instanceof Up) {
      circuit.releases().release(new PermitRelease.Used(slot, 0));
    }
  }

  void answered(Up up, long begunNanos) {
    RedisCircuit.succeeded(up);
    observer.answered(up.link().nowNanos() - begunNanos);
  }

  void failed(Up up, RedisReply.Failed failed) {
    circuit.failed(up, failed);
  }
}
