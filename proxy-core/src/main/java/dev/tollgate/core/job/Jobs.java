package dev.tollgate.core.job;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.Bank.Shortage;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Port to the jobs of all nodes. Answers come once and on the loop that asked; nothing is known of
 * a step whose answer is {@code Unavailable}.
 */
public interface Jobs {
  /** Asks what became of a submission, if it was made before; nothing is made. */
  void recall(JobTicket ticket, EventExecutor loop, Consumer<Recalled> whenKnown);

  /** What is known of a submission before anything is done for it. */
  sealed interface Recalled {
    /** Nobody has made it yet; somebody may in this moment. */
    record Fresh() implements Recalled {}

    /** It was submitted before, and became this. */
    record Replayed(Job job) implements Recalled {}

    /** The key belongs to another body. */
    record Conflict() implements Recalled {}

    /** Too many of the organization's requests ask at once. */
    record Crowded() implements Recalled {}

    record Unavailable(String reason) implements Recalled {}
  }

  /** Makes a job and holds its money, both or neither, once for each idempotency key. */
  void submit(JobWish wish, EventExecutor loop, Consumer<Submitted> whenKnown);

  /** What became of a submission. */
  sealed interface Submitted {
    record Made(Job job) implements Submitted {}

    /** It was submitted before, and became this. */
    record Replayed(Job job) implements Submitted {}

    /** The key belongs to another body. */
    record Conflict() implements Submitted {}

    /** The scopes that have not enough, at least one, in the order in which they refuse. */
    record TooLittle(List<Shortage> shortages) implements Submitted {}

    /** Too many of the organization's requests ask at once. */
    record Crowded() implements Submitted {}

    record Unavailable(String reason) implements Submitted {}
  }

  /** Asks for a job of an organization's. */
  void find(OrgId org, JobId id, EventExecutor loop, Consumer<Found> whenKnown);

  /** Whether there is such a job. */
  sealed interface Found {
    record Here(Job job) implements Found {}

    record Nowhere() implements Found {}

    /** Too many of the organization's requests ask at once. */
    record Crowded() implements Found {}

    record Unavailable(String reason) implements Found {}
  }

  /**
   * Cancels a job that is not over, and removes one that is.
   *
   * @param kind null: whatever it is
   */
  void delete(
      OrgId org, @Nullable JobKind kind, JobId id, EventExecutor loop, Consumer<Deleted> whenKnown);

  /** What became of a job that is not wanted. */
  sealed interface Deleted {
    record Canceled(Job job) implements Deleted {}

    record Removed() implements Deleted {}

    /** It cannot be canceled at this moment. */
    record NotCancellable() implements Deleted {}

    record Nowhere() implements Deleted {}

    /** Too many of the organization's requests ask at once. */
    record Crowded() implements Deleted {}

    record Unavailable(String reason) implements Deleted {}
  }
}
