package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.limit.Acquire;
import dev.tollgate.core.limit.Acquire.BucketAmount;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult;
import dev.tollgate.core.limit.AcquireResult.AllAcquired;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.AcquireResult.Refused;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Counters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Contract of {@link Counters}, in frozen time; each implementation has a test that extends it.
 * Buckets and slots are new in each test.
 */
public abstract class CountersContract {
  private static final Slot UNLIMITED = new Slot.Unlimited();

  /** Returns the counters under test. */
  protected abstract Counters counters();

  /** Lets time pass, in whole microseconds. */
  protected abstract void pass(Duration time);

  @Test
  void aBucketIsFullAtFirstAndFillsEvenly() {
    Bucket second = bucket(LimitScope.KEY, Unit.REQUESTS_PER_SECOND, 4);
    for (int left = 3; left >= 0; left--) {
      assertThat(taken(one(second)).levels().getFirst().remaining()).isEqualTo(left);
    }
    assertThat(refused(one(second)).levels()).containsExactly(new Level(0, 250_000));
    pass(Duration.ofMillis(249));
    assertThat(refused(one(second)).levels()).containsExactly(new Level(0, 1_000));
    pass(Duration.ofMillis(1));
    assertThat(taken(one(second)).levels()).containsExactly(new Level(0, 250_000));
    pass(Duration.ofDays(40));
    assertThat(taken(one(second)).levels()).containsExactly(new Level(3, 0));
  }

  @Test
  void aWaitIsRoundedUpToTheMicrosecondAndExact() {
    Bucket third = bucket(LimitScope.KEY, Unit.REQUESTS_PER_SECOND, 3);
    for (int n = 0; n < 3; n++) {
      taken(one(third));
    }
    assertThat(refused(one(third)).levels()).containsExactly(new Level(0, 333_334));
    pass(Duration.ofNanos(333_333_000));
    assertThat(refused(one(third)).levels()).containsExactly(new Level(0, 1));
    pass(Duration.ofNanos(1_000));
    assertThat(taken(one(third)).levels()).containsExactly(new Level(0, 333_333));
    pass(Duration.ofNanos(333_332_000));
    assertThat(refused(one(third)).levels()).as("nothing was lost").hasSize(1);
    pass(Duration.ofNanos(1_000));
    taken(one(third));
    pass(Duration.ofNanos(333_333_000));
    taken(one(third));
  }

