package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.KeyId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RefusalCacheTest {
  private static final KeyId KEY = new KeyId("onekey01");
  private static final Fault FAULT =
      Fault.of(ErrorCode.RATE_LIMITED, "Too many requests.").withRetryAfter(1);
  private static final long NOW = -5; // a monotonic clock may be below zero

  private final RefusalCache cache = new RefusalCache();

  @Test
  void aKeyIsRefusedUntilItsTimeAndNotFromThenOn() {
    assertThat(cache.find(KEY, NOW)).isNull();
    cache.remember(KEY, FAULT, NOW, NOW + 1000);

    assertThat(cache.find(KEY, NOW + 999)).isSameAs(FAULT);
    assertThat(cache.find(KEY, NOW + 1000)).isNull();
    assertThat(cache.find(new KeyId("otherkey"), NOW)).isNull();
  }

  @Test
  void nothingIsKnownForMoreThanASecond() {
    cache.remember(KEY, FAULT, NOW, NOW + TimeUnit.SECONDS.toNanos(60));

    assertThat(cache.find(KEY, NOW + TimeUnit.SECONDS.toNanos(1) - 1)).isSameAs(FAULT);
    assertThat(cache.find(KEY, NOW + TimeUnit.SECONDS.toNanos(1))).isNull();
  }

  @Test
  void whatIsOverAlreadyIsNotRemembered() {
    cache.remember(KEY, FAULT, NOW, NOW);

    assertThat(cache.find(KEY, NOW - 1)).isNull();
  }

  @Test
  void aKeyWhoseLimitsChangedIsForgotten() {
    cache.remember(KEY, FAULT, NOW, NOW + 1000);
    cache.forget(KEY);

    assertThat(cache.find(KEY, NOW)).isNull();
  }

  @Test
  void howeverManyKeysThereAreItHoldsNoMore() {
    for (int i = 0; i < 100_000; i++) {
      cache.remember(new KeyId("key%05d".formatted(i)), FAULT, NOW, NOW + 1000);
    }

    long known = 0;
    for (int i = 0; i < 100_000; i++) {
      known += cache.find(new KeyId("key%05d".formatted(i)), NOW) == null ? 0 : 1;
    }
    assertThat(known).isBetween(1L, (long) cache.size());
  }
}
