package dev.tollgate.core.routing;

/** Latest outcome of an organization at a circuit over all of them, as far as it is known. */
enum LatestOutcome {
  /** The circuit may not concern the organization, so it probes at once. */
  SUCCESS,
  /** It probes when a probe is due. */
  UNKNOWN,
  /** It may be the cause, so it probes after the others. */
  FAILURE
}
