package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Shared counters, and those of this node alone while the shared ones cannot say. */
final class OrElse implements Counters {
  private final SharedCounters shared;
  private final Counters alone;

  OrElse(SharedCounters shared, Counters alone) {
    this.shared = shared;
    this.alone = alone;
  }

  @Override
  public void take(Draw draw, Executor loop, Consumer<Drawn> answer) {
    shared.take(
        draw,
        loop,
        drawn -> {
          switch (drawn) {
            case Drawn.Taken _, Drawn.Refused _ -> answer.accept(drawn);
            case Drawn.Unavailable _ -> alone.take(draw, loop, answer);
          }
        });
  }

  @Override
  public void end(Draw draw, long tokensUsed) {
    if (!shared.endHeld(draw, tokensUsed)) {
      alone.end(draw, tokensUsed);
    }
  }
}
