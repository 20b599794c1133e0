package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobObserver;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.server.jobs.ArtifactCopy.CopyResult;
import dev.tollgate.server.jobs.ClaimedJob.Demand;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
import dev.tollgate.server.jobs.MediaProvider.CancelResult;
import dev.tollgate.server.jobs.MediaProvider.Phase;
import dev.tollgate.server.jobs.MediaProvider.ProviderJobState;
import dev.tollgate.server.jobs.MediaProvider.SubmissionResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One step of a worker on a claimed job: submits, polls, cancels or copies it, then releases or
 * ends it. A state that cannot be determined now is polled again later, until the job expires.
 */
final class JobStep {
  private static final Logger LOG = LoggerFactory.getLogger(JobStep.class);

  /** During a rolling restart some nodes lack models that others already serve. */
  private static final Duration SERVED_ELSEWHERE_MAX = Duration.ofMinutes(10);

  /** A provider may need about a minute until all its servers know an accepted job. */
  private static final int ATTEMPTS_WHILE_UNKNOWN_MAX = 7;

  /** The same bound for a cancellation, and for a submission that is still in flight. */
  private static final Duration UNKNOWN_MAX = Duration.ofMinutes(1);

  /** Time for a connection, a reply, and the provider's processing of the request. */
  private static final Duration IN_FLIGHT_MAX = Duration.ofSeconds(15);

  /** About five minutes with the delays between them. */
  private static final int FILE_ATTEMPTS_MAX = 16;

  /** Each of these attempts fetches the file again: about twenty minutes. */
  private static final int STORE_ATTEMPTS_MAX = 12;

  private final JobStore store;
  private final MediaProvider provider;
  private final MediaTarget.Directory targets;
  private final ArtifactCopy copy;
  private final FairScheduler scheduler;
  private final JobObserver observer;

  JobStep(
      JobStore store,
      MediaProvider provider,
      MediaTarget.Directory targets,
      ArtifactCopy copy,
      FairScheduler scheduler,
      JobObserver observer) {
    this.store = store;
    this.provider = provider;
    this.targets = targets;
    this.copy = copy;
    this.scheduler = scheduler;
    this.observer = observer;
  }

  void run(ClaimedJob job) throws SQLException, InterruptedException {
    Optional<MediaTarget> target = targets.of(job.job());
    switch (job.demand()) {
      case EXPIRE -> expire(job, target);
      case CANCEL -> cancel(job, target);
      case NONE -> {
        if (target.isPresent()) {
          advance(job, target.get());
        } else if (!job.mayHaveReachedProvider() && job.age().compareTo(SERVED_ELSEWHERE_MAX) > 0) {
          fail(job, ErrorCode.NO_PROVIDER_AVAILABLE, "no provider serves its model any more");
        } else {
          inconclusive(job, "its provider is not configured");
        }
      }
    }
  }

  private void advance(ClaimedJob job, MediaTarget target)
      throws SQLException, InterruptedException {
    switch (job.status()) {
      case QUEUED -> {
        if (job.mayHaveReachedProvider()) {
          resolveSubmission(job, target);
        } else {
          submit(job, target);
        }
      }
      case SUBMITTED, RUNNING -> poll(job, target);
      case SUCCEEDED, FAILED, CANCELED, EXPIRED ->
          throw new IllegalStateException("a finished job cannot be claimed");
    }
  }

  // Submission

  /** Resolves a submission whose result is unknown: a worker recorded its intent and no result. */
  private void resolveSubmission(ClaimedJob job, MediaTarget target)
      throws SQLException, InterruptedException {
    switch (provider.findSubmitted(target, job)) {
      case ProviderJobState.InProgress working -> accepted(job, working.providerJob());
      case ProviderJobState.Succeeded made -> accepted(job, made.providerJob());
      case ProviderJobState.Failed failed -> accepted(job, failed.providerJob());
      case ProviderJobState.Aborted gone -> accepted(job, gone.providerJob());
      case ProviderJobState.Absent _ -> {
        if (mayBeInFlight(job)) {
          inconclusive(job, "its submission may still be in flight");
        } else {
          submit(job, target);
        }
      }
      case ProviderJobState.Unknown unknown -> inconclusive(job, unknown.reason());
    }
  }

  /** True while an earlier worker may still send the job: it may be slower than its lease. */
  private static boolean mayBeInFlight(ClaimedJob job) {
    return job.doubt() != Doubt.ABSENT && job.intent().orElseThrow().compareTo(IN_FLIGHT_MAX) < 0;
  }

  private void submit(ClaimedJob job, MediaTarget target)
      throws SQLException, InterruptedException {
    switch (store.intend(job)) {
      case NOTED -> send(job, target);
      case FULL -> {
        scheduler.providerFull(job.job().provider());
        observer.deferred();
        store.release(job);
      }
      case LOST -> {}
    }
  }

