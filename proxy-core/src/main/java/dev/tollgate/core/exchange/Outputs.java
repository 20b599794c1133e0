package dev.tollgate.core.exchange;

import dev.tollgate.core.blob.Blobs;
import java.time.Duration;

/** What becomes of what providers make and clients want an address of. */
public sealed interface Outputs {
  /** The provider's own address is all that there is. */
  record Passed() implements Outputs {}

  /**
   * It is stored.
   *
   * @param kept how long at least
   * @param patience with the storing of all that one reply brings
   */
  record Kept(Blobs blobs, Duration kept, Duration patience) implements Outputs {}
}
