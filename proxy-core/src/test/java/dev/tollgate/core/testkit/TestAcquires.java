package dev.tollgate.core.testkit;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.LimitSet;
import java.util.List;

/** Acquisitions for tests, listed bucket by bucket. */
public final class TestAcquires {
  private TestAcquires() {}

  /**
   * Returns an acquisition with a limit set of its own; buckets with the same unit have the same
   * amount.
   */
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
      throw new IllegalArgumentException("no acquire has these amounts: " + takes);
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
