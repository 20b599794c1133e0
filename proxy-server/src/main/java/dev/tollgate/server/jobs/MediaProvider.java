package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact.Frame;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A provider that makes videos and music as jobs of its own. Every call blocks and has a bound in
 * time and size. What nobody knows is never told as a failure.
 */
public interface MediaProvider {
  /** Asks for a job, under our job's id as idempotency key. */
  SubmissionResult submit(MediaTarget target, ClaimedJob job) throws InterruptedException;

  /** Asks for the job that was submitted under our job's id. */
  ProviderJobState findSubmitted(MediaTarget target, ClaimedJob job) throws InterruptedException;

  /** Asks how a job stands. */
  ProviderJobState query(MediaTarget target, String providerJob) throws InterruptedException;

  /** Asks that a job be given up. */
  CancelResult cancel(MediaTarget target, String providerJob) throws InterruptedException;

  /** Fetches the n-th file of a job. */
  FileFetchResult fetch(MediaTarget target, String providerJob, int n, Spool into)
      throws InterruptedException;

  /** What came of a submission. */
  sealed interface SubmissionResult {
    record Accepted(String providerJob) implements SubmissionResult {}

    /** Nothing will be made. */
    record Refused(String code, String message) implements SubmissionResult {}

    /** Nothing reached the provider, or it says that it takes nothing now. */
    record NotTaken(String reason) implements SubmissionResult {}

    /** It may have been accepted or not, and may still be on its way. */
    record Unknown(String reason) implements SubmissionResult {}
  }

  /** How a job stands. */
  sealed interface ProviderJobState {
    /** It is being made, or waits for it. */
    record InProgress(String providerJob, JobStore.Progress progress, Phase phase)
        implements ProviderJobState {}

    /**
     * It was made.
     *
     * @param length of all that was made; empty: the provider does not tell
     */
    record Succeeded(String providerJob, Optional<Duration> length, List<OutputFile> files)
        implements ProviderJobState {
      public Succeeded {
        files = List.copyOf(files);
      }
    }

    record Failed(String providerJob, String code, String message) implements ProviderJobState {}

    /** Given up by the provider or at our wish. */
    record Aborted(String providerJob) implements ProviderJobState {}

    /** The provider knows no such job. */
    record Absent() implements ProviderJobState {}

    record Unknown(String reason) implements ProviderJobState {}
  }

  /** Whether a job has begun to be made. */
  enum Phase {
    WAITING,
    RUNNING
  }

  /** A file that can be fetched, as the provider tells of it. */
  record OutputFile(Optional<Frame> frame, Optional<Duration> length) {}

  /** What came of a wish to cancel. */
  sealed interface CancelResult {
    record Done() implements CancelResult {}

    /** The provider knows no such job, or not yet. */
    record Absent() implements CancelResult {}

    /** It cannot be, or is over. */
    record Refused() implements CancelResult {}

    record Unknown(String reason) implements CancelResult {}
  }

  /** What came of fetching a file. */
  sealed interface FileFetchResult {
    /** All of it is in the spool. */
    record Whole(String contentType) implements FileFetchResult {}

    /** It is not there, or not yet. */
    record Absent() implements FileFetchResult {}

    /** It is larger than the spool may become. */
    record TooLarge() implements FileFetchResult {}

    record Unknown(String reason) implements FileFetchResult {}
  }
}
