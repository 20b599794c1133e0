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
  Submitted submit(MediaTarget target, ClaimedJob job) throws InterruptedException;

  /** Asks for the job that was submitted under our job's id. */
  Seen lookUp(MediaTarget target, ClaimedJob job) throws InterruptedException;

  /** Asks how a job stands. */
  Seen look(MediaTarget target, String providerJob) throws InterruptedException;

  /** Asks that a job be given up. */
  Canceled cancel(MediaTarget target, String providerJob) throws InterruptedException;

  /** Fetches the n-th file of a job. */
  Fetched fetch(MediaTarget target, String providerJob, int n, Spool into)
      throws InterruptedException;

  /** What came of a submission. */
  sealed interface Submitted {
    record Accepted(String providerJob) implements Submitted {}

    /** Nothing will be made. */
    record Refused(String code, String message) implements Submitted {}

    /** Nothing reached the provider, or it says that it takes nothing now. */
    record NotTaken(String reason) implements Submitted {}

    /** It may have been accepted or not, and may still be on its way. */
    record Unknown(String reason) implements Submitted {}
  }

  /** How a job stands. */
  sealed interface Seen {
    /** It is being made, or waits for it. */
    record Working(String providerJob, JobStore.Progress progress, Phase phase) implements Seen {}

    /**
     * It was made.
     *
     * @param length of all that was made; empty: the provider does not tell
     */
    record Made(String providerJob, Optional<Duration> length, List<MadeFile> files)
        implements Seen {
      public Made {
        files = List.copyOf(files);
      }
    }

    record Failed(String providerJob, String code, String message) implements Seen {}

    /** Given up by the provider or at our wish. */
    record GivenUp(String providerJob) implements Seen {}

    /** The provider knows no such job. */
    record Absent() implements Seen {}

    record Unknown(String reason) implements Seen {}
  }

  /** Whether a job has begun to be made. */
  enum Phase {
    WAITING,
    RUNNING
  }

  /** A file that can be fetched, as the provider tells of it. */
  record MadeFile(Optional<Frame> frame, Optional<Duration> length) {}

  /** What came of a wish to cancel. */
  sealed interface Canceled {
    record Done() implements Canceled {}

    /** The provider knows no such job, or not yet. */
    record Absent() implements Canceled {}

    /** It cannot be, or is over. */
    record Refused() implements Canceled {}

    record Unknown(String reason) implements Canceled {}
  }

  /** What came of fetching a file. */
  sealed interface Fetched {
    /** All of it is in the spool. */
    record Whole(String contentType) implements Fetched {}

    /** It is not there, or not yet. */
    record Absent() implements Fetched {}

    /** It is larger than the spool may become. */
    record TooLarge() implements Fetched {}

    record Unknown(String reason) implements Fetched {}
  }
}
