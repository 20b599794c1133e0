package dev.tollgate.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import dev.tollgate.core.limit.LocalCounters;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestAcquires;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Equivalence of the scripts on a real Redis, the local counters, and the rule in arbitrary
 * precision: the same results, levels and waits over the same schedule.
 */
@Execution(ExecutionMode.CONCURRENT)
class CounterEquivalenceIT {
  private static final int SCHEDULES = 30;
  private static final int STEPS = 120;
  private static final String EPOCH = "node.1";

  private static RedisProcess process;
  private static RedisClient client;
  private static RedisCommands<String, String> redis;
  private static ScriptClock clock;

  private final Map<String, ExactBucket> buckets = new HashMap<>();
  private final Map<String, Integer> busy = new HashMap<>();
  private final List<Acquire> permits = new ArrayList<>();
  private @Nullable Counters alone;
  private long nowMicros = 1_700_000_000_000_000L;

  @BeforeAll
  static void start() {
    process = RedisProcess.start();
    client = RedisClient.create(process.url());
    redis = client.connect().sync();
    clock = new ScriptClock(redis);
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    process.close();
  }

  @Test
  void bucketsOfEverySize() {
    Seeds.forEach(SCHEDULES, random -> schedule(random, 1L << random.nextInt(1, 25), Clock.STEADY));
  }

  @Test
  void aClockThatSometimesGoesBack() {
    Seeds.forEach(
        SCHEDULES, random -> schedule(random, 1L << random.nextInt(1, 25), Clock.GOES_BACK));
  }

  @Test
  void anEmptyBucketFillsFromWhereTheClockWentBackTo() {
    redis.flushall();
    BucketAmount one = AcquireCalls.of(LimitScope.KEY, "k", Unit.REQUESTS_PER_SECOND, 1, 1);
    clock.set(nowMicros);
    assertThat(clock.run(ScriptCall.acquire(AcquireCalls.without(one), EPOCH))).startsWith(0L);

    clock.set(nowMicros - 3_600_000_000L); // a replica whose clock is an hour behind
    assertThat(clock.run(ScriptCall.acquire(AcquireCalls.without(one), EPOCH)))
        .containsExactly(1L, 1L, 0L, 1_000_000L);
    clock.set(nowMicros - 3_600_000_000L + 1_000_000);
    assertThat(clock.run(ScriptCall.acquire(AcquireCalls.without(one), EPOCH))).startsWith(0L);
  }

  /** Course of Redis' clock. */
  private enum Clock {
    STEADY,
    GOES_BACK;

    long step(RandomGenerator random) {
      long micros = random.nextLong(1, 1L << random.nextInt(1, 25));
      boolean back = this == GOES_BACK && random.nextInt(6) == 0;
      return back ? -micros * random.nextInt(1, 100) : micros;
    }
  }

  private void schedule(RandomGenerator random, long capacityMax, Clock time) {
    redis.flushall();
    buckets.clear();
    busy.clear();
    // The monotonic clock of a process never goes back.
    alone = time == Clock.STEADY ? new LocalCounters(() -> nowMicros * 1_000, 1_000) : null;
    permits.clear();
    clock.set(nowMicros);
    take(ofAll(capacityMax)); // an unused bucket is full, whatever its capacity was
    for (int step = 0; step < STEPS; step++) {
      nowMicros += time.step(random);
      clock.set(nowMicros);
      if (permits.isEmpty() || random.nextInt(3) > 0) {
        take(acquire(random, capacityMax));
      } else {
        Acquire ended = permits.remove(random.nextInt(permits.size()));
        end(ended, random.nextBoolean() ? 0 : random.nextLong(capacityMax * 2));
      }
    }
  }

  private Acquire ofAll(long capacity) {
    List<BucketAmount> takes = new ArrayList<>();
    for (Unit unit : Unit.values()) {
      takes.add(new BucketAmount(new Bucket(LimitScope.KEY, "k", unit, capacity), 1));
    }
    return TestAcquires.of(RequestId.at(nowMicros / 1_000), takes, new Slot.Unlimited());
  }

