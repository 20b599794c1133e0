package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.storage.BlobStore;
import java.time.Duration;

/**
 * Configured handling of generated media for which clients want a URL: the provider's own URL, or a
 * signed URL of a stored copy.
 */
public sealed interface Outputs {
  /** The client gets the provider's own URL. */
  record Passed() implements Outputs {}

  /**
   * The output is stored, and the client gets a signed URL.
   *
   * @param retention the shortest time for which it is stored
   * @param timeout for storing all outputs of one reply
   */
  record Kept(BlobStore blobs, Duration retention, Duration timeout) implements Outputs {}
}
