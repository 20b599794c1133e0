package dev.tollgate.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ApiKey.KeyLimits;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Race of a key that changes all the time with readers and slow look-ups: a reader that begins
 * after a change was applied never sees the old key.
 */
class KeyCacheRaceTest {
  private static final ValidKey ASKED = new ValidKey(new KeyId("raced"), "raced");
  private static final OrgId ORG = new OrgId(UUID.randomUUID());

  private final AtomicLong stored = new AtomicLong();
  private final AtomicLong applied = new AtomicLong();
  private final AtomicBoolean ended = new AtomicBoolean();

  @Test
  void noReaderSeesAKeyFromBeforeAnAppliedChange() throws Exception {
    Seeds.forEach(3, this::race);
  }

  private void race(Random random) throws Exception {
    ended.set(false);
    try (var threads = Executors.newCachedThreadPool()) {
      long seed = random.nextLong();
      KeyCache cache =
          new KeyCache(
              (hash, whenDone) ->
                  threads.execute(
                      () -> {
                        Lookup read = new Lookup.Found(version(stored.get()));
                        spin(new Random(seed ^ stored.get()).nextInt(2_000));
                        whenDone.accept(read);
                      }),
              KeyCache.Rules.DEFAULT);
      cache.pollSucceeded(0);
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        readers.add(threads.submit(() -> read(cache)));
      }
      for (int change = 0; change < 3_000; change++) {
        long next = stored.incrementAndGet();
        if (random.nextBoolean()) {
          cache.changed(new KeyId("raced"));
        } else {
          cache.changedOrg(ORG);
        }
        applied.set(next);
        spin(random.nextInt(1_000));
      }
      ended.set(true);
      for (Future<?> reader : readers) {
        reader.get(30, TimeUnit.SECONDS);
      }
      assertThat(cache.pendingLookups()).isZero();
    }
  }

  private void read(KeyCache cache) {
    while (!ended.get()) {
      long atLeast = applied.get();
      CompletableFuture<CacheResult.FinalResult> later = new CompletableFuture<>();
      CacheResult.FinalResult verdict =
          switch (cache.find(ASKED, null, 0, Runnable::run, later::complete)) {
            case CacheResult.Pending pending -> later.orTimeout(30, TimeUnit.SECONDS).join();
            case CacheResult.FinalResult atOnce -> atOnce;
          };
      // The cache may refuse a look-up at its bound.
      if (verdict instanceof CacheResult.Known known) {
        assertThat(Long.parseLong(known.key().name())).isGreaterThanOrEqualTo(atLeast);
      }
    }
  }

  private static void spin(int times) {
    for (int i = 0; i < times; i++) {
      Thread.onSpinWait();
    }
  }

  private static ApiKey version(long version) {
    return new ApiKey(
        new KeyId("raced"),
        Long.toString(version),
        "wxyz",
        new Org(ORG, "org", Org.State.ACTIVE, null),
        KeyState.ACTIVE,
        null,
        KeyScope.ALL,
        KeyLimits.DEFAULT);
  }
}
