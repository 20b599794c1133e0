package dev.tollgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.limit.Bucket.Scope;
import dev.tollgate.core.limit.Bucket.Unit;
import dev.tollgate.core.limit.Draw.Slot;
import dev.tollgate.core.limit.Draw.Take;
import dev.tollgate.core.testkit.CountersContract;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Buckets and slots of one process, in frozen time and between threads. */
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
    Bucket key = bucket(Scope.KEY, Unit.REQUESTS_PER_MINUTE, 1_000);
    Bucket global = bucket(Scope.GLOBAL, Unit.REQUESTS_PER_SECOND, 700);
    Draw draw = draw(new Slot.Unlimited(), new Take(key, 1), new Take(global, 1));
    assertThat(inFourThreads(() -> admitted(draw, 500))).isEqualTo(700);
    assertThat(level(key)).isEqualTo(300);
    assertThat(level(global)).isZero();
  }

  @Test
  void threadsTogetherHoldNoMoreSlotsThanThereAreAndReturnAll() throws Exception {
    Slot slot = new Slot.OneOf("key", 3);
    Bucket tokens = bucket(Scope.KEY, Unit.TOKENS_PER_MINUTE, 10_000);
    Draw draw = draw(slot, new Take(tokens, 100));
    AtomicLong most = new AtomicLong();
    inFourThreads(
        () -> {
          for (int n = 0; n < 2_000; n++) {
            if (drawn(draw) instanceof Drawn.Taken) {
              most.accumulateAndGet(counters.slotsInUse(), Math::max);
              counters.end(draw, 0);
            }
          }
          return 0L;
        });
    assertThat(most.get()).isBetween(1L, 3L);
    assertThat(counters.slotsInUse()).isZero();
    assertThat(level(tokens)).isEqualTo(10_000);
  }

  @Test
  void aDrawThatIsRefusedIsNotFeltByAnother() throws Exception {
    Bucket shared = bucket(Scope.KEY, Unit.TOKENS_PER_MINUTE, 1_000);
    Bucket empty = bucket(Scope.GLOBAL, Unit.REQUESTS_PER_MINUTE, 1);
    drawn(draw(new Slot.Unlimited(), new Take(empty, 1)));
    Draw refused = draw(new Slot.Unlimited(), new Take(shared, 1_000), new Take(empty, 1));
    Draw granted = draw(new Slot.Unlimited(), new Take(shared, 1));
    try (var threads = Executors.newFixedThreadPool(2)) {
      var asking = new AtomicBoolean(true);
      Future<Long> refusals = threads.submit(() -> admittedWhile(asking, refused));
      Future<Long> grants = threads.submit(() -> takenAndEnded(granted, 100_000));
      assertThat(grants.get()).isEqualTo(100_000);
      asking.set(false);
      assertThat(refusals.get()).isZero();
    }
  }

  private long admittedWhile(AtomicBoolean asking, Draw draw) {
    long admitted = 0;
    while (asking.get()) {
      admitted += admitted(draw, 1);
    }
    return admitted;
  }

  private long takenAndEnded(Draw draw, int times) {
    long taken = 0;
    for (int n = 0; n < times; n++) {
      if (drawn(draw) instanceof Drawn.Taken) {
        taken++;
        counters.end(draw, 0);
      }
    }
    return taken;
  }

  @Test
  void aForgottenBucketIsTheSameNewOneForWhoeverKnewIt() {
    Bucket shared = bucket(Scope.ORGANIZATION, minute(), 50);
    Draw one = draw(new Slot.Unlimited(), new Take(shared, 1));
    Draw other = draw(new Slot.Unlimited(), new Take(shared, 1));
    drawn(one);
    drawn(other);
    pass(Duration.ofMinutes(11));
    drawn(one);
    drawn(other);
    for (int n = 0; n < 10 * BUCKETS_MAX; n++) { // pushes it out
      drawn(draw(new Slot.Unlimited(), new Take(bucket(Scope.KEY, minute(), 5), 1)));
    }
    drawn(one);
    drawn(other);
    assertThat(level(shared)).isLessThanOrEqualTo(48);
  }

  @Test
  void bucketsAreBoundedInNumberAndIdleOnesGo() {
    for (int n = 0; n < 10 * BUCKETS_MAX; n++) {
      drawn(draw(new Slot.Unlimited(), new Take(bucket(Scope.KEY, minute(), 5), 1)));
      assertThat(counters.bucketsHeld()).isLessThanOrEqualTo(BUCKETS_MAX + 1);
    }
    pass(Duration.ofMinutes(11));
    for (int n = 0; n < 3; n++) {
      drawn(draw(new Slot.Unlimited(), new Take(bucket(Scope.KEY, minute(), 5), 1)));
    }
    assertThat(counters.bucketsHeld()).isLessThanOrEqualTo(4);
  }

  @Test
  void aBucketInUseIsNotForgotten() {
    Bucket tokens = bucket(Scope.KEY, Unit.TOKENS_PER_MINUTE, 60);
    Draw draw = draw(new Slot.Unlimited(), new Take(tokens, 1));
    drawn(draw);
    counters.end(draw, 3_600);
    for (int minute = 0; minute < 50; minute++) {
      pass(Duration.ofMinutes(1));
      assertThat(level(tokens)).isNegative();
    }
  }

  @Test
  void anAbsurdReportOfTokensIsNoOverflow() {
    Bucket tokens = bucket(Scope.KEY, Unit.TOKENS_PER_MINUTE, 60);
    Draw draw = draw(new Slot.Unlimited(), new Take(tokens, 1));
    for (int n = 0; n < 3; n++) {
      counters.end(draw, Long.MAX_VALUE);
      assertThat(level(tokens)).isNegative();
    }
    assertThat(drawn(draw))
        .isInstanceOfSatisfying(
            Drawn.Refused.class,
            refused ->
                assertThat(refused.levels().getFirst().waitMicros())
                    .isGreaterThan(Duration.ofDays(1_000).toNanos() / 1_000));
  }

  private static Unit minute() {
    return Unit.REQUESTS_PER_MINUTE;
  }

  private long level(Bucket bucket) {
    return drawn(Draw.look(draw(new Slot.Unlimited()).request(), List.of(bucket)))
            instanceof Drawn.Taken taken
        ? taken.levels().getFirst().remaining()
        : Long.MIN_VALUE;
  }

  private long admitted(Draw draw, int asked) {
    return IntStream.range(0, asked).filter(_ -> drawn(draw) instanceof Drawn.Taken).count();
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
