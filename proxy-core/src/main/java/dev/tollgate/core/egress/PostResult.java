package dev.tollgate.core.egress;

import java.time.Duration;

/** HTTP status that a client's URL returned for a POST, or the failure of the POST. */
public sealed interface PostResult {
  /**
   * The host answered, with whatever status.
   *
   * @param retryAfter the wait that the host asks for; zero if it asks for none
   */
  record Answered(int status, Duration retryAfter) implements PostResult {}

  /** The host did not answer, or was not called. */
  record Failed(FetchOutcome outcome) implements PostResult {}
}
