package dev.tollgate.core.idempotency;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Port to the store, shared by all nodes, in which requests claim their idempotency keys, so that
 * each submission is carried out once (docs/decisions/idempotency.md#claims). Each operation is
 * atomic. A claim that is not renewed ends with its lease: the key is free again, or the submission
 * is lost if a provider may have received it.
 */
public interface IdempotencyStore {
  /**
   * Claims a submission.
   *
   * @param room memory for a stored reply
   * @param whenKnown called once, on the loop
   */
  void claim(
      Submission submission, ReplyMemory room, EventExecutor loop, Consumer<ClaimResult> whenKnown);

  /** Result of a claim. */
  sealed interface ClaimResult {
    /** The caller carries out the submission. */
    record Claimed(Claim claim) implements ClaimResult {}

    /**
     * Another request carries out the submission.
     *
     * @param age time since that request's claim
     */
    record Running(Duration age) implements ClaimResult {}

    /** The submission was carried out. The receiver owns the reply. */
    record Replay(StoredReply reply) implements ClaimResult {}

    /** The key belongs to another body. */
    record Conflict() implements ClaimResult {}

    /** The submission was carried out, and there is no memory for its reply. */
    record ReplyNotStored() implements ClaimResult {}

    /** Too many requests of the organization wait for a claim. */
    record TooManyPending() implements ClaimResult {}

    record Unavailable(String reason) implements ClaimResult {}
  }

  /** Memory for the body of a stored reply, reserved before the body is read. */
  interface ReplyMemory {
    /**
     * Reserves {@code bytes}, at most once. Returns false if there is not as much. Called on any
     * thread.
     */
    boolean tryReserve(int bytes);
  }
}
