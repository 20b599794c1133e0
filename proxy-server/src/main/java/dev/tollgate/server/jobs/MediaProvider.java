package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact.Frame;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Port to media providers, which make videos and music as asynchronous jobs. Every call blocks and
 * is bounded in time and size. An unknown result is never reported as a failure.
 */
public interface MediaProvider {
  /** Submits a job, with the gateway's job id as idempotency key. */
  SubmissionResult submit(MediaTarget target, ClaimedJob job) throws InterruptedException;

  /** Finds the provider's job that was submitted under the gateway's job id. */
  ProviderJobState findSubmitted(MediaTarget target, ClaimedJob job) throws InterruptedException;

  /** Polls the state of a job. */
  ProviderJobState query(MediaTarget target, String providerJob) throws InterruptedException;

  /** Requests the cancellation of a job. */
  CancelResult cancel(MediaTarget target, String providerJob) throws InterruptedException;

  /** Fetches the n-th file of a job. */
  FileFetchResult fetch(MediaTarget target, String providerJob, int n, Spool into)
      throws InterruptedException;

  /** Result of submitting a job to the provider. */
  sealed interface SubmissionResult {
    record Accepted(String providerJob) implements SubmissionResult {}

    /** The provider refused for good. */
    record Refused(String code, String message) implements SubmissionResult {}

    /** The request did not reach the provider, or the provider accepts no job now. */
    record NotTaken(String reason) implements SubmissionResult {}

    /** The provider may or may not have accepted the job; the request may still be in flight. */
    record Unknown(String reason) implements SubmissionResult {}
  }

  /** State of a job at its provider. */
  sealed interface ProviderJobState {
    /** The output is being made, or the job waits in the provider's queue. */
    record InProgress(String providerJob, JobStore.Progress progress, Phase phase)
        implements ProviderJobState {}

    /**
     * The output was made.
     *
     * @param length duration of all output; empty if the provider does not report it
     */
    record Succeeded(String providerJob, Optional<Duration> length, List<OutputFile> files)
        implements ProviderJobState {
      public Succeeded {
        files = List.copyOf(files);
      }
    }

    record Failed(String providerJob, String code, String message) implements ProviderJobState {}

    /** The job was canceled, by the provider or on request. */
    record Aborted(String providerJob) implements ProviderJobState {}

    /** The provider does not know the job. */
    record Absent() implements ProviderJobState {}

    record Unknown(String reason) implements ProviderJobState {}
  }

  /** Phase of an unfinished job at its provider. */
  enum Phase {
    WAITING,
    RUNNING
  }

  /** Output file that can be fetched, as the provider describes it. */
  record OutputFile(Optional<Frame> frame, Optional<Duration> length) {}

  /** Result of requesting a cancellation from the provider. */
  sealed interface CancelResult {
    record Done() implements CancelResult {}

    /** The provider does not know the job, or not yet. */
    record Absent() implements CancelResult {}

    /** The job cannot be canceled, or has ended. */
    record Refused() implements CancelResult {}

    record Unknown(String reason) implements CancelResult {}
  }

  /** Result of fetching an output file. */
  sealed interface FileFetchResult {
    /** The spool has the whole file. */
    record Whole(String contentType) implements FileFetchResult {}

    /** The file does not exist, or not yet. */
    record Absent() implements FileFetchResult {}

    /** The file exceeds the bound of the spool. */
    record TooLarge() implements FileFetchResult {}

    record Unknown(String reason) implements FileFetchResult {}
  }
}
