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
  private final Figures figures;
  private final Queue<Ending> waiting = new LinkedBlockingQueue<>(WAITING_MAX);

  Ends(Circuit circuit, EventExecutor clock, Figures figures) {
    this.circuit = circuit;
    this.clock = clock;
    this.figures = figures;
  }

  void end(Ending ending) {
    switch (circuit.standing()) {
      case Up up -> tell(up, ending, epochs(up));
      case Down _ -> tellLater(ending);
    }
  }

  /** Tells it under the epochs in which the draw may be counted. */
  void tell(Up up, Ending ending, List<String> epochs) {
    Consumer<Reply> uncertain = circuit.uncertainUnlessDone(up);
    up.link()
        .callSurely(
            ScriptCall.end(ending, epochs),
            reply -> {
              uncertain.accept(reply);
              switch (reply) {
                case Reply.Done _, Reply.UnknownScript _ -> {}
                case Reply.Failed failed ->
                    tellLater(failed.why() == Failure.DISCONNECTED ? ending.perhapsTold() : ending);
              }
            });
  }

  private void tellLater(Ending ending) {
    if (!waiting.offer(ending)) {
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
    List<String> epochs = new ArrayList<>(epochs(up));
    epochs.addAll(abandoned);
    List<Ending> some = poll();
    var unanswered = new AtomicInteger(some.size());
    for (Ending ending : some) {
      up.link()
          .callSurely(
              ScriptCall.end(ending, epochs),
              reply -> {
                circuit.uncertainUnlessDone(up).accept(reply);
                if (unanswered.decrementAndGet() == 0) {
                  clock.execute(() -> tellWaiting(up, abandoned));
                }
              });
    }
  }

  private List<Ending> poll() {
    List<Ending> some = new ArrayList<>();
    for (int n = 0; n < AT_ONCE; n++) {
      Ending next = waiting.poll();
      if (next == null) {
        break;
      }
      some.add(next);
    }
    return some;
  }

  private static List<String> epochs(Up up) {
    return List.of(up.epoch(), up.before());
  }
}
