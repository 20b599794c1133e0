package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.storage.BlobStore;
import java.time.Duration;

/** What becomes of what providers make and clients want an address of. */
public sealed interface Outputs {
  /** The provider's own address is all that there is. */
  record Passed() implements Outputs {}

  /**
   * It is stored.
   *
   * @param retention how long at least
   * @param timeout with the storing of all that one reply brings
   */
  record Kept(BlobStore blobs, Duration retention, Duration timeout) implements Outputs {}
}
