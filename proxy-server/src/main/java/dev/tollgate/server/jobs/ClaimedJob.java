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
 * A job that a worker took up, as it was then.
 *
 * @param worker under whose name it is held
 * @param providerJob what the provider calls it; empty: nobody knows yet
 * @param intent how long ago its provider may have heard of it last; empty: it cannot have
 * @param inconclusiveAttempts how often in a row nothing was learned
 * @param doubt what speaks against it
 * @param doubts how often that was so since anything else was learned
 * @param age since it was submitted to us
 * @param images that came with it, for as long as no provider has it
 * @param demand what it waits for besides
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

  /** Whether it is to end before it is done. */
  public enum Demand {
    NONE,
    CANCEL,
    /** Its time is over. */
    EXPIRE
  }

  /** What speaks against a job that is not given up yet. */
  public enum Doubt {
    NONE,
    /** Its provider does not know it. */
    ABSENT,
    /** A file that was made is not there. */
    FILE,
    /** Our storage does not take a file. */
    STORAGE
  }

  /** How often this spoke against it before. */
  int doubts(Doubt which) {
    return doubt == which ? doubts : 0;
  }

  /** Whether the provider may have heard of it. */
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

  /** The request as it was accepted, a JSON object. */
  String params() {
    return job.params().toString();
  }
}
