package dev.tollgate.core.job;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Port to the store of media jobs, which all nodes share: submission, queries and deletion. Results
 * arrive once, on the loop of the call; after {@code Unavailable} it is unknown whether the step
 * was carried out.
 */
public interface JobRepository {
  /** Finds an earlier submission with the same key; creates nothing. */
  void lookUpSubmission(
      JobSubmissionKey submissionKey, EventExecutor loop, Consumer<LookupResult> whenKnown);

  /** Result of the search for an earlier submission with the same idempotency key. */
  sealed interface LookupResult {
    /** No such submission yet; another may be arriving at this moment. */
    record NotSubmitted() implements LookupResult {}

    /** The submission was made before and created this job. */
    record Replayed(Job job) implements LookupResult {}

    /** The idempotency key belongs to a submission with another body. */
    record Conflict() implements LookupResult {}

    /** The organization has too many pending calls. */
    record TooManyPending() implements LookupResult {}

    record Unavailable(String reason) implements LookupResult {}
  }

  /** Creates a job and reserves its money, both or neither, once for each idempotency key. */
  void submit(JobSpec spec, EventExecutor loop, Consumer<SubmitResult> whenKnown);

  /** Result of a job submission. */
  sealed interface SubmitResult {
    record Created(Job job) implements SubmitResult {}

    /** The submission was made before and created this job. */
    record Replayed(Job job) implements SubmitResult {}

    /** The idempotency key belongs to a submission with another body. */
    record Conflict() implements SubmitResult {}

    /** Scopes without enough money, at least one, in the order in which they refuse. */
    record InsufficientBudget(List<Shortage> shortages) implements SubmitResult {}

    /** The organization has too many pending calls. */
    record TooManyPending() implements SubmitResult {}

    record Unavailable(String reason) implements SubmitResult {}
  }

  /** Finds a job of an organization. */
  void find(OrgId org, JobId id, EventExecutor loop, Consumer<FindResult> whenKnown);

  /** Result of the search for a job by its id. */
  sealed interface FindResult {
    record Present(Job job) implements FindResult {}

    record NotFound() implements FindResult {}

    /** The organization has too many pending calls. */
    record TooManyPending() implements FindResult {}

    record Unavailable(String reason) implements FindResult {}
  }

  /**
   * Cancels a job that has not ended, and removes one that has.
   *
   * @param kind null means any kind
   */
  void delete(
      OrgId org,
      @Nullable JobKind kind,
      JobId id,
      EventExecutor loop,
      Consumer<DeleteResult> whenKnown);

  /** Result of canceling or removing a job. */
  sealed interface DeleteResult {
    record Canceled(Job job) implements DeleteResult {}

    record Removed() implements DeleteResult {}

    /** The job cannot be canceled at this moment. */
    record NotCancellable() implements DeleteResult {}

    record NotFound() implements DeleteResult {}

    /** The organization has too many pending calls. */
    record TooManyPending() implements DeleteResult {}

    record Unavailable(String reason) implements DeleteResult {}
  }
}
