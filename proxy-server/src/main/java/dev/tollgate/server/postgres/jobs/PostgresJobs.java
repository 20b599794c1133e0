package dev.tollgate.server.postgres.jobs;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.Offload.Outcome;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.job.JobSubmissionKey;
import dev.tollgate.core.tenant.PerOrgLimit;
import dev.tollgate.server.postgres.jobs.JobSubmissions.SubmitAnswer;
import io.netty.util.concurrent.EventExecutor;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Repository of the media jobs of all nodes in PostgreSQL, called from event loops. Statements run
 * on offloaded threads and use the database's clock; a state that is awaited is polled.
 */
public final class PostgresJobs implements JobRepository {
  /** Concurrent calls of one organization; further calls are refused. */
  public static final int ORG_CALLS_MAX = 128;

  /** Longest wait for a thread. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(2);

  /** Living nodes return unused leases within this time; after it the balance is in use. */
  private static final Duration RECALL_MAX = Duration.ofSeconds(1);

  /** A worker claims a job to be canceled at once, and its provider answers within this time. */
  private static final Duration CANCEL_MAX = Duration.ofSeconds(8);

  private static final Duration RECALL_POLL_INTERVAL = Duration.ofMillis(60);
  private static final Duration CANCEL_POLL_INTERVAL = Duration.ofMillis(150);

  private final JobAccess changes;
  private final JobAccess queries;
  private final PerOrgLimit orgSlots = new PerOrgLimit(ORG_CALLS_MAX);
  private final Runnable onJobDue;
  private final SubmissionCounts counts = new SubmissionCounts();

  /**
   * Connection pool, with the offloaded threads that use it.
   *
   * @param offload has as many threads as the pool has connections
   */
  public record DedicatedPool(DataSource pool, Offload offload) {}

  /** DAOs of jobs on one dedicated pool, with its threads. */
  private record JobAccess(JobSubmissions submissions, JobViews views, Offload offload) {
    static JobAccess of(DedicatedPool pool, Duration retention, Duration ttl) {
      return new JobAccess(
          new JobSubmissions(pool.pool(), retention, ttl),
          new JobViews(pool.pool()),
          pool.offload());
    }

    <T> void run(EventExecutor loop, Callable<T> work, Consumer<Outcome<T>> whenDone) {
      offload.run(loop, loop.ticker().nanoTime() + WAIT_MAX.toNanos(), work, whenDone);
    }
  }

  /**
   * @param changes for statements that may wait for locks
   * @param queries for statements that never do, so that reads do not wait behind changes
   * @param retention time for which a repeated submission is not carried out again
   * @param ttl time after which a job expires
   * @param onJobDue called when a job needs work; must not block
   */
  public PostgresJobs(
      DedicatedPool changes,
      DedicatedPool queries,
      Duration retention,
      Duration ttl,
      Runnable onJobDue) {
    this.changes = JobAccess.of(changes, retention, ttl);
    this.queries = JobAccess.of(queries, retention, ttl);
    this.onJobDue = onJobDue;
  }

  /** Returns the number of submissions by result. */
  public Map<List<String>, Long> submissions() {
    return counts.totals();
  }

  /**
   * Returns the unfinished jobs of all nodes by status, counted up to {@code most}. The call
   * blocks.
   */
  public Map<JobStatus, Long> open(int most) throws SQLException {
    return queries.views().open(most);
  }

  // Submission

  @Override
  public void lookUpSubmission(
      JobSubmissionKey submissionKey, EventExecutor loop, Consumer<LookupResult> whenKnown) {
    if (!orgSlots.tryBegin(submissionKey.org())) {
      whenKnown.accept(counts.counted(new LookupResult.TooManyPending()));
      return;
    }
    changes.run(
        loop,
        () -> recalled(submissionKey),
        outcome -> {
          orgSlots.end(submissionKey.org());
          whenKnown.accept(counts.counted(recalled(outcome)));
        });
  }

  private LookupResult recalled(JobSubmissionKey submissionKey) throws SQLException {
    Optional<SubmitAnswer> earlier = changes.submissions().findEarlier(submissionKey);
    if (earlier.isEmpty()) {
      return new LookupResult.NotSubmitted();
    }
    return earlier.get() instanceof SubmitAnswer.Replay replay
        ? new LookupResult.Replayed(requireJob(submissionKey.org(), replay.job()))
        : new LookupResult.Conflict();
  }

