package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.testkit.TestDraws;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Draws as tests make and await them. */
final class Draws {
  private Draws() {}

  static Take of(Scope scope, String id, Unit unit, long capacity, long amount) {
    return new Take(new Bucket(scope, id, unit, capacity), amount);
  }

  static Draw slot(String key, int most, Take... takes) {
    return TestDraws.of(id(), List.of(takes), new Slot.OneOf(key, most));
  }

  static Draw without(Take... takes) {
    return TestDraws.of(id(), List.of(takes), new Slot.Unlimited());
  }

  private static RequestId id() {
    return RequestId.at(System.currentTimeMillis());
  }

  static Drawn take(Counters counters, Draw draw) {
    var drawn = new CompletableFuture<Drawn>();
    counters.take(draw, Runnable::run, drawn::complete);
    return drawn.orTimeout(10, TimeUnit.SECONDS).join();
  }
}
