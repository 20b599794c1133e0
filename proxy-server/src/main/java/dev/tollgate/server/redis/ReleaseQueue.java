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
 * Queue of permit releases to Redis: sends each to Redis at once, or as soon as Redis answers
 * again. If the queue is full, a release is dropped, and its tokens refill within their minute.
 * Safe on any thread.
 */
final class ReleaseQueue {
  /** Bound of releases that wait for Redis to answer again. */
  static final int WAITING_MAX = 8_192;

  /**
   * Releases in flight at once when Redis answers again, so that requests are served between them.
   */
  private static final int BATCH = 256;

  private final RedisCircuit circuit;
  private final EventExecutor clock;
  private final ActivePermits permits;
  private final RedisObserver observer;
  private final Queue<PermitRelease> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  ReleaseQueue(
      RedisCircuit circuit, EventExecutor clock, ActivePermits permits, RedisObserver observer) {
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

  /**
   * Sends a release on the given connection, which for an undo is the one of its acquisition, so
   * that it is executed after that.
   */
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
    // Redis may have answered again meanwhile. If the state is uncertain, a new epoch begins soon
    // and sends these first.
    if (circuit.connectionState() instanceof Up up && !up.uncertain().get()) {
      clock.execute(() -> sendWaiting(up, List.of()));
    }
  }

  /**
   * Sends all waiting releases, each once; one that fails again is lost, and its tokens refill with
   * time.
   *
   * @param abandoned further epochs in which the acquisitions may be counted
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
          next.acquire())) { // else the acquisition timed out, and was counted locally
        batch.add(next);
      }
    }
    return batch;
  }
}
