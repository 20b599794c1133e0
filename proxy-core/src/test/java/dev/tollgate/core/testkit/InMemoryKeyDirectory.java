package dev.tollgate.core.testkit;

import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyHash;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Keys in memory, for tests; can be made to fail like a store in an outage. */
public final class InMemoryKeyDirectory implements KeyDirectory {
  private final Map<KeyHash, ApiKey> keys = new ConcurrentHashMap<>();
  private final AtomicInteger lookUps = new AtomicInteger();
  private volatile @Nullable String outage;

  /** Adds a key or replaces it. */
  public void put(KeyHash hash, ApiKey key) {
    keys.put(hash, key);
  }

  /** Makes every later query {@code Unavailable}. */
  public void fail(String reason) {
    outage = reason;
  }

  /** Ends the outage. */
  public void recover() {
    outage = null;
  }

  /** Returns the number of queries. */
  public int lookUps() {
    return lookUps.get();
  }

  @Override
  public Lookup find(KeyHash hash) {
    lookUps.incrementAndGet();
    String reason = outage;
    if (reason != null) {
      return new Lookup.Unavailable(reason);
    }
    ApiKey key = keys.get(hash);
    return key == null ? new Lookup.Unknown() : new Lookup.Found(key);
  }
}
