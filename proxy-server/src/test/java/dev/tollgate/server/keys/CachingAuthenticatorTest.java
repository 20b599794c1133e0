package dev.tollgate.server.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class CachingAuthenticatorTest {
  private static final ValidKey ASKED = new ValidKey(new KeyId("k3yId001"), "a key");
  private static final ApiKey KEY =
      new ApiKey(
          new KeyId("k3yId001"),
          "laptop",
          "Wxyz",
          new Org(new OrgId(new UUID(0, 7)), "demo", Org.State.ACTIVE, null),
          KeyState.ACTIVE,
          null,
          ApiKey.KeyScope.ALL,
          ApiKey.KeyLimits.DEFAULT);

  private final EventExecutor loop = ImmediateEventExecutor.INSTANCE;
  private final List<CacheResult.FinalResult> answers = new ArrayList<>();
  private int lookUps;

  @Test
  void aKeyIsLookedUpOnceAndThenCached() {
    var keys = keys(hash -> found(), CachingAuthenticatorTest::runNow);
    keys.find(ASKED, null, loop, answers::add);
    keys.find(ASKED, null, loop, answers::add);

    assertThat(answers).containsExactly(new CacheResult.Known(KEY), new CacheResult.Known(KEY));
    assertThat(lookUps).isEqualTo(1);
  }

  @Test
  void aKeyThatDoesNotExistIsUnknown() {
    keys(_ -> new Lookup.Unknown(), CachingAuthenticatorTest::runNow)
        .find(ASKED, null, loop, answers::add);

    assertThat(answers).containsExactly(new CacheResult.Unknown());
  }

  @Test
  void aFullQueueIsNoVerdictOnTheKey() {
    keys(
            hash -> found(),
            (work, whenDone) -> whenDone.accept(new Offload.Outcome.Refused<>("full")))
        .find(ASKED, null, loop, answers::add);

    assertThat(answers).containsExactly(new CacheResult.Unavailable("full"));
  }

  @Test
  void aStoreThatFailsIsNoVerdictOnTheKey() {
    keys(
            hash -> {
              throw new IllegalStateException("down");
            },
            CachingAuthenticatorTest::runNow)
        .find(ASKED, null, loop, answers::add);

    assertThat(answers)
        .singleElement()
        .isInstanceOfSatisfying(
            CacheResult.Unavailable.class, it -> assertThat(it.reason()).contains("down"));
  }

  private Lookup found() {
    lookUps++;
    return new Lookup.Found(KEY);
  }

  private static CachingAuthenticator keys(KeyDirectory directory, Manner manner) {
    Offload offload =
        new Offload() {
          @Override
          @SuppressWarnings("unchecked") // the only tasks here are look-ups
          public <T> void run(
              EventExecutor caller,
              long deadlineNanos,
              Callable<T> work,
              Consumer<Outcome<T>> whenDone) {
            manner.run((Callable<Lookup>) work, outcome -> whenDone.accept((Outcome<T>) outcome));
          }
        };
    var cache =
        new KeyCache(CachingAuthenticator.loader(directory, offload), KeyCache.Rules.DEFAULT);
    cache.pollSucceeded(Ticker.systemTicker().nanoTime());
    return new CachingAuthenticator(cache);
  }

  private static void runNow(Callable<Lookup> work, Consumer<Offload.Outcome<Lookup>> whenDone) {
    try {
      whenDone.accept(new Offload.Outcome.Done<>(work.call()));
    } catch (Exception e) {
      whenDone.accept(new Offload.Outcome.Failed<>(e));
    }
  }

  /** Outcome of offloaded look-ups. */
  private interface Manner {
    void run(Callable<Lookup> work, Consumer<Offload.Outcome<Lookup>> whenDone);
  }
}
