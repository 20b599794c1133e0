package dev.tollgate.server.jobs;

import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.JobStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * A job that a worker took up, as it was then.
 *
 * @param worker under whose name it is held
 * @param providerJob what the provider calls it; empty: nobody knows yet
 * @param intended whether the provider may have heard of it
 * @param tries how often in a row nothing was learned
 * @param age since it was submitted to us
 * @param demand what it waits for besides
 */
public record ClaimedJob(
    Job job,
    String worker,
    Optional<String> providerJob,
    boolean intended,
    int tries,
    Duration age,
    Demand demand) {

  /** Whether it is to end before it is done. */
  public enum Demand {
    NONE,
    CANCEL,
    /** Its time is over. */
    EXPIRE
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
