package dev.tollgate.core.claim;

import java.util.function.Consumer;

/**
 * The right to carry a submission out, under a lease that is renewed until it ends, once: by {@link
 * #complete}, {@link #free} or {@link #abandon}. Loop-confined; what is awaited comes on the loop.
 */
public interface Claim {
  /** Stores that a provider may hear of it from now on. */
  void dispatch(Consumer<Marked> whenKnown);

  /** Whether that is stored. */
  sealed interface Marked {
    record Stored() implements Marked {}

    /** The lease had run out, and somebody else has the key. */
    record Lost() implements Marked {}

    record Unavailable(String reason) implements Marked {}
  }

  /**
   * Stores what came of it.
   *
   * @param reply borrowed until {@code done}
   * @param done called when it is stored, or could not be
   */
  void complete(StoredReply reply, Runnable done);

  /** Nothing came of it and nobody heard of it: the key may be used again, with any body. */
  void free(Runnable done);

  /** Leaves it to its lease: nobody knows what came of it. */
  void abandon();
}
