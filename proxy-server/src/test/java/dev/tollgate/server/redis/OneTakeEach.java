package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.Drawn.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Counters that grant everything and insist that only what they granted is ended. */
final class OneTakeEach implements Counters {
  static final Drawn.Taken TAKEN = new Drawn.Taken(List.of(new Level(7, 0)));

  private final Set<RequestId> taken = new HashSet<>();

  @Override
  public synchronized void take(Draw draw, Executor loop, Consumer<Drawn> answer) {
    taken.add(draw.request());
    answer.accept(TAKEN);
  }

  @Override
  public synchronized void end(Draw draw, long tokensUsed) {
    if (!taken.remove(draw.request())) {
      throw new AssertionError("never took " + draw);
    }
  }
}
