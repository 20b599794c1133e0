package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.testkit.CountersContract;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Counters of one process, in frozen time and between threads. */
class LocalCountersTest extends CountersContract {
  private static final int BUCKETS_MAX = 100;

  private final AtomicLong nanos = new AtomicLong(-5_000_000_123L);
  private final LocalCounters counters = new LocalCounters(nanos::get, BUCKETS_MAX);

  @Override
  protected Counters counters() {
    return counters;
  }

  @Override
  protected void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void threadsTogetherGetNoMoreThanTheBucketsHold() throws Exception {
    Bucket key = bucket(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 1_000);
    Bucket global = bucket(LimitScope.GLOBAL, Unit.REQUESTS_PER_SECOND, 700);
    Acquire acquire =
        acquire(new Slot.Unlimited(), new BucketAmount(key, 1), new BucketAmount(global, 1));
    assertThat(inFourThreads(() -> admitted(acquire, 500))).isEqualTo(700);
    assertThat(level(key)).isEqualTo(300);
    assertThat(level(global)).isZero();
  }

  @Test
  void threadsTogetherHoldNoMoreSlotsThanThereAreAndReturnAll() throws Exception {
    Slot slot = new Slot.Limited("key", 3);
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 10_000);
    Acquire acquire = acquire(slot, new BucketAmount(tokens, 100));
    AtomicLong most = new AtomicLong();
    inFourThreads(
        () -> {
          for (int n = 0; n < 2_000; n++) {
            if (resultOf(acquire) instanceof AcquireResult.AllAcquired) {
              most.accumulateAndGet(counters.slotsInUse(), Math::max);
              counters.end(acquire, 0);
            }
          }
          return 0L;
        });
    assertThat(most.get()).isBetween(1L, 3L);
    assertThat(counters.slotsInUse()).isZero();
    assertThat(level(tokens)).isEqualTo(10_000);
  }

  @Test
  void aRefusedAcquireDoesNotAffectAnother() throws Exception {
    Bucket shared = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 1_000);
    Bucket empty = bucket(LimitScope.GLOBAL, Unit.REQUESTS_PER_MINUTE, 1);
    resultOf(acquire(new Slot.Unlimited(), new BucketAmount(empty, 1)));
    Acquire refused =
        acquire(new Slot.Unlimited(), new BucketAmount(shared, 1_000), new BucketAmount(empty, 1));
    Acquire granted = acquire(new Slot.Unlimited(), new BucketAmount(shared, 1));
    try (var threads = Executors.newFixedThreadPool(2)) {
      var asking = new AtomicBoolean(true);
      Future<Long> refusals = threads.submit(() -> admittedWhile(asking, refused));
      Future<Long> grants = threads.submit(() -> takenAndEnded(granted, 100_000));
      assertThat(grants.get()).isEqualTo(100_000);
      asking.set(false);
      assertThat(refusals.get()).isZero();
    }
  }

  private long admittedWhile(AtomicBoolean asking, Acquire acquire) {
    long admitted = 0;
    while (asking.get()) {
      admitted += admitted(acquire, 1);
    }
    return admitted;
  }

  private long takenAndEnded(Acquire acquire, int times) {
    long taken = 0;
    for (int n = 0; n < times; n++) {
      if (resultOf(acquire) instanceof AcquireResult.AllAcquired) {
        taken++;
        counters.end(acquire, 0);
      }
    }
    return taken;
  }

  @Test
  void anEvictedBucketIsReplacedForAllLimitSets() {
    Bucket shared = bucket(LimitScope.ORGANIZATION, minute(), 50);
    Acquire one = acquire(new Slot.Unlimited(), new BucketAmount(shared, 1));
    Acquire other = acquire(new Slot.Unlimited(), new BucketAmount(shared, 1));
    resultOf(one);
    resultOf(other);
    pass(Duration.ofMinutes(11));
    resultOf(one);
    resultOf(other);
    for (int n = 0; n < 10 * BUCKETS_MAX; n++) { // evicts it
      resultOf(
          acquire(new Slot.Unlimited(), new BucketAmount(bucket(LimitScope.KEY, minute(), 5), 1)));
    }
    resultOf(one);
    resultOf(other);
    assertThat(level(shared)).isLessThanOrEqualTo(48);
  }

  @Test
  void bucketsAreBoundedAndIdleOnesAreEvicted() {
    for (int n = 0; n < 10 * BUCKETS_MAX; n++) {
      resultOf(
          acquire(new Slot.Unlimited(), new BucketAmount(bucket(LimitScope.KEY, minute(), 5), 1)));
      assertThat(counters.bucketCount()).isLessThanOrEqualTo(BUCKETS_MAX + 1);
    }
    pass(Duration.ofMinutes(11));
    for (int n = 0; n < 3; n++) {
      resultOf(
          acquire(new Slot.Unlimited(), new BucketAmount(bucket(LimitScope.KEY, minute(), 5), 1)));
    }
    assertThat(counters.bucketCount()).isLessThanOrEqualTo(4);
  }

  @Test
  void aBucketInUseIsNotEvicted() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 60);
    Acquire acquire = acquire(new Slot.Unlimited(), new BucketAmount(tokens, 1));
    resultOf(acquire);
    counters.end(acquire, 3_600);
    for (int minute = 0; minute < 50; minute++) {
      pass(Duration.ofMinutes(1));
      assertThat(level(tokens)).isNegative();
    }
  }

  @Test
  void whatIsUsedIsToldWithoutUsingAnything() {
    Bucket requests = bucket(LimitScope.ORGANIZATION, Unit.REQUESTS_PER_SECOND, 7);
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 1_000);
    List<Bucket> both = List.of(requests, tokens);
    assertThat(counters.used(both)).containsExactly(0L, 0L);
    assertThat(counters.bucketCount()).isZero();
    Acquire acquire =
        acquire(new Slot.Unlimited(), new BucketAmount(requests, 1), new BucketAmount(tokens, 300));
    for (int n = 0; n < 3; n++) {
      resultOf(acquire);
    }
    assertThat(counters.used(both)).containsExactly(3L, 900L);
    pass(Duration.ofMillis(200));
    assertThat(counters.used(both)).as("refilled, in whole ones").containsExactly(2L, 897L);
    counters.end(acquire, 100);
    assertThat(counters.used(both)).containsExactly(2L, 697L);
    counters.end(acquire, 1_000_000);
    assertThat(counters.used(both)).as("owed").containsExactly(2L, 1_000L);
    pass(Duration.ofMillis(300));
    assertThat(counters.used(List.of(requests))).containsExactly(0L);
  }

  @Test
  void readersNeedNoLock() throws Exception {
    Bucket rule = bucket(LimitScope.ORGANIZATION, Unit.REQUESTS_PER_MINUTE, 9);
    var owned = new LocalBuckets();
    synchronized (owned) {
      owned.get(rule, 0).take(4, 0);
      var used = CompletableFuture.supplyAsync(() -> owned.used(rule, 0));
      assertThat(used.get(10, TimeUnit.SECONDS)).isEqualTo(4);
    }
  }

  @Test
  void anAbsurdReportOfTokensIsNoOverflow() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 60);
    Acquire acquire = acquire(new Slot.Unlimited(), new BucketAmount(tokens, 1));
    for (int n = 0; n < 3; n++) {
      counters.end(acquire, Long.MAX_VALUE);
      assertThat(level(tokens)).isNegative();
    }
    assertThat(resultOf(acquire))
        .isInstanceOfSatisfying(
            AcquireResult.Refused.class,
            refused ->
                assertThat(refused.levels().getFirst().waitMicros())
                    .isGreaterThan(Duration.ofDays(1_000).toNanos() / 1_000));
  }

  private static Unit minute() {
    return Unit.REQUESTS_PER_MINUTE;
  }

  private long level(Bucket bucket) {
    return resultOf(Acquire.probe(acquire(new Slot.Unlimited()).request(), List.of(bucket)))
            instanceof AcquireResult.AllAcquired taken
        ? taken.levels().getFirst().remaining()
        : Long.MIN_VALUE;
  }

  private long admitted(Acquire acquire, int asked) {
    return IntStream.range(0, asked)
        .filter(_ -> resultOf(acquire) instanceof AcquireResult.AllAcquired)
        .count();
  }

  private static long inFourThreads(Callable<Long> work) throws Exception {
    try (var threads = Executors.newFixedThreadPool(4)) {
      long sum = 0;
      for (Future<Long> done : threads.invokeAll(List.of(work, work, work, work))) {
        sum += done.get();
      }
      return sum;
    }
  }
}
