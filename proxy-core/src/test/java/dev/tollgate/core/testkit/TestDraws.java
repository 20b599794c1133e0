package dev.tollgate.core.testkit;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Allotment;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Draw.Take;
import java.util.List;

/** Draws as tests write them down: bucket by bucket. */
public final class TestDraws {
  private TestDraws() {}

  /** A draw of its own allotment; what is taken of buckets that count the same is the same. */
  public static Draw of(RequestId request, List<Take> takes, Slot slot) {
    long tokens = most(takes, true);
    int requests = Math.toIntExact(most(takes, false));
    Draw draw =
        new Draw(
            request,
            new Allotment(takes.stream().map(Take::bucket).toList(), slot),
            requests,
            tokens);
    if (!draw.takes().equals(takes)) {
      throw new IllegalArgumentException("no draw takes so: " + takes);
    }
    return draw;
  }

  private static long most(List<Take> takes, boolean ofTokens) {
    return takes.stream()
        .filter(take -> (take.bucket().unit() == Unit.TOKENS_PER_MINUTE) == ofTokens)
        .mapToLong(Take::amount)
        .max()
        .orElse(0);
  }
}