  private static LookupResult recalled(Outcome<LookupResult> outcome) {
    return switch (outcome) {
      case Outcome.Done<LookupResult> done -> done.value();
      case Outcome.Refused<LookupResult> refused -> new LookupResult.Unavailable(refused.reason());
      case Outcome.Failed<LookupResult> failed ->
          new LookupResult.Unavailable(failed.cause().toString());
    };
  }

  @Override
  public void submit(JobSpec spec, EventExecutor loop, Consumer<SubmitResult> whenKnown) {
    if (!orgSlots.tryBegin(spec.org())) {
      whenKnown.accept(counts.counted(new SubmitResult.TooManyPending()));
      return;
    }
    long deadlineNanos = loop.ticker().nanoTime() + RECALL_MAX.toNanos();
    submit(
        new PendingSubmission(spec, loop, deadlineNanos),
        Map.of(),
        outcome -> {
          orgSlots.end(spec.org());
          whenKnown.accept(counts.counted(outcome));
        });
  }

  private record PendingSubmission(JobSpec spec, EventExecutor loop, long deadlineNanos) {
    boolean isLate() {
      return loop.ticker().nanoTime() - deadlineNanos >= 0;
    }
  }

  private void submit(
      PendingSubmission submission, Map<String, Long> awaited, Consumer<SubmitResult> whenKnown) {
    changes.run(
        submission.loop(),
        () -> submitted(submission.spec(), awaited),
        outcome -> {
          switch (outcome) {
            case Outcome.Done<SubmitStep> done -> next(submission, done.value(), whenKnown);
            case Outcome.Refused<SubmitStep> refused ->
                whenKnown.accept(new SubmitResult.Unavailable(refused.reason()));
            case Outcome.Failed<SubmitStep> failed ->
                whenKnown.accept(new SubmitResult.Unavailable(failed.cause().toString()));
          }
        });
  }

  /** Result of one statement of a submission. */
  private sealed interface SubmitStep {
    record Finished(SubmitResult submitted) implements SubmitStep {}

    record Retry(Map<String, Long> awaited) implements SubmitStep {}
  }

  private SubmitStep submitted(JobSpec spec, Map<String, Long> awaited) throws SQLException {
    byte[] sha256 = spec.body().sha256();
    return switch (changes.submissions().submit(spec, sha256, awaited)) {
      case SubmitAnswer.Created _ -> {
        onJobDue.run();
        yield new SubmitStep.Finished(new SubmitResult.Created(requireJob(spec.org(), spec.id())));
      }
      case SubmitAnswer.Replay replay ->
          new SubmitStep.Finished(new SubmitResult.Replayed(requireJob(spec.org(), replay.job())));
      case SubmitAnswer.Conflict _ -> new SubmitStep.Finished(new SubmitResult.Conflict());
      case SubmitAnswer.InsufficientBudget refused ->
          new SubmitStep.Finished(new SubmitResult.InsufficientBudget(refused.shortages()));
      case SubmitAnswer.AwaitsRecalls awaits -> new SubmitStep.Retry(awaits.recalls());
    };
  }

  private Job requireJob(OrgId org, JobId id) throws SQLException {
    return changes
        .views()
        .findIncludingRemoved(org, id)
        .orElseThrow(() -> new SQLException("a job was deleted"));
  }

  private void next(
      PendingSubmission submission, SubmitStep step, Consumer<SubmitResult> whenKnown) {
    switch (step) {
      case SubmitStep.Finished known -> whenKnown.accept(known.submitted());
      case SubmitStep.Retry _ when submission.isLate() ->
          whenKnown.accept(
              new SubmitResult.Unavailable("other nodes did not answer the recall in time"));
      case SubmitStep.Retry again ->
          later(
              submission.loop(),
              RECALL_POLL_INTERVAL,
              () -> submit(submission, again.awaited(), whenKnown));
    }
  }

  // Queries

  @Override
  public void find(OrgId org, JobId id, EventExecutor loop, Consumer<FindResult> whenKnown) {
    if (!orgSlots.tryBegin(org)) {
      whenKnown.accept(new FindResult.TooManyPending());
      return;
    }
    queries.run(
        loop,
        () -> queries.views().find(org, id),
        outcome -> {
          orgSlots.end(org);
          whenKnown.accept(found(outcome));
        });
  }

