package dev.tollgate.core.testkit;

import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyHash;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Key directory in memory for tests, which can be made unavailable. */
public final class InMemoryKeyDirectory implements KeyDirectory {
  private final Map<KeyHash, ApiKey> keys = new ConcurrentHashMap<>();
  private final AtomicInteger lookUps = new AtomicInteger();
  private volatile @Nullable String outage;

  /** Adds a key or replaces it. */
  public void put(KeyHash hash, ApiKey key) {
    keys.put(hash, key);
  }

  /** Makes every look-up {@code Unavailable} from now on. */
  public void fail(String reason) {
    outage = reason;
  }

  /** Ends the outage. */
  public void recover() {
    outage = null;
  }

  /** Returns the number of look-ups. */
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
