package dev.tollgate.server.jobs;

import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobStatus;
import dev.tollgate.core.storage.BlobName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Media job that a worker claimed, with its state at that time.
 *
 * @param worker the name under which it is claimed
 * @param providerJob the provider's name of the job; empty if not known yet
 * @param intent time since the last moment at which the job may have been sent; empty if never sent
 * @param inconclusiveAttempts inconclusive polls in a row
 * @param doubt evidence that the job is lost
 * @param doubts polls in a row that raised this doubt
 * @param age since the submission to the gateway
 * @param images the uploaded images, until a provider has the job
 * @param demand a request to end the job early
 */
public record ClaimedJob(
    Job job,
    String worker,
    Optional<String> providerJob,
    Optional<Duration> intent,
    int inconclusiveAttempts,
    Doubt doubt,
    int doubts,
    Duration age,
    List<BlobName> images,
    Demand demand) {
  public ClaimedJob {
    images = List.copyOf(images);
  }

  /** Request to end a job before it is done. */
  public enum Demand {
    NONE,
    CANCEL,
    /** The job did not end in time. */
    EXPIRE
  }

  /** Evidence that a job is lost; it fails when the evidence repeats. */
  public enum Doubt {
    NONE,
    /** The provider does not know the job. */
    ABSENT,
    /** A file of the finished job is missing. */
    FILE,
    /** The gateway's storage does not accept a file. */
    STORAGE
  }

  /** Returns how often this doubt was raised before. */
  int doubts(Doubt which) {
    return doubt == which ? doubts : 0;
  }

  /** True if the job may have been sent to its provider. */
  boolean mayHaveReachedProvider() {
    return intent.isPresent();
  }

  public JobId id() {
    return job.id();
  }

  public JobKind kind() {
    return job.kind();
  }

  JobStatus status() {
    return job.status();
  }

  /** Returns the request as it was accepted, a JSON object. */
  String params() {
    return job.params().toString();
  }
}
