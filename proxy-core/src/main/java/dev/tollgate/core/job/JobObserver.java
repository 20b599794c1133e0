package dev.tollgate.core.job;

import java.time.Duration;

/** Hears what workers do. Any thread. */
public interface JobObserver {
  /** Jobs were taken up. */
  void claimed(int jobs);

  /** A provider accepted a job, so long after it was submitted to us. */
  void accepted(JobKind kind, Duration waited);

  /** A job waits because its provider has as many as it may. */
  void deferred();

  /** A job ended here, so long after it was submitted to us. */
  void ended(JobKind kind, JobStatus status, Duration age);

  /** A worker lost a job that it still worked at. */
  void leaseLost();

  /** A provider did not tell how a job stands, or did not take it. */
  void pollInconclusive();

  /** A file was copied into our storage. */
  void copied(long bytes);

  /** It was not. */
  void copyFailed();

  /** Files were deleted because they were kept for long enough, or their job was removed. */
  void deleted(int files);
}
