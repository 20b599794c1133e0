package dev.tollgate.core.limit;

import dev.tollgate.core.tenant.RefusalBucket;
import org.jspecify.annotations.Nullable;

/**
 * Token that a request holds of its key's refusal bucket until it is clear whether it is refused.
 * One object serves all requests of a connection, one after the other. Loop-confined.
 */
public final class RefusalToken {
  private @Nullable RefusalBucket heldOf;
  private long tokenNanos;

  /** Holds a token that was drawn at this rate. */
  void hold(RefusalBucket bucket, long nanos) {
    if (heldOf != null) {
      throw new IllegalStateException("the token before has not ended");
    }
    heldOf = bucket;
    tokenNanos = nanos;
  }

  /** Gives the token back, if one is held: the request was admitted, or this node failed. */
  public void giveBack() {
    RefusalBucket bucket = heldOf;
    if (bucket != null) {
      heldOf = null;
      bucket.giveBack(tokenNanos);
    }
  }

  /** Leaves the token taken, if one is held: the request was refused, or its client went. */
  public void keep() {
    heldOf = null;
  }
}