  private void send(ClaimedJob job, MediaTarget target) throws SQLException, InterruptedException {
    switch (provider.submit(target, job)) {
      case SubmissionResult.Accepted accepted -> accepted(job, accepted.providerJob());
      case SubmissionResult.Refused refused ->
          fail(job, ErrorCode.PROVIDER_FAILURE, failureMessage(refused.code(), refused.message()));
      case SubmissionResult.NotTaken no ->
          recordInconclusive(
              job,
              Doubt.ABSENT,
              no.reason(),
              PollSchedule.afterInconclusive(job.inconclusiveAttempts()));
      case SubmissionResult.Unknown unknown -> inconclusive(job, unknown.reason());
    }
  }

  private void accepted(ClaimedJob job, String providerJob) throws SQLException {
    if (store.submitted(job, providerJob, PollSchedule.whileInProgress(Duration.ZERO))) {
      observer.accepted(job.kind(), job.age());
    }
  }

  // Polls

  private void poll(ClaimedJob job, MediaTarget target) throws SQLException, InterruptedException {
    switch (provider.query(target, job.providerJob().orElseThrow())) {
      case ProviderJobState.InProgress working -> inProgress(job, working);
      case ProviderJobState.Succeeded made -> copyOutputs(job, target, made);
      case ProviderJobState.Failed failed ->
          fail(job, ErrorCode.PROVIDER_FAILURE, failureMessage(failed.code(), failed.message()));
      case ProviderJobState.Aborted _ ->
          fail(job, ErrorCode.PROVIDER_FAILURE, "the provider canceled it");
      case ProviderJobState.Absent _ -> {
        if (job.doubts(Doubt.ABSENT) < ATTEMPTS_WHILE_UNKNOWN_MAX) {
          doubted(job, Doubt.ABSENT, "the provider does not know it yet");
        } else {
          fail(job, ErrorCode.PROVIDER_FAILURE, "the provider does not know it any more");
        }
      }
      case ProviderJobState.Unknown unknown -> inconclusive(job, unknown.reason());
    }
  }

  private void inProgress(ClaimedJob job, ProviderJobState.InProgress working) throws SQLException {
    Duration next = PollSchedule.whileInProgress(job.age());
    if (working.phase() == Phase.RUNNING) {
      store.running(job, working.progress(), next);
    } else {
      store.waiting(job, next);
    }
  }

  private void copyOutputs(ClaimedJob job, MediaTarget target, ProviderJobState.Succeeded made)
      throws SQLException, InterruptedException {
    if (made.files().isEmpty()) {
      fail(job, ErrorCode.PROVIDER_FAILURE, "the provider returned no files");
      return;
    }
    switch (copy.copy(target, job, made)) {
      case CopyResult.All all -> succeed(job, charge(job, target, made), all.files());
      case CopyResult.Unusable no -> fail(job, ErrorCode.PROVIDER_FAILURE, no.reason());
      case CopyResult.RetryLater later -> inconclusive(job, later.reason());
      case CopyResult.NotStored no -> notStored(job, no.reason());
      case CopyResult.Missing _ -> {
        if (job.doubts(Doubt.FILE) < FILE_ATTEMPTS_MAX) {
          doubted(job, Doubt.FILE, "a file is not there yet");
        } else {
          fail(job, ErrorCode.PROVIDER_FAILURE, "a file that the provider made is not there");
        }
      }
    }
  }

  private void notStored(ClaimedJob job, String reason) throws SQLException {
    int times = 1 + job.doubts(Doubt.STORAGE);
    LOG.warn(
        "a file of job {} of {} is not stored, {} times of at most {}: {}",
        job.id(),
        job.job().request(),
        times,
        STORE_ATTEMPTS_MAX,
        reason);
    if (times < STORE_ATTEMPTS_MAX) {
      observer.pollInconclusive();
      store.inconclusive(job, Doubt.STORAGE, PollSchedule.untilStorageRetry(times - 1));
    } else {
      fail(job, ErrorCode.SERVICE_UNAVAILABLE, "the output could not be stored");
    }
  }

  /** Returns the charge for the output, or for the request if the output has no known length. */
  private static JobCharge charge(
      ClaimedJob job, MediaTarget target, ProviderJobState.Succeeded made) {
    Duration length =
        made.length().or(() -> requestedLength(job)).or(target::usualLength).orElse(Duration.ZERO);
    return JobCharge.of(job.kind(), length, target.prices(), target.operatorPrices());
  }

