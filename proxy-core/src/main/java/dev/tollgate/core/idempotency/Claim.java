package dev.tollgate.core.idempotency;

import java.util.function.Consumer;

/**
 * The right to carry a submission out, under a lease that is renewed until it ends, once: by {@link
 * #complete}, {@link #free} or {@link #abandon}. Loop-confined; what is awaited comes on the loop.
 */
public interface Claim {
  /** Stores that a provider may hear of it from now on. */
  void dispatch(Consumer<DispatchResult> whenKnown);

  /** Whether that is stored. */
  sealed interface DispatchResult {
    record Recorded() implements DispatchResult {}

    /** The lease had run out, and somebody else has the key. */
    record Lost() implements DispatchResult {}

    record Unavailable(String reason) implements DispatchResult {}
  }

  /**
   * Stores what came of it, again and again for a while where the store is away. The lease is
   * renewed meanwhile.
   *
   * @param reply borrowed until its end is told
   */
  void complete(StoredReply reply, Completion completion);

  /** Hears what becomes of a reply. */
  interface Completion {
    /** The first try failed, and others follow; at most once. */
    void delayed();

    /** Everybody who asks gets it from now on. The end. */
    void stored();

    /** It could not be stored, or the key is another's by now. The end. */
    void lost();
  }

  /**
   * Nothing came of it and nobody heard of it: the key may be used again, with any body. Where the
   * store is away that is tried for a while under the lease.
   *
   * @param done called after the first try
   */
  void free(Runnable done);

  /** Leaves it to its lease: nobody knows what came of it. */
  void abandon();
}