  @Test
  void aRefusedAcquireTakesNothingFromAnyBucketAndNoSlot() {
    Bucket key = bucket(LimitScope.KEY, Unit.REQUESTS_PER_SECOND, 5);
    Bucket org = bucket(LimitScope.ORGANIZATION, Unit.REQUESTS_PER_MINUTE, 1);
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 600);
    Slot slot = new Slot.Limited(id(), 2);
    Acquire first =
        acquire(
            slot,
            new BucketAmount(key, 1),
            new BucketAmount(org, 1),
            new BucketAmount(tokens, 100));
    taken(first);
    for (int n = 0; n < 3; n++) {
      Acquire next =
          acquire(
              slot,
              new BucketAmount(key, 1),
              new BucketAmount(org, 1),
              new BucketAmount(tokens, 100));
      Refused refused = refused(next);
      assertThat(refused.slotFree()).isTrue();
      assertThat(refused.levels())
          .containsExactly(new Level(4, 0), new Level(0, 60_000_000), new Level(500, 0));
    }
    taken(acquire(slot, new BucketAmount(key, 1)));
    assertThat(refused(acquire(slot, new BucketAmount(key, 1))).slotFree()).isFalse();
    assertThat(levels(key, org, tokens)).extracting(Level::remaining).containsExactly(3L, 0L, 500L);
  }

  @Test
  void theSlotRefusesLastAndIsReported() {
    Bucket key = bucket(LimitScope.KEY, Unit.REQUESTS_PER_SECOND, 5);
    Slot slot = new Slot.Limited(id(), 1);
    Acquire running = acquire(slot, new BucketAmount(key, 1));
    taken(running);
    Refused refused = refused(acquire(slot, new BucketAmount(key, 1)));
    assertThat(refused.slotFree()).isFalse();
    assertThat(refused.levels()).containsExactly(new Level(4, 0));
    counters().end(running, 0);
    assertThat(taken(acquire(slot, new BucketAmount(key, 1))).levels())
        .containsExactly(new Level(3, 0));
  }

  @Test
  void slotsOfKeysAreApart() {
    Slot one = new Slot.Limited(id(), 1);
    taken(acquire(one));
    taken(acquire(new Slot.Limited(id(), 1)));
    refused(acquire(one));
  }

  @Test
  void fewerSlotsThanAreTakenRefuseUntilEnoughAreFreed() {
    String key = id();
    List<Acquire> running = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      running.add(acquire(new Slot.Limited(key, 3)));
      taken(running.getLast());
    }
    counters().end(running.getFirst(), 0);
    refused(acquire(new Slot.Limited(key, 1)));
    counters().end(running.get(1), 0);
    refused(acquire(new Slot.Limited(key, 1)));
    counters().end(running.get(2), 0);
    taken(acquire(new Slot.Limited(key, 1)));
  }

  @Test
  void tooHighEstimatesAreReturned() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 10_000);
    List<Acquire> admitted = new ArrayList<>();
    for (int n = 0; n < 50; n++) {
      Acquire acquire = acquire(UNLIMITED, new BucketAmount(tokens, 1_000));
      if (resultOf(acquire) instanceof AllAcquired) {
        admitted.add(acquire);
      }
    }
    assertThat(admitted).hasSize(10);
    admitted.forEach(acquire -> counters().end(acquire, 400));
    assertThat(levels(tokens)).containsExactly(new Level(6_000, 0));
  }

  @Test
  void aRefundNeverExceedsTheCapacity() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 600);
    Acquire acquire = acquire(UNLIMITED, new BucketAmount(tokens, 600));
    taken(acquire);
    pass(Duration.ofSeconds(30));
    counters().end(acquire, 0);
    assertThat(levels(tokens)).containsExactly(new Level(600, 0));
  }

  @Test
  void anOverrunOverdrawsTheBucketInFull() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 600);
    Acquire acquire = acquire(UNLIMITED, new BucketAmount(tokens, 100));
    taken(acquire);
    counters().end(acquire, 1_900);
    assertThat(levels(tokens)).extracting(Level::remaining).containsExactly(-1_300L);
    assertThat(refused(acquire(UNLIMITED, new BucketAmount(tokens, 10))).levels())
        .containsExactly(new Level(-1_300, 131_000_000));
    pass(Duration.ofSeconds(130));
    assertThat(levels(tokens)).extracting(Level::remaining).containsExactly(0L);
    pass(Duration.ofSeconds(1));
    taken(acquire(UNLIMITED, new BucketAmount(tokens, 10)));
  }

  @Test
  void requestsAreNotReturned() {
    Bucket minute = bucket(LimitScope.GLOBAL, Unit.REQUESTS_PER_MINUTE, 2);
    Acquire acquire = one(minute);
    taken(acquire);
    counters().end(acquire, 0);
    assertThat(levels(minute)).containsExactly(new Level(1, 0));
  }

  @Test
  void aHigherLimitActsAtOnceWithoutAFullBucket() {
    Bucket before = bucket(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 10);
    for (int n = 0; n < 8; n++) {
      taken(one(before));
    }
    Bucket after = resized(before, 600);
    assertThat(taken(one(after)).levels()).containsExactly(new Level(1, 0));
    taken(one(after));
    assertThat(refused(one(after)).levels()).containsExactly(new Level(0, 100_000));
    pass(Duration.ofMillis(300));
    assertThat(levels(after)).extracting(Level::remaining).containsExactly(3L);
  }

  @Test
  void theWaitUnderAHigherLimitIsExact() {
    Bucket before = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 10);
    Acquire all = acquire(UNLIMITED, new BucketAmount(before, 10));
    taken(all);
    counters().end(all, 1_010); // a debt of a hundred minutes at that limit
    Bucket after = resized(before, 10_000);
    pass(Duration.ofMillis(1));
    Acquire wanted = acquire(UNLIMITED, new BucketAmount(after, 5_000));
    long waitMicros = refused(wanted).levels().getFirst().waitMicros();
    assertThat(waitMicros).isBetween(35_999_000L, 36_000_000L);

    pass(Duration.ofNanos((waitMicros - 1_000_000) * 1_000));
    assertThat(refused(wanted).levels()).extracting(Level::waitMicros).containsExactly(1_000_000L);
    pass(Duration.ofSeconds(1));
    taken(wanted);
  }

  @Test
  void aProbeOfAnotherLimitAppliesIt() {
    Bucket before = bucket(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 1);
    taken(one(before));
    Bucket after = resized(before, 600);
    assertThat(levels(after)).extracting(Level::remaining).containsExactly(0L);
    pass(Duration.ofSeconds(10));
    assertThat(levels(after)).extracting(Level::remaining).containsExactly(100L);
  }

  @Test
  void aLowerLimitCutsWhatTheBucketHolds() {
    Bucket before = bucket(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 600);
    taken(one(before));
    Bucket after = resized(before, 6);
    assertThat(taken(one(after)).levels()).containsExactly(new Level(5, 0));
    pass(Duration.ofMinutes(5));
    assertThat(levels(after)).containsExactly(new Level(6, 0));
  }

  @Test
  void theSameLimitOfOthersIsAnotherBucket() {
    Bucket one = bucket(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 1);
    taken(one(one));
    taken(one(bucket(LimitScope.KEY, Unit.REQUESTS_PER_MINUTE, 1)));
    taken(one(new Bucket(LimitScope.ORGANIZATION, one.id(), one.unit(), 1)));
    taken(one(new Bucket(LimitScope.KEY, one.id(), Unit.REQUESTS_PER_SECOND, 1)));
    refused(one(one));
  }

  @Test
  void anAmountAboveTheCapacityIsRefusedWithoutAWait() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 600);
    assertThat(refused(acquire(UNLIMITED, new BucketAmount(tokens, 601))).levels())
        .containsExactly(new Level(600, 0));
  }

  @Test
  void aProbeTakesNothingAndIsNotRefused() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, 600);
    Acquire acquire = acquire(UNLIMITED, new BucketAmount(tokens, 600));
    taken(acquire);
    counters().end(acquire, 700);
    assertThat(levels(tokens)).extracting(Level::remaining).containsExactly(-100L);
    assertThat(levels(tokens)).extracting(Level::remaining).containsExactly(-100L);
  }

  @Test
  void theLargestBucketIsExact() {
    Bucket tokens = bucket(LimitScope.KEY, Unit.TOKENS_PER_MINUTE, Bucket.CAPACITY_MAX);
    taken(acquire(UNLIMITED, new BucketAmount(tokens, Bucket.CAPACITY_MAX)));
    assertThat(refused(acquire(UNLIMITED, new BucketAmount(tokens, Bucket.CAPACITY_MAX))).levels())
        .containsExactly(new Level(0, 60_000_000));
    pass(Duration.ofNanos(59_999_999_000L));
    refused(acquire(UNLIMITED, new BucketAmount(tokens, Bucket.CAPACITY_MAX)));
    pass(Duration.ofNanos(1_000));
    taken(acquire(UNLIMITED, new BucketAmount(tokens, Bucket.CAPACITY_MAX)));
  }

  @Test
  void noWindowAdmitsMoreThanTheCapacityAndTheRefill() {
    Seeds.forEach(10, this::windows);
  }

  private void windows(Random random) {
    int capacity = 1 + random.nextInt(30);
    Bucket bucket = bucket(LimitScope.MODEL, Unit.REQUESTS_PER_SECOND, capacity);
    List<Long> admittedAt = new ArrayList<>();
    long micros = 0;
    for (int step = 0; step < 60; step++) {
      long waited = random.nextInt(4) == 0 ? random.nextInt(2_000_000) : random.nextInt(60_000);
      micros += waited;
      pass(Duration.ofNanos(waited * 1_000));
      for (int asked = random.nextInt(5); asked > 0; asked--) {
        Acquire acquire = one(bucket);
        switch (resultOf(acquire)) {
          case AllAcquired _ -> admittedAt.add(micros);
          case Refused refused -> assertThat(refused.levels().getFirst().waitMicros()).isPositive();
          case AcquireResult.Unavailable unavailable -> throw new AssertionError(unavailable);
        }
      }
    }
    for (int from = 0; from < admittedAt.size(); from++) {
      for (int to = from; to < admittedAt.size(); to++) {
        long window = admittedAt.get(to) - admittedAt.get(from);
        assertThat((to - from + 1 - capacity) * 1_000_000L).isLessThanOrEqualTo(window * capacity);
      }
    }
  }

  // Acquisitions

  /** Returns a bucket with an owner of its own. */
  protected static Bucket bucket(LimitScope scope, Unit unit, long capacity) {
    return new Bucket(scope, id(), unit, capacity);
  }

  private static Bucket resized(Bucket bucket, long capacity) {
    return new Bucket(bucket.scope(), bucket.id(), bucket.unit(), capacity);
  }

  private static String id() {
    return RequestId.at(0).value();
  }

  protected static Acquire acquire(Slot slot, BucketAmount... takes) {
    return TestAcquires.of(RequestId.at(1_700_000_000_000L), List.of(takes), slot);
  }

  private static Acquire one(Bucket bucket) {
    return acquire(UNLIMITED, new BucketAmount(bucket, 1));
  }

  /** Returns the result of an acquisition, however late it arrives. */
  protected AcquireResult resultOf(Acquire acquire) {
    CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
    counters()
        .acquire(
            acquire,
            Runnable::run,
            result -> assertThat(answer.complete(result)).as("the only answer").isTrue());
    return answer.orTimeout(5, TimeUnit.SECONDS).join();
  }

  private AllAcquired taken(Acquire acquire) {
    AcquireResult result = resultOf(acquire);
    assertThat(result).isInstanceOf(AllAcquired.class);
    return (AllAcquired) result;
  }

  private Refused refused(Acquire acquire) {
    AcquireResult result = resultOf(acquire);
    assertThat(result).isInstanceOf(Refused.class);
    return (Refused) result;
  }

  private List<Level> levels(Bucket... buckets) {
    Acquire probe = Acquire.probe(RequestId.at(0), List.of(buckets));
    return taken(probe).levels();
  }
}
