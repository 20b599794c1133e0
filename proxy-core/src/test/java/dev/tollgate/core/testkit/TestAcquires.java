package dev.tollgate.core.testkit;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.LimitSet;
import java.util.List;

/** Draws as tests write them down: bucket by bucket. */
public final class TestAcquires {
  private TestAcquires() {}

  /** A draw of its own allotment; what is taken of buckets that count the same is the same. */
  public static Acquire of(RequestId request, List<BucketAmount> takes, Slot slot) {
    long tokens = maxAmount(takes, true);
    int requests = Math.toIntExact(maxAmount(takes, false));
    Acquire acquire =
        new Acquire(
            request,
            new LimitSet(takes.stream().map(BucketAmount::bucket).toList(), slot),
            requests,
            tokens);
    if (!acquire.amounts().equals(takes)) {
      throw new IllegalArgumentException("no draw takes so: " + takes);
    }
    return acquire;
  }

  private static long maxAmount(List<BucketAmount> takes, boolean ofTokens) {
    return takes.stream()
        .filter(take -> (take.bucket().unit() == Unit.TOKENS_PER_MINUTE) == ofTokens)
        .mapToLong(BucketAmount::amount)
        .max()
        .orElse(0);
  }
}
