package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Port to the jobs' rows, for workers. Every call blocks. Where a verb says false, the job is not
 * this worker's any more, or over, and nothing was done.
 */
public interface JobStore {
  /** Takes up jobs that are due, until the lease ends, in the order of their turns. */
  List<ClaimedJob> claim(Duration lease, JobClaimOptions options) throws SQLException;

  /** Makes the leases of these jobs last on; says which are still theirs. */
  Set<JobId> renew(List<ClaimedJob> jobs, Duration lease) throws SQLException;

  /** Notes that the provider is about to hear of it. */
  Intent intend(ClaimedJob job) throws SQLException;

  /** Whether a provider may hear of a job. */
  enum Intent {
    NOTED,
    /** The provider has as many jobs as it may. */
    FULL,
    /** It is not this worker's any more, or over. */
    LOST
  }

  /** The provider has it, and calls it so; it is given back. */
  boolean submitted(ClaimedJob job, String providerJob, Duration nextPoll) throws SQLException;

  /** The provider makes it; it is given back. */
  boolean running(ClaimedJob job, Progress progress, Duration nextPoll) throws SQLException;

  /** The provider has it and has not begun; it is given back. */
  boolean waiting(ClaimedJob job, Duration nextPoll) throws SQLException;

  /** Nobody looked at it; it is given back as it was, to be looked at by the next. */
  boolean release(ClaimedJob job) throws SQLException;

  /** Nothing was learned, or something that speaks against it; it is given back. */
  boolean inconclusive(ClaimedJob job, Doubt doubt, Duration nextPoll) throws SQLException;

  /** It was made and lies in our storage. */
  boolean succeed(ClaimedJob job, MicroUsd cost, Duration retention, List<JobArtifact> files)
      throws SQLException;

  /** Nothing will come of it. */
  boolean fail(ClaimedJob job, JobFailure failure) throws SQLException;

  /** Its time is over. */
  boolean expire(ClaimedJob job) throws SQLException;

  /** The provider has given it up, or never heard of it. */
  boolean canceled(ClaimedJob job) throws SQLException;

  /** The provider does not give it up; it goes on and is given back. */
  boolean cancelRefused(ClaimedJob job, Duration nextPoll) throws SQLException;

  /**
   * Takes files that were kept for long enough, of at most so many jobs: no other node is told of
   * them for a while, and what is not forgotten by then is due again, later with each time.
   */
  List<DueFile> takeDue(int jobsMax) throws SQLException;

  /** Forgets files whose bytes are gone. */
  void forget(List<DueFile> files) throws SQLException;

  /** A file that is to be deleted, by the name of its row and the one in our storage. */
  record DueFile(UUID id, String name) {}

  /** How far a job came, if its provider tells. */
  sealed interface Progress {
    record Unknown() implements Progress {}

    record Percent(int percent) implements Progress {}
  }
}
