package dev.tollgate.core.pipeline;

import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Port that looks up API keys, in the key cache and then in the key store. Never blocks. */
@FunctionalInterface
public interface Authenticator {
  /**
   * Finds a key and hands the result to {@code whenKnown} on {@code loop}: before this returns if
   * the key is in memory, later if the store must be asked.
   *
   * @param from the caller's address, whose budget bounds its look-ups; null if it cannot be read
   */
  void find(
      ValidKey key,
      @Nullable InetAddress from,
      EventExecutor loop,
      Consumer<CacheResult.FinalResult> whenKnown);
}
