package dev.tollgate.core.pipeline;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyHash;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Directory of keys in memory that counts its lookups and may delay them. */
final class InMemoryAuthenticator implements Authenticator {
  private static final SecureRandom RANDOM = new SecureRandom();

  final AtomicInteger lookups = new AtomicInteger();
  private final Map<KeyHash, CacheResult.FinalResult> known = new ConcurrentHashMap<>();
  private final BlockingQueue<Runnable> answers = new LinkedBlockingQueue<>();
  private volatile boolean holding;

  @Override
  public void find(
      ValidKey key,
      @Nullable InetAddress from,
      EventExecutor loop,
      Consumer<CacheResult.FinalResult> whenKnown) {
    lookups.incrementAndGet();
    var result = known.getOrDefault(key.hash(), new CacheResult.Unknown());
    if (holding) {
      answers.add(() -> loop.execute(() -> whenKnown.accept(result)));
    } else {
      whenKnown.accept(result);
    }
  }

  /** Lookups wait for the test from now on. */
  void hold() {
    holding = true;
  }

  /** Waits for a delayed lookup; running the result answers it. */
  Runnable awaitLookup() throws InterruptedException {
    Runnable answer = answers.poll(10, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("there was no lookup of a key");
    }
    return answer;
  }

  /** A header line with a key that may do everything. */
  String authorization() {
    return header(KeyState.ACTIVE, null, Set.of(), Org.State.ACTIVE);
  }

  String header(
      KeyState state, @Nullable Instant expiresAt, Set<String> allowedIps, Org.State org) {
    ValidKey text = ApiKeyText.generate(RANDOM);
    ApiKey key =
        new ApiKey(
            new KeyId("abcdefgh"),
            "test",
            "wxyz",
            new Org(new OrgId(new UUID(1, 2)), "org", org, null),
            state,
            expiresAt,
            new KeyScope(Set.of(), Set.of(), allowedIps),
            KeyLimits.DEFAULT);
    return add(text, new CacheResult.Known(key));
  }

  /** A header line with a well-formed key with this result. */
  String header(CacheResult.FinalResult result) {
    return add(ApiKeyText.generate(RANDOM), result);
  }

  private String add(ValidKey text, CacheResult.FinalResult result) {
    known.put(text.hash(), result);
    return "Authorization: Bearer " + text.text();
  }
}
