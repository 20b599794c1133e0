package dev.tollgate.server.redis;

import dev.tollgate.server.redis.Standing.Down;
import dev.tollgate.server.redis.Standing.Up;
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
final class Ends {
  /** How many may wait until Redis can be told. */
  static final int WAITING_MAX = 8_192;

  /** So many are told at once when it answers again: requests find room between them. */
  private static final int AT_ONCE = 256;

  private final Circuit circuit;
  private final EventExecutor clock;
  private final Held held;
  private final Figures figures;
  private final Queue<DrawEnd> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  Ends(Circuit circuit, EventExecutor clock, Held held, Figures figures) {
    this.circuit = circuit;
    this.clock = clock;
    this.held = held;
    this.figures = figures;
  }

  void end(DrawEnd end) {
    switch (circuit.standing()) {
      case Up up -> tell(up, end);
      case Down _ -> tellLater(end);
    }
  }

  /** Tells it on the connection on which its take was called, if that was in vain: behind it. */
  void tell(Up up, DrawEnd end) {
    tell(
        up,
        end,
        List.of(),
        reply -> {
          switch (reply) {
            case Reply.Done _, Reply.UnknownScript _ -> {}
            case Reply.Failed failed ->
                tellLater(failed.why() == Failure.DISCONNECTED ? end.perhapsTold() : end);
          }
        });
  }

  private void tell(Up up, DrawEnd end, List<String> abandoned, Consumer<Reply> whenDone) {
    List<String> epochs =
        switch (end) {
          case DrawEnd.Used _ ->
              Stream.concat(Stream.of(up.epoch(), up.before()), abandoned.stream()).toList();
          case DrawEnd.InVain inVain -> List.of(inVain.epoch());
        };
    Consumer<Reply> uncertain = circuit.uncertainUnlessDone(up);
    up.link().callSurely(ScriptCall.end(end, epochs), uncertain.andThen(whenDone));
  }

  private void tellLater(DrawEnd end) {
    if (!waiting.offer(end)) {
      figures.failed(Failure.END_DROPPED);
    }
    // It came back in between; what is uncertain gets another epoch soon, which begins with these.
    if (circuit.standing() instanceof Up up && !up.uncertain().get()) {
      clock.execute(() -> tellWaiting(up, List.of()));
    }
  }

  /**
   * Tells all that wait, each once: what fails here too is made up for by time.
   *
   * @param abandoned further epochs in which they may be counted
   */
  void tellWaiting(Up up, List<String> abandoned) {
    assert clock.inEventLoop();
    if (!up.equals(circuit.standing())) {
      return;
    }
    List<DrawEnd> some = poll();
    var unanswered = new AtomicInteger(some.size());
    for (DrawEnd end : some) {
      tell(
          up,
          end,
          abandoned,
          _ -> {
            if (unanswered.decrementAndGet() == 0) {
              clock.execute(() -> tellWaiting(up, abandoned));
            }
          });
    }
  }

  private List<DrawEnd> poll() {
    List<DrawEnd> some = new ArrayList<>();
    while (some.size() < AT_ONCE) {
      DrawEnd next = waiting.poll();
      if (next == null) {
        break;
      }
      if (!held.contains(next.draw())) { // else it was asked in vain, and its node alone let it in
        some.add(next);
      }
    }
    return some;
  }
}
