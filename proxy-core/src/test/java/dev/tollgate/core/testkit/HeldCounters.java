package dev.tollgate.core.testkit;

import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Counters as far away as a test wants them: their answers come at once, when the test says, or
 * never. Each draw that was taken must be ended exactly once.
 */
public final class HeldCounters implements Counters {
  private final Counters behind;
  private final List<Draw> open = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private boolean answersWait;
  private boolean isGone;
  private boolean endsFail;

  HeldCounters(Counters behind) {
    this.behind = behind;
  }

  @Override
  public void take(Draw draw, Executor loop, Consumer<Drawn> answer) {
    Runnable asked = () -> ask(draw, loop, answer);
    if (answersWait) {
      held.add(asked);
    } else {
      asked.run();
    }
  }

  private void ask(Draw draw, Executor loop, Consumer<Drawn> answer) {
    if (isGone) {
      answer.accept(new Drawn.Unavailable("gone"));
      return;
    }
    behind.take(
        draw,
        loop,
        drawn -> {
          if (drawn instanceof Drawn.Taken && !draw.takesNothing()) {
            open.add(draw);
          }
          answer.accept(drawn);
        });
  }

  @Override
  public void end(Draw draw, long tokensUsed) {
    if (!open.remove(draw)) {
      throw new AssertionError("not open: " + draw);
    }
    behind.end(draw, tokensUsed);
    if (endsFail) {
      throw new IllegalStateException("the end of " + draw.request() + " fails");
    }
  }

  /** From now on whoever ends a draw is told that it failed. */
  public void failEnds() {
    endsFail = true;
  }

  /** From now on answers wait for {@link #answer}. */
  public void holdAnswers() {
    answersWait = true;
  }

  public void answer() {
    answersWait = false;
    List<Runnable> all = List.copyOf(held);
    held.clear();
    all.forEach(Runnable::run);
  }

  /** From now on nobody can say. */
  public void goAway() {
    isGone = true;
  }

  /** Draws that were taken and not ended. */
  public int open() {
    return open.size();
  }
}
