package dev.tollgate.core.job;

import java.time.Duration;

/**
 * Port to the metrics of the workers that run media jobs. Its methods are called from any thread.
 */
public interface JobObserver {
  /** Workers claimed jobs. */
  void claimed(int jobs);

  /** A provider accepted a job, {@code waited} after it was submitted to the gateway. */
  void accepted(JobKind kind, Duration waited);

  /** A job waits because its provider has reached its maximum of jobs. */
  void deferred();

  /** A job ended, {@code age} after it was submitted to the gateway. */
  void ended(JobKind kind, JobStatus status, Duration age);

  /** A worker lost the lease of a job that it was still working on. */
  void leaseLost();

  /** A provider did not report the state of a job, or did not accept it. */
  void pollInconclusive();

  /** A file was copied into the gateway's storage. */
  void copied(long bytes);

  /** A file could not be copied. */
  void copyFailed();

  /** Files were deleted because their retention ended or their job was removed. */
  void deleted(int files);
}
