package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.LocalCounters;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/**
 * Cost of a request's limits, counted in this process and in Redis: processor time of this process
 * and of Redis for one acquisition of five buckets and a slot, and its end.
 */
class SharedCountersBench {
  private static final int ACQUIRES = Integer.getInteger("bench.acquires", 100_000);
  private static final int UNDER_WAY_MAX = 64;
  private static final Path RESULTS = Path.of("target/bench/shared-counters.txt");
  private static final long PLENTY = 1_000_000;

  private record Cost(double ownMicros, double redisMicros) {}

  @Test
  void costOfAnAcquire() throws Exception {
    try (RedisProcess process = RedisProcess.start();
        Redis redis =
            Redis.open(
                RedisAddress.parse(new Secret(process.url())),
                Duration.ofSeconds(5),
                Optional.empty(),
                new FailureCounts())) {
      RedisClient client = RedisClient.create(process.url());
      var commands = client.connect().sync();
      Counters local = new LocalCounters(System::nanoTime, 1_000);
      run(local, commands);
      run(redis.counters(), commands);
      Cost own = run(local, commands);
      Cost shared = run(redis.counters(), commands);
      client.shutdown();

      String observer =
          "%d acquires of 5 buckets and a slot, taken and ended: in this process %.2f us of CPU each; through Redis %.2f us here and %.2f us there%n"
              .formatted(ACQUIRES, own.ownMicros(), shared.ownMicros(), shared.redisMicros());
      Files.createDirectories(Path.of("target/bench"));
      Files.writeString(RESULTS, observer);
      assertThat(shared.redisMicros()).as(observer).isPositive();
    }
  }

  private static Cost run(Counters counters, RedisCommands<String, String> redis)
      throws InterruptedException {
    double redisBefore = cpuSeconds(redis);
    long before = ownNanos();
    var underWay = new Semaphore(UNDER_WAY_MAX);
    for (int n = 0; n < ACQUIRES; n++) {
      Acquire acquire = acquire(n);
      underWay.acquire();
      counters.acquire(
          acquire,
          Runnable::run,
          result -> {
            if (!(result instanceof AcquireResult.AllAcquired)) {
              throw new AssertionError(result);
            }
            counters.end(acquire, 0);
            underWay.release();
          });
    }
    underWay.acquire(UNDER_WAY_MAX);
    return new Cost(
        (ownNanos() - before) / 1e3 / ACQUIRES, (cpuSeconds(redis) - redisBefore) * 1e6 / ACQUIRES);
  }

  private static Acquire acquire(int n) {
    String key = "key" + n % 50;
    return AcquireCalls.slot(
        key,
        1_000,
        AcquireCalls.of(LimitScope.KEY, key, Unit.REQUESTS_PER_SECOND, PLENTY, 1),
        AcquireCalls.of(LimitScope.KEY, key, Unit.REQUESTS_PER_MINUTE, PLENTY, 1),
        AcquireCalls.of(LimitScope.ORGANIZATION, "o", Unit.REQUESTS_PER_SECOND, PLENTY, 1),
        AcquireCalls.of(LimitScope.ORGANIZATION, "o", Unit.REQUESTS_PER_MINUTE, PLENTY, 1),
        AcquireCalls.of(LimitScope.GLOBAL, "*", Unit.REQUESTS_PER_SECOND, PLENTY, 1));
  }

  private static long ownNanos() {
    var system =
        ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    return system.getProcessCpuTime();
  }

  private static double cpuSeconds(RedisCommands<String, String> redis) {
    return redis
        .info("cpu")
        .lines()
        .filter(line -> line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
        .sum();
  }
}