  private static FindResult found(Outcome<Optional<Job>> outcome) {
    return switch (outcome) {
      case Outcome.Done<Optional<Job>> done ->
          done.value().<FindResult>map(FindResult.Present::new).orElseGet(FindResult.NotFound::new);
      case Outcome.Refused<Optional<Job>> refused -> new FindResult.Unavailable(refused.reason());
      case Outcome.Failed<Optional<Job>> failed ->
          new FindResult.Unavailable(failed.cause().toString());
    };
  }

  // End

  @Override
  public void delete(
      OrgId org,
      @Nullable JobKind kind,
      JobId id,
      EventExecutor loop,
      Consumer<DeleteResult> whenKnown) {
    if (!orgSlots.tryBegin(org)) {
      whenKnown.accept(new DeleteResult.TooManyPending());
      return;
    }
    long deadlineNanos = loop.ticker().nanoTime() + CANCEL_MAX.toNanos();
    var deletion =
        new PendingDeletion(
            org,
            id,
            loop,
            deadlineNanos,
            deleted -> {
              orgSlots.end(org);
              whenKnown.accept(deleted);
            });
    deliver(changes, deletion, () -> deleted(org, kind, id));
  }

  /** Job that must be canceled before it is deleted, and the caller that waits for that. */
  private record PendingDeletion(
      OrgId org,
      JobId id,
      EventExecutor loop,
      long deadlineNanos,
      Consumer<DeleteResult> whenKnown) {
    boolean isLate() {
      return loop.ticker().nanoTime() - deadlineNanos >= 0;
    }
  }

  /** Returns the result; empty while the cancellation is pending. */
  private Optional<DeleteResult> deleted(OrgId org, @Nullable JobKind kind, JobId id)
      throws SQLException {
    return switch (changes.submissions().cancel(org, kind, id)) {
      case CANCELED ->
          Optional.of(
              changes
                  .views()
                  .find(org, id)
                  .<DeleteResult>map(DeleteResult.Canceled::new)
                  .orElseGet(DeleteResult.Removed::new));
      case ASKED -> {
        onJobDue.run();
        yield Optional.empty();
      }
      case UNKNOWN -> Optional.of(new DeleteResult.NotFound());
      case OVER, OPEN, REMOVED ->
          switch (changes.submissions().remove(org, kind, id)) {
            case REMOVED -> Optional.of(new DeleteResult.Removed());
            case UNKNOWN -> Optional.of(new DeleteResult.NotFound());
            case CANCELED, ASKED, OVER, OPEN -> Optional.of(new DeleteResult.NotCancellable());
          };
    };
  }

  private void deliver(
      JobAccess access, PendingDeletion deletion, Callable<Optional<DeleteResult>> poll) {
    access.run(
        deletion.loop(),
        poll,
        outcome -> {
          switch (outcome) {
            case Outcome.Done<Optional<DeleteResult>> done ->
                done.value()
                    .ifPresentOrElse(
                        deletion.whenKnown(),
                        () ->
                            later(
                                deletion.loop(),
                                CANCEL_POLL_INTERVAL,
                                () ->
                                    deliver(queries, deletion, () -> pollCancellation(deletion))));
            case Outcome.Refused<Optional<DeleteResult>> refused ->
                deletion.whenKnown().accept(new DeleteResult.Unavailable(refused.reason()));
            case Outcome.Failed<Optional<DeleteResult>> failed ->
                deletion
                    .whenKnown()
                    .accept(new DeleteResult.Unavailable(failed.cause().toString()));
          }
        });
  }

  /**
   * At the deadline the request is withdrawn, so that the job is not canceled after the client was
   * refused.
   */
  private Optional<DeleteResult> pollCancellation(PendingDeletion deletion) throws SQLException {
    if (queries.submissions().isCancelAsked(deletion.id())) {
      if (!deletion.isLate()) {
        return Optional.empty();
      }
      if (queries.submissions().withdraw(deletion.org(), deletion.id())) {
        return Optional.of(new DeleteResult.NotCancellable());
      }
    }
    return Optional.of(deletionResult(deletion));
  }

  private DeleteResult deletionResult(PendingDeletion deletion) throws SQLException {
    Optional<Job> job = queries.views().find(deletion.org(), deletion.id());
    if (job.isEmpty()) {
      return new DeleteResult.NotFound();
    }
    return job.get().status() == JobStatus.CANCELED
        ? new DeleteResult.Canceled(job.get())
        : new DeleteResult.NotCancellable();
  }

  private static void later(EventExecutor loop, Duration delay, Runnable work) {
    var _ = loop.schedule(work, delay.toNanos(), TimeUnit.NANOSECONDS);
  }
}
