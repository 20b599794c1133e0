package dev.tollgate.core.tenant;

/**
 * Port that looks up API keys by hash in the key store. Its method blocks and is called through
 * {@code Offload}, never on an event loop.
 */
public interface KeyDirectory {
  /** Looks a key up by its hash. */
  Lookup find(KeyHash hash);

  /** Result of a lookup. */
  sealed interface Lookup {
    record Found(ApiKey key) implements Lookup {}

    record Unknown() implements Lookup {}

    /** The store did not answer: 503, never 401. */
    record Unavailable(String reason) implements Lookup {}
  }
}
