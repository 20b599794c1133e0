package dev.tollgate.core.idempotency;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Who remembers submissions for all nodes, so that each is carried out once
 * (docs/decisions/idempotency.md#claims). Each verb is atomic; a claim without a sign of life ends
 * with its lease: the key is free again, or the submission is lost if a provider may have heard of
 * it.
 */
public interface IdempotencyStore {
  /**
   * Asks for the right to carry out a submission.
   *
   * @param room for a stored reply
   * @param whenKnown called once, on the loop
   */
  void claim(
      Submission submission, ReplyMemory room, EventExecutor loop, Consumer<ClaimResult> whenKnown);

  /** Whose turn it is. */
  sealed interface ClaimResult {
    /** Whoever asked carries it out. */
    record Claimed(Claim claim) implements ClaimResult {}

    /**
     * Somebody else does.
     *
     * @param age how long by now
     */
    record Running(Duration age) implements ClaimResult {}

    /** It was carried out. The reply is owned. */
    record Replay(StoredReply reply) implements ClaimResult {}

    /** The key belongs to another body. */
    record Conflict() implements ClaimResult {}

    /** It was carried out, and there is no room for its reply. */
    record ReplyNotStored() implements ClaimResult {}

    /** Too many of the organization's requests ask at once. */
    record TooManyPending() implements ClaimResult {}

    record Unavailable(String reason) implements ClaimResult {}
  }

  /** Memory for the body of a stored reply, asked for before that is read. */
  interface ReplyMemory {
    /** Takes so many bytes, at most once; false: there are not as many. Any thread. */
    boolean tryReserve(int bytes);
  }
}
