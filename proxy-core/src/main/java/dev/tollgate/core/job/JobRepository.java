package dev.tollgate.core.job;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Port to the jobs of all nodes. Answers come once and on the loop that asked; nothing is known of
 * a step whose answer is {@code Unavailable}.
 */
public interface JobRepository {
  /** Asks what became of a submission, if it was made before; nothing is made. */
  void lookUpSubmission(
      JobSubmissionKey ticket, EventExecutor loop, Consumer<LookupResult> whenKnown);

  /** What is known of a submission before anything is done for it. */
  sealed interface LookupResult {
    /** Nobody has made it yet; somebody may in this moment. */
    record NotSubmitted() implements LookupResult {}

    /** It was submitted before, and became this. */
    record Replayed(Job job) implements LookupResult {}

    /** The key belongs to another body. */
    record Conflict() implements LookupResult {}

    /** Too many of the organization's requests ask at once. */
    record TooManyPending() implements LookupResult {}

    record Unavailable(String reason) implements LookupResult {}
  }

  /** Makes a job and holds its money, both or neither, once for each idempotency key. */
  void submit(JobSpec spec, EventExecutor loop, Consumer<SubmitResult> whenKnown);

  /** What became of a submission. */
  sealed interface SubmitResult {
    record Created(Job job) implements SubmitResult {}

    /** It was submitted before, and became this. */
    record Replayed(Job job) implements SubmitResult {}

    /** The key belongs to another body. */
    record Conflict() implements SubmitResult {}

    /** The scopes that have not enough, at least one, in the order in which they refuse. */
    record InsufficientBudget(List<Shortage> shortages) implements SubmitResult {}

    /** Too many of the organization's requests ask at once. */
    record TooManyPending() implements SubmitResult {}

    record Unavailable(String reason) implements SubmitResult {}
  }

  /** Asks for a job of an organization's. */
  void find(OrgId org, JobId id, EventExecutor loop, Consumer<FindResult> whenKnown);

  /** Whether there is such a job. */
  sealed interface FindResult {
    record Present(Job job) implements FindResult {}

    record NotFound() implements FindResult {}

    /** Too many of the organization's requests ask at once. */
    record TooManyPending() implements FindResult {}

    record Unavailable(String reason) implements FindResult {}
  }

  /**
   * Cancels a job that is not over, and removes one that is.
   *
   * @param kind null: whatever it is
   */
  void delete(
      OrgId org,
      @Nullable JobKind kind,
      JobId id,
      EventExecutor loop,
      Consumer<DeleteResult> whenKnown);

  /** What became of a job that is not wanted. */
  sealed interface DeleteResult {
    record Canceled(Job job) implements DeleteResult {}

    record Removed() implements DeleteResult {}

    /** It cannot be canceled at this moment. */
    record NotCancellable() implements DeleteResult {}

    record NotFound() implements DeleteResult {}

    /** Too many of the organization's requests ask at once. */
    record TooManyPending() implements DeleteResult {}

    record Unavailable(String reason) implements DeleteResult {}
  }
}
