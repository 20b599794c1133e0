package dev.tollgate.core.egress;

import java.time.Duration;

/** What came of a POST. */
public sealed interface PostResult {
  /**
   * The host answered, with a redirect or whatever else.
   *
   * @param retryAfter how long it asks us to wait; zero where it says nothing
   */
  record Answered(int status, Duration retryAfter) implements PostResult {}

  /** It did not, or was not asked. */
  record Failed(FetchOutcome outcome) implements PostResult {}
}
