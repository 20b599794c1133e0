package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact;
import dev.tollgate.core.job.JobFailure;
import dev.tollgate.core.job.JobId;
import dev.tollgate.server.jobs.ClaimedJob.Doubt;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Port through which workers claim and update media jobs in the store. Every call blocks. A method
 * that returns false changed nothing: the worker has lost the job, or the job has ended.
 */
public interface JobStore {
  /** Claims due jobs under a lease, taking turns among organizations and providers. */
  List<ClaimedJob> claim(Duration lease, JobClaimOptions options) throws SQLException;

  /** Renews the leases of these jobs; returns the jobs that are still claimed here. */
  Set<JobId> renew(List<ClaimedJob> jobs, Duration lease) throws SQLException;

  /** Records that the job is about to be sent to its provider. */
  Intent intend(ClaimedJob job) throws SQLException;

  /** Permission to send a job to its provider. */
  enum Intent {
    NOTED,
    /** The provider has reached its maximum of jobs. */
    FULL,
    /** The worker has lost the job, or the job has ended. */
    LOST
  }

  /** Records that the provider accepted the job under its own name; ends the claim. */
  boolean submitted(ClaimedJob job, String providerJob, Duration nextPoll) throws SQLException;

  /** Records that the provider makes the output; ends the claim. */
  boolean running(ClaimedJob job, Progress progress, Duration nextPoll) throws SQLException;

  /** Records that the provider has the job and has not begun; ends the claim. */
  boolean waiting(ClaimedJob job, Duration nextPoll) throws SQLException;

  /** Ends the claim of an unchanged job, which is due for the next worker at once. */
  boolean release(ClaimedJob job) throws SQLException;

  /** Records a poll that was inconclusive or raised a doubt; ends the claim. */
  boolean inconclusive(ClaimedJob job, Doubt doubt, Duration nextPoll) throws SQLException;

  /** Records that the output was made and is in the gateway's storage. */
  boolean succeed(ClaimedJob job, JobCharge charge, Duration retention, List<JobArtifact> files)
      throws SQLException;

  /** Records that the job has failed for good. */
  boolean fail(ClaimedJob job, JobFailure failure) throws SQLException;

  /** Records that the job did not end in time. */
  boolean expire(ClaimedJob job) throws SQLException;

  /** Records that the provider canceled the job, or never had it. */
  boolean canceled(ClaimedJob job) throws SQLException;

  /** Records that the provider does not cancel the job, which continues; ends the claim. */
  boolean cancelRefused(ClaimedJob job, Duration nextPoll) throws SQLException;

  /**
   * Takes expired files of a bounded number of jobs. No other node gets them for a while; a file
   * that is not forgotten by then is due again, after a delay that grows each time.
   */
  List<DueFile> takeDue(int jobsMax) throws SQLException;

  /** Deletes the rows of files whose blobs are deleted. */
  void forget(List<DueFile> files) throws SQLException;

  /** File to delete: the id of its row and its name in the gateway's storage. */
  record DueFile(UUID id, String name) {}

  /** Progress of a job, if its provider reports any. */
  sealed interface Progress {
    record Unknown() implements Progress {}

    record Percent(int percent) implements Progress {}
  }
}
