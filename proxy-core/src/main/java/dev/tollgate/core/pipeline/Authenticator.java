package dev.tollgate.core.pipeline;

import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyHash;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/**
 * Port that looks up API keys by hash, in the key cache and then in the key store. Never blocks.
 */
@FunctionalInterface
public interface Authenticator {
  /**
   * Finds a key and hands the result to {@code whenKnown} on {@code loop}: before this returns if
   * the key is in memory, later if the store must be asked.
   */
  void find(KeyHash hash, EventExecutor loop, Consumer<Lookup> whenKnown);
}
