package dev.tollgate.core.job;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** State of a media job, with the legal transitions (docs/decisions/jobs.md#states). */
public enum JobStatus {
  /** Accepted, with its cost reserved; waits for a worker. */
  QUEUED,
  /** A provider accepted the job. */
  SUBMITTED,
  /** The provider makes the output. */
  RUNNING,
  /** The artifacts are available. */
  SUCCEEDED,
  /** The job failed at the provider or in the gateway. */
  FAILED,
  /** The owner canceled the job. */
  CANCELED,
  /** The job did not end in time. */
  EXPIRED;

  /**
   * Legal transitions. A job that its provider reports as done at the first poll passes through
   * {@link #RUNNING} in the same step.
   */
  private static final Map<JobStatus, Set<JobStatus>> NEXT =
      Map.of(
          QUEUED, Set.of(SUBMITTED, FAILED, CANCELED, EXPIRED),
          SUBMITTED, Set.of(RUNNING, FAILED, CANCELED, EXPIRED),
          RUNNING, Set.of(SUCCEEDED, FAILED, CANCELED, EXPIRED),
          SUCCEEDED, Set.of(),
          FAILED, Set.of(),
          CANCELED, Set.of(),
          EXPIRED, Set.of());

  private final String wire = name().toLowerCase(Locale.ROOT);

  /** Returns the name in job objects and in the store. */
  public String wire() {
    return wire;
  }

  /** True if no transition leads out of this state. */
  public boolean isTerminal() {
    return next().isEmpty();
  }

  /** Returns the states that may follow in one step. */
  public Set<JobStatus> next() {
    return NEXT.getOrDefault(this, Set.of());
  }

  public static Optional<JobStatus> parse(String wire) {
    for (JobStatus status : values()) {
      if (status.wire.equals(wire)) {
        return Optional.of(status);
      }
    }
    return Optional.empty();
  }
}
