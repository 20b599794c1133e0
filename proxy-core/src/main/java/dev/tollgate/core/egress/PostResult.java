package dev.tollgate.core.egress;

import java.time.Duration;

/** Result of a POST. */
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
