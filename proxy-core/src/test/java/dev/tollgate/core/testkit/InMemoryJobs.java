package dev.tollgate.core.testkit;

import dev.tollgate.core.exchange.frame.JobService;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobRepository;
import dev.tollgate.core.job.JobSpec;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.job.JobSubmissionKey;
import dev.tollgate.core.money.MicroUsd;
import io.netty.util.concurrent.EventExecutor;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Jobs in memory; a test may replace the next answer or hold it back. */
public final class InMemoryJobs implements JobRepository {
  private final Map<JobId, Job> jobs = new LinkedHashMap<>();
  private final Map<String, JobId> submitted = new LinkedHashMap<>();
  private final List<JobSpec> specs = new ArrayList<>();
  private @Nullable SubmitResult nextSubmitted;
  private @Nullable DeleteResult nextDeleted;
  private final List<Runnable> heldAnswers = new ArrayList<>();
  private int answersLeft = Integer.MAX_VALUE;

  /** Replaces the next answer to a submission; nothing is created. */
  public void next(SubmitResult answer) {
    nextSubmitted = answer;
  }

  /** Replaces the next answer to a deletion; nothing is done. */
  public void next(DeleteResult answer) {
    nextDeleted = answer;
  }

  /** Holds all answers until {@link #releaseAnswers}. */
  public void holdAnswers() {
    holdAnswersAfter(0);
  }

  /** Holds all answers after the given number. */
  public void holdAnswersAfter(int answers) {
    answersLeft = answers;
  }

  /** Releases the held answers. */
  public void releaseAnswers() {
    answersLeft = Integer.MAX_VALUE;
    List<Runnable> all = List.copyOf(heldAnswers);
    heldAnswers.clear();
    all.forEach(Runnable::run);
  }

  private void answered(Runnable answer) {
    if (answersLeft == 0) {
      heldAnswers.add(answer);
    } else {
      answersLeft--;
      answer.run();
    }
  }

  /** Returns a service on these jobs. */
  JobService service() {
    var factor = new BigDecimal("1.5");
    return new JobService(this, factor, Duration.ofDays(1), JobService.Submissions.ACCEPTED);
  }

  /** Returns the submissions, in order. */
  public List<JobSpec> specs() {
    return List.copyOf(specs);
  }

  /** Stores a job as it is. */
  public void put(Job job) {
    jobs.put(job.id(), job);
  }

  /** Returns the last created job. */
  public Job last() {
    return jobs.values().stream().reduce((a, b) -> b).orElseThrow();
  }

  @Override
  public void submit(JobSpec spec, EventExecutor loop, Consumer<SubmitResult> whenKnown) {
    specs.add(spec);
    SubmitResult answer = nextSubmitted;
    nextSubmitted = null;
    answered(() -> whenKnown.accept(answer == null ? made(spec) : answer));
  }

  private SubmitResult made(JobSpec spec) {
    return switch (known(spec.submissionKey())) {
      case LookupResult.Replayed again -> new SubmitResult.Replayed(again.job());
      case LookupResult.Conflict _ -> new SubmitResult.Conflict();
      case LookupResult.TooManyPending _ -> new SubmitResult.TooManyPending();
      case LookupResult.Unavailable gone -> new SubmitResult.Unavailable(gone.reason());
      case LookupResult.NotSubmitted _ -> {
        submitted.put(named(spec.submissionKey()), spec.id());
        put(of(spec));
        yield new SubmitResult.Created(last());
      }
    };
  }

  @Override
  public void lookUpSubmission(
      JobSubmissionKey submissionKey, EventExecutor loop, Consumer<LookupResult> whenKnown) {
    answered(() -> whenKnown.accept(known(submissionKey)));
  }

  private LookupResult known(JobSubmissionKey submissionKey) {
    JobId earlier = submitted.get(named(submissionKey));
    if (earlier != null) {
      return new LookupResult.Replayed(Objects.requireNonNull(jobs.get(earlier)));
    }
    return submitted.keySet().stream().anyMatch(one -> one.startsWith(key(submissionKey)))
        ? new LookupResult.Conflict()
        : new LookupResult.NotSubmitted();
  }

  private static String key(JobSubmissionKey submissionKey) {
    return submissionKey.org()
        + " "
        + submissionKey.endpoint()
        + " "
        + submissionKey.idempotencyKey()
        + " ";
  }

  private static String named(JobSubmissionKey submissionKey) {
    return key(submissionKey) + HexFormat.of().formatHex(submissionKey.body().sha256());
  }

  private static Job of(JobSpec spec) {
    return new Job(
        spec.id(),
        spec.request(),
        spec.org(),
        spec.key(),
        spec.kind(),
        spec.model(),
        spec.provider(),
        JobStatus.QUEUED,
        null,
        spec.reserved(),
        spec.max(),
        MicroUsd.ZERO,
        null,
        spec.params(),
        spec.webhookUrl(),
        spec.metadata(),
        Scenario.NOW,
        null,
        null,
        Scenario.NOW.plus(Duration.ofHours(24)),
        List.of());
  }

  @Override
  public void find(OrgId org, JobId id, EventExecutor loop, Consumer<FindResult> whenKnown) {
    answered(
        () -> {
          Job job = jobs.get(id);
          whenKnown.accept(
              job != null && job.org().equals(org)
                  ? new FindResult.Present(job)
                  : new FindResult.NotFound());
        });
  }

  @Override
  public void delete(
      OrgId org,
      @Nullable JobKind kind,
      JobId id,
      EventExecutor loop,
      Consumer<DeleteResult> whenKnown) {
    DeleteResult answer = nextDeleted;
    nextDeleted = null;
    answered(() -> whenKnown.accept(answer == null ? new DeleteResult.NotFound() : answer));
  }
}
