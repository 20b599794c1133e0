package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.redis.Redis;
import dev.tollgate.server.redis.RedisAddress;
import dev.tollgate.server.redis.RedisFailure;
import dev.tollgate.server.redis.RedisObserver;
import dev.tollgate.server.redis.RedisProcess;
import dev.tollgate.server.settings.RedisSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who hears of changes that a node made. */
final class TenantChangesIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final RedisObserver NO_FIGURES =
      new RedisObserver() {
        @Override
        public void answered(long nanos) {}

        @Override
        public void failed(RedisFailure why) {}
      };

  private static boolean hears(Semaphore heard) throws InterruptedException {
    return heard.tryAcquire(5, TimeUnit.SECONDS);
  }

  @Test
  void otherNodesHearOfEachChangeAlsoAfterARestartOfRedis() throws Exception {
    try (var process = RedisProcess.start()) {
      var url = new Secret(process.url());
      var polls = new AtomicInteger();
      var changes = new TenantChanges(polls::incrementAndGet, new RedisSettings(url, TIMEOUT));
      var other = Redis.open(RedisAddress.parse(url), TIMEOUT, Optional.empty(), NO_FIGURES);
      try {
        var heard = new Semaphore(0);
        other.onKeyChange(heard::release);
        assertThat(hears(heard)).as("subscribed").isTrue();
        changes.announce();
        assertThat(hears(heard)).isTrue();

        process.kill();
        process.startAgain();
        assertThat(hears(heard)).as("subscribed again").isTrue();
        changes.announce();
        assertThat(hears(heard)).isTrue();
        assertThat(polls).hasValue(2);
      } finally {
        other.close();
      }
    }
  }

  @Test
  void withoutRedisTheOwnNodePolls() {
    var polls = new AtomicInteger();
    new TenantChanges(polls::incrementAndGet, new RedisSettings(null, TIMEOUT)).announce();
    assertThat(polls).hasValue(1);
  }
}
