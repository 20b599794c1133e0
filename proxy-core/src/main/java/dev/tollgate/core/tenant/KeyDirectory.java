package dev.tollgate.core.tenant;

/**
 * Port to the store of keys. The one method blocks: it is called through {@code Offload}, never on
 * an event loop.
 */
public interface KeyDirectory {
  /** Looks a key up by its hash. */
  Lookup find(KeyHash hash);

  /** What a look-up brought. */
  sealed interface Lookup {
    record Found(ApiKey key) implements Lookup {}

    record Unknown() implements Lookup {}

    /** The store could not be asked: "I cannot know" is 503, never 401. */
    record Unavailable(String reason) implements Lookup {}
  }
}
