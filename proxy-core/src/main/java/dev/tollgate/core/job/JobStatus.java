package dev.tollgate.core.job;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Where a job stands, and what may become of it (docs/decisions/jobs.md#states). */
public enum JobStatus {
  /** Accepted, its cost reserved, waiting for a worker. */
  QUEUED,
  /** A provider has it. */
  SUBMITTED,
  /** The provider makes it. */
  RUNNING,
  /** Its artifacts can be had. */
  SUCCEEDED,
  /** Nothing will come of it, by a fault of the provider's or ours. */
  FAILED,
  /** Its owner did not want it any more. */
  CANCELED,
  /** Its time was over first. */
  EXPIRED;

  /**
   * The one table of what follows what. What a provider is done with when it is first asked passes
   * through {@link #RUNNING} in the same step.
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

  /** The name in job objects and in the store. */
  public String wire() {
    return wire;
  }

  /** Whether nothing more becomes of it. */
  public boolean isTerminal() {
    return next().isEmpty();
  }

  /** What it may become in one step. */
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
