package dev.tollgate.core.idempotency;

import java.util.function.Consumer;

/**
 * Exclusive right of one request to carry out the submission of an idempotency key, under a renewed
 * lease. The lease is renewed until the claim is ended once: by {@link #complete}, {@link #free} or
 * {@link #abandon}. Confined to an event loop, which also runs the callbacks.
 */
public interface Claim {
  /** Stores that a provider may receive the submission from now on. */
  void dispatch(Consumer<DispatchResult> whenKnown);

  /** Result of storing the dispatch. */
  sealed interface DispatchResult {
    record Recorded() implements DispatchResult {}

    /** The lease had expired, and another request has the key. */
    record Lost() implements DispatchResult {}

    record Unavailable(String reason) implements DispatchResult {}
  }

  /**
   * Stores the reply, with retries for a while if the store is down. The lease is renewed
   * meanwhile.
   *
   * @param reply borrowed until the last callback of {@code completion}
   */
  void complete(StoredReply reply, Completion completion);

  /** Callbacks of storing a reply. */
  interface Completion {
    /** The first attempt failed, and others follow; called at most once. */
    void delayed();

    /** The reply is stored, and repeated submissions receive it. The last callback. */
    void stored();

    /** The reply could not be stored, or another request has the key by now. The last callback. */
    void lost();
  }

  /**
   * Frees the key, because no provider received the submission: the key may be used again, with any
   * body. If the store is down, this is retried for a while under the lease.
   *
   * @param done called after the first attempt
   */
  void free(Runnable done);

  /** Ends the claim without a result, because the outcome is unknown; the lease expires. */
  void abandon();
}