  private static Optional<Duration> requestedLength(ClaimedJob job) {
    byte[] params = job.params().getBytes(UTF_8);
    try {
      JsonMembers members = JsonMembers.of(params, 0, params.length);
      int i = members.indexOf("duration_seconds");
      return i >= 0 && members.kind(i) == JsonKind.NUMBER
          ? Optional.of(Duration.ofMillis(Math.round(1_000 * members.number(i))))
          : Optional.empty();
    } catch (InvalidJson e) {
      return Optional.empty();
    }
  }

  // Demands

  private void expire(ClaimedJob job, Optional<MediaTarget> target)
      throws SQLException, InterruptedException {
    if (target.isPresent() && job.mayHaveReachedProvider()) {
      var _ = cancelAtProvider(job, target.get()); // the job expires whatever the provider answers
    }
    if (store.expire(job)) {
      ended(job, JobStatus.EXPIRED, "");
    } else {
      store.inconclusive(job, Doubt.NONE, PollSchedule.afterInconclusive(0));
    }
  }

  private void cancel(ClaimedJob job, Optional<MediaTarget> target)
      throws SQLException, InterruptedException {
    CancelResult canceled = new CancelResult.Done();
    if (job.mayHaveReachedProvider()) {
      canceled =
          target.isPresent() ? cancelAtProvider(job, target.get()) : new CancelResult.Refused();
    }
    switch (canceled) {
      case CancelResult.Done _ -> {
        if (store.canceled(job)) {
          ended(job, JobStatus.CANCELED, "");
        }
      }
      case CancelResult.Absent _ -> {
        if (job.intent().orElseThrow().compareTo(UNKNOWN_MAX) < 0) {
          inconclusive(job, "the provider does not know it yet");
        } else if (store.canceled(job)) {
          ended(job, JobStatus.CANCELED, ", which the provider does not know");
        }
      }
      case CancelResult.Refused _ -> store.cancelRefused(job, Duration.ZERO);
      case CancelResult.Unknown unknown -> inconclusive(job, unknown.reason());
    }
  }

  /**
   * Requests the cancellation by the provider's name of the job, or by the gateway's if unknown.
   */
  private CancelResult cancelAtProvider(ClaimedJob job, MediaTarget target)
      throws InterruptedException {
    if (job.providerJob().isPresent()) {
      return provider.cancel(target, job.providerJob().get());
    }
    return switch (provider.findSubmitted(target, job)) {
      case ProviderJobState.InProgress working -> provider.cancel(target, working.providerJob());
      case ProviderJobState.Succeeded made -> provider.cancel(target, made.providerJob());
      case ProviderJobState.Failed _, ProviderJobState.Aborted _ -> new CancelResult.Done();
      case ProviderJobState.Absent _ -> new CancelResult.Absent();
      case ProviderJobState.Unknown unknown -> new CancelResult.Unknown(unknown.reason());
    };
  }

  // Ends

  private void succeed(ClaimedJob job, JobCharge charge, List<JobArtifact> files)
      throws SQLException, InterruptedException {
    if (store.succeed(job, charge, copy.retention(), files)) {
      ended(job, JobStatus.SUCCEEDED, " for " + charge.cost().value() + " micro-USD");
    } else {
      copy.discard(files);
    }
  }

  private void fail(ClaimedJob job, ErrorCode code, String message) throws SQLException {
    if (store.fail(job, JobFailure.of(code, message))) {
      ended(job, JobStatus.FAILED, ": " + code.wire() + ", " + message);
    }
  }

  private void inconclusive(ClaimedJob job, String reason) throws SQLException {
    boolean isAwaited = job.demand() == Demand.CANCEL;
    Duration next =
        isAwaited
            ? PollSchedule.whileCanceling(job.inconclusiveAttempts())
            : PollSchedule.afterInconclusive(job.inconclusiveAttempts());
    recordInconclusive(job, Doubt.NONE, reason, next);
  }

  private void doubted(ClaimedJob job, Doubt doubt, String reason) throws SQLException {
    recordInconclusive(job, doubt, reason, PollSchedule.afterInconclusive(job.doubts(doubt)));
  }

  private void recordInconclusive(ClaimedJob job, Doubt doubt, String reason, Duration next)
      throws SQLException {
    observer.pollInconclusive();
    LOG.debug("job {} of {}: poll inconclusive: {}", job.id(), job.job().request(), reason);
    store.inconclusive(job, doubt, next);
  }

  /** Writes the job's single log line. */
  private void ended(ClaimedJob job, JobStatus how, String more) {
    observer.ended(job.kind(), how, job.age());
    LOG.info(
        "{} job {} of {} {} after {} s{}",
        job.kind().wire(),
        job.id(),
        job.job().request(),
        how.wire(),
        job.age().toSeconds(),
        more);
  }

  private static String failureMessage(String code, String message) {
    return code.isEmpty() ? "provider error: " + message : code + ": " + message;
  }
}