  private Acquire acquire(RandomGenerator random, long capacityMax) {
    List<BucketAmount> takes = new ArrayList<>();
    for (Unit unit : Unit.values()) {
      if (random.nextInt(4) > 0) {
        boolean changed = random.nextInt(8) == 0;
        long capacity = changed ? random.nextLong(1, capacityMax + 1) : capacityMax;
        long amount = unit == Unit.TOKENS_PER_MINUTE ? random.nextLong(capacity + 2) : 1;
        takes.add(new BucketAmount(new Bucket(LimitScope.KEY, "k", unit, capacity), amount));
      }
    }
    Slot slot = random.nextBoolean() ? new Slot.Unlimited() : new Slot.Limited("k", 4);
    return TestAcquires.of(RequestId.at(nowMicros / 1_000), takes, slot);
  }

  private void take(Acquire acquire) {
    List<Long> expected = taken(acquire);

    assertThat(clock.run(ScriptCall.acquire(acquire, EPOCH))).isEqualTo(expected);
    if (alone != null) {
      assertThat(AcquireCalls.take(alone, acquire)).isEqualTo(ScriptCall.result(expected));
    }
    if (expected.getFirst() == 0 && !ScriptCall.isProbe(acquire)) {
      permits.add(acquire);
    }
  }

  private void end(Acquire acquire, long tokensUsed) {
    ended(acquire, tokensUsed);

    assertThat(
            clock.run(ScriptCall.end(new PermitRelease.Used(acquire, tokensUsed), List.of(EPOCH))))
        .containsExactly(1L);
    assertThat(clock.run(ScriptCall.end(new PermitRelease.Undo(acquire, EPOCH), List.of(EPOCH))))
        .as("ended again")
        .containsExactly(0L);
    if (alone != null) {
      alone.end(acquire, tokensUsed);
    }
  }

  private List<Long> taken(Acquire acquire) {
    Map<BucketAmount, ExactBucket> after = new LinkedHashMap<>();
    int refused = 0;
    for (BucketAmount take : acquire.amounts()) {
      ExactBucket bucket = bucket(take.bucket()).copy();
      bucket.flow(nowMicros);
      if (!bucket.hasCapacity(take.bucket().capacity())) {
        bucket.resize(take.bucket().capacity());
        buckets.put(name(take.bucket()), bucket.copy()); // whether anything is taken or not
      }
      after.put(take, bucket);
      if (refused == 0 && !bucket.has(take.amount())) {
        refused = after.size();
      }
    }
    boolean free = isFree(acquire.slot());
    if (refused == 0 && !free) {
      refused = acquire.amounts().size() + 1;
    }
    List<Long> answer = new ArrayList<>(List.of((long) refused, free ? 1L : 0L));
    boolean taken = refused == 0;
    after.forEach(
        (take, bucket) -> {
          if (taken && take.amount() > 0) {
            bucket.add(-take.amount());
            buckets.put(name(take.bucket()), bucket);
          }
          answer.add(bucket.remaining());
          answer.add(bucket.waitMicros(take.amount()));
        });
    if (taken && acquire.slot() instanceof Slot.Limited one) {
      busy.merge(one.id(), 1, Integer::sum);
    }
    return answer;
  }

  private boolean isFree(Slot slot) {
    return switch (slot) {
      case Slot.Unlimited _ -> true;
      case Slot.Limited one -> busy.getOrDefault(one.id(), 0) < one.max();
    };
  }

  private void ended(Acquire acquire, long tokensUsed) {
    for (BucketAmount take : acquire.amounts()) {
      long back = take.amount() - tokensUsed;
      if (take.bucket().unit() == Unit.TOKENS_PER_MINUTE && back != 0) {
        ExactBucket bucket = bucket(take.bucket());
        bucket.flow(nowMicros);
        bucket.add(back);
        buckets.put(name(take.bucket()), bucket); // the bucket may be unused so far
      }
    }
    if (acquire.slot() instanceof Slot.Limited one) {
      busy.merge(one.id(), -1, Integer::sum);
    }
  }

  private ExactBucket bucket(Bucket bucket) {
    ExactBucket running = buckets.getOrDefault(name(bucket), new ExactBucket(bucket, nowMicros));
    running.rebase(nowMicros);
    return running;
  }

  private static String name(Bucket bucket) {
    return bucket.unit().name();
  }
}
