package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.AcquireResult.AllAcquired;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is used of the buckets that two nodes share in a real Redis. */
final class SharedLevelsIT {
  private static final Bucket SLOW =
      new Bucket(LimitScope.ORGANIZATION, "o", Unit.REQUESTS_PER_MINUTE, 6);
  private static final Bucket QUICK =
      new Bucket(LimitScope.ORGANIZATION, "o", Unit.REQUESTS_PER_SECOND, 1_000_000);

  private final RedisProcess process = RedisProcess.start();
  private Redis one;
  private Redis other;

  @BeforeEach
  void open() throws Exception {
    one = node();
    other = node();
  }

  private Redis node() throws Exception {
    return Redis.open(
        RedisAddress.parse(new Secret(process.url())),
        Duration.ofSeconds(2),
        Optional.empty(),
        new FailureCounts());
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
    process.close();
  }

  @Test
  void allNodesSeeWhatOneUsedUntilItIsRefilled() {
    assertThat(other.levels().used(List.of(SLOW, QUICK))).contains(List.of(0L, 0L));
    var both = AcquireCalls.without(new BucketAmount(SLOW, 1), new BucketAmount(QUICK, 1));
    for (int n = 0; n < 3; n++) {
      assertThat(AcquireCalls.take(one.counters(), both)).isInstanceOf(AllAcquired.class);
    }
    assertThat(other.levels().used(List.of(SLOW, QUICK))).contains(List.of(3L, 0L));
    assertThat(other.levels().used(List.of())).contains(List.of());
  }

  @Test
  void aRedisThatIsGoneDoesNotTell() {
    assertThat(one.levels().used(List.of(SLOW))).isPresent();
    process.kill();
    assertThat(one.levels().used(List.of(SLOW))).isEmpty();
    assertThat(other.levels().used(List.of(SLOW))).as("never connected").isEmpty();
  }

  @Test
  void aSilentConnectionIsReplaced() {
    try (var relay = new SlowRelay(process);
        var levels = new SharedLevels(RedisAddress.parse(new Secret(relay.url())), () -> true)) {
      assertThat(levels.used(List.of(SLOW))).isPresent();
      relay.delay(Duration.ofHours(1));
      assertThat(levels.used(List.of(SLOW))).isEmpty();
      relay.delay(Duration.ZERO); // of new connections: the silent one has an order to keep
      assertThat(levels.used(List.of(SLOW))).contains(List.of(0L));
    }
  }

  @Test
  void noReaderWaitsForTheConnectionOfAnother() throws Exception {
    process.freeze();
    try (var levels = new SharedLevels(RedisAddress.parse(new Secret(process.url())), () -> true);
        var readers = Executors.newVirtualThreadPerTaskExecutor()) {
      long begunNanos = System.nanoTime();
      Callable<Optional<List<Long>>> read = () -> levels.used(List.of(SLOW));
      for (var each : readers.invokeAll(Collections.nCopies(10, read))) {
        assertThat(each.get()).isEmpty();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begunNanos))
          .as("ten after each other take ten seconds")
          .isLessThan(RedisAddress.CONNECT.multipliedBy(6));
    } finally {
      process.thaw();
    }
  }
}
