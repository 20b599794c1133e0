package dev.tollgate.server.redis;

import dev.tollgate.server.redis.ConnectionState.Down;
import dev.tollgate.server.redis.ConnectionState.Up;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Tells Redis what ended: at once, or as soon as it answers again. Of what finds no room until then
 * the tokens flow in again within their minute. For any thread.
 */
final class ReleaseQueue {
  /** How many may wait until Redis can be told. */
  static final int WAITING_MAX = 8_192;

  /** So many are told at once when it answers again: requests find room between them. */
  private static final int BATCH = 256;

  private final RedisCircuit circuit;
  private final EventExecutor clock;
  private final HeldPermits permits;
  private final RedisObserver observer;
  private final Queue<PermitRelease> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  ReleaseQueue(
      RedisCircuit circuit, EventExecutor clock, HeldPermits permits, RedisObserver observer) {
    this.circuit = circuit;
    this.clock = clock;
    this.permits = permits;
    this.observer = observer;
  }

  void release(PermitRelease release) {
    switch (circuit.connectionState()) {
      case Up up -> send(up, release);
      case Down _ -> enqueue(release);
    }
  }

  /** Tells it on the connection on which its take was called, if that was in vain: behind it. */
  void send(Up up, PermitRelease release) {
    send(
        up,
        release,
        List.of(),
        reply -> {
          switch (reply) {
            case RedisReply.Done _, RedisReply.UnknownScript _ -> {}
            case RedisReply.Failed failed ->
                enqueue(
                    failed.why() == RedisFailure.DISCONNECTED ? release.asIdempotent() : release);
          }
        });
  }

  private void send(
      Up up, PermitRelease release, List<String> abandoned, Consumer<RedisReply> whenDone) {
    List<String> epochs =
        switch (release) {
          case PermitRelease.Used _ ->
              Stream.concat(Stream.of(up.epoch(), up.previousEpoch()), abandoned.stream()).toList();
          case PermitRelease.Undo undo -> List.of(undo.epoch());
        };
    Consumer<RedisReply> uncertain = circuit.uncertainUnlessDone(up);
    up.link().callOrEval(ScriptCall.end(release, epochs), uncertain.andThen(whenDone));
  }

  private void enqueue(PermitRelease release) {
    if (!waiting.offer(release)) {
      observer.failed(RedisFailure.END_DROPPED);
    }
    // It came back in between; what is uncertain gets another epoch soon, which begins with these.
    if (circuit.connectionState() instanceof Up up && !up.uncertain().get()) {
      clock.execute(() -> sendWaiting(up, List.of()));
    }
  }

  /**
   * Tells all that wait, each once: what fails here too is made up for by time.
   *
   * @param abandoned further epochs in which they may be counted
   */
  void sendWaiting(Up up, List<String> abandoned) {
    assert clock.inEventLoop();
    if (!up.equals(circuit.connectionState())) {
      return;
    }
    List<PermitRelease> batch = poll();
    var unanswered = new AtomicInteger(batch.size());
    for (PermitRelease release : batch) {
      send(
          up,
          release,
          abandoned,
          _ -> {
            if (unanswered.decrementAndGet() == 0) {
              clock.execute(() -> sendWaiting(up, abandoned));
            }
          });
    }
  }

  private List<PermitRelease> poll() {
    List<PermitRelease> batch = new ArrayList<>();
    while (batch.size() < BATCH) {
      PermitRelease next = waiting.poll();
      if (next == null) {
        break;
      }
      if (!permits.contains(
          next.acquire())) { // else it was asked in vain, and its node alone let it in
        batch.add(next);
      }
    }
    return batch;
  }
}
