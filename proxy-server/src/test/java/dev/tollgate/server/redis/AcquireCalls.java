package dev.tollgate.server.redis;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.testkit.TestAcquires;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Acquisitions that tests make and await. */
final class AcquireCalls {
  private AcquireCalls() {}

  static BucketAmount of(LimitScope scope, String id, Unit unit, long capacity, long amount) {
    return new BucketAmount(new Bucket(scope, id, unit, capacity), amount);
  }

  static Acquire slot(String key, int most, BucketAmount... takes) {
    return TestAcquires.of(id(), List.of(takes), new Slot.Limited(key, most));
  }

  static Acquire without(BucketAmount... takes) {
    return TestAcquires.of(id(), List.of(takes), new Slot.Unlimited());
  }

  private static RequestId id() {
    return RequestId.at(System.currentTimeMillis());
  }

  static AcquireResult take(Counters counters, Acquire acquire) {
    var result = new CompletableFuture<AcquireResult>();
    counters.acquire(acquire, Runnable::run, result::complete);
    return result.orTimeout(10, TimeUnit.SECONDS).join();
  }
}
