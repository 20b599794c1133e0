package dev.tollgate.server.redis;

import java.util.List;

/** What came of a call. */
sealed interface Reply {
  /** Redis did it. */
  record Done(List<Long> values) implements Reply {}

  /** Redis does not know the script yet, or no longer: nothing was done. */
  record UnknownScript() implements Reply {}

  /** Nobody knows, or nothing was done. */
  record Failed(Failure why, String reason) implements Reply {}
}
