package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Allotment;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Drawn;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Shared counters, and those of this node alone while the shared ones cannot say. A slot that was
 * granted alone is counted in both: the others are to see it as soon as Redis answers again.
 */
final class OrElse implements Counters {
  private final SharedCounters shared;
  private final Counters alone;
  private final Set<RequestId> slotsAlone = ConcurrentHashMap.newKeySet();

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
            case Drawn.Unavailable _ -> takeAlone(draw, loop, answer);
          }
        });
  }

  private void takeAlone(Draw draw, Executor loop, Consumer<Drawn> answer) {
    alone.take(
        draw,
        loop,
        drawn -> {
          if (drawn instanceof Drawn.Taken && draw.slot() instanceof Slot.OneOf) {
            slotsAlone.add(draw.request());
            shared.count(slotOf(draw));
          }
          answer.accept(drawn);
        });
  }

  @Override
  public void end(Draw draw, long tokensUsed) {
    if (slotsAlone.remove(draw.request())) {
      shared.uncount(slotOf(draw));
      alone.end(draw, tokensUsed);
    } else if (!shared.endHeld(draw, tokensUsed)) {
      alone.end(draw, tokensUsed);
    }
  }

  /** Without its buckets, of which nothing was taken there. */
  private static Draw slotOf(Draw draw) {
    return new Draw(draw.request(), new Allotment(List.of(), draw.slot()), 0, 0);
  }

  /** Slots that both count. */
  int slotsAlone() {
    return slotsAlone.size();
  }
}
