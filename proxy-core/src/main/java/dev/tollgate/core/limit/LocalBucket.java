package dev.tollgate.core.limit;

import dev.tollgate.core.limit.AcquireResult.Level;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.BucketState;
import io.github.bucket4j.MathType;
import io.github.bucket4j.TokensInheritanceStrategy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Token bucket in this process's memory: Bucket4j's state, without a lock or clock of its own, so
 * that an acquisition checks and takes from all its buckets atomically. Guarded by its {@link
 * LocalBuckets}, except for {@link #used}.
 */
final class LocalBucket {
  // Keeps the debt and its products with the period far from the range of a long.
  private static final long PERIODS_OWED_MAX = 1_000_000;

  private final long periodMicros;

  /** When the bucket is full again: all that readers without the lock need to know. */
  private final AtomicLong fullNanos;

  private BucketState state;
  private long capacity;

  /** Creates a full bucket. */
  LocalBucket(Bucket rule, long nowNanos) {
    this.periodMicros = rule.unit().periodMicros();
    this.fullNanos = new AtomicLong(nowNanos);
    this.capacity = rule.capacity();
    this.state =
        BucketState.createInitialState(
            configuration(rule.capacity()), MathType.INTEGER_64_BITS, nowNanos);
  }

  private BucketConfiguration configuration(long tokens) {
    Duration period = Duration.ofNanos(periodMicros * 1_000);
    Bandwidth evenly = Bandwidth.builder().capacity(tokens).refillGreedy(tokens, period).build();
    return BucketConfiguration.builder().addLimit(evenly).build();
  }

  /** Adds the refill until now. */
  void refill(long nowNanos) {
    state.refillAllBandwidth(nowNanos);
  }

  /** Changes the capacity and with it the refill rate. The level stays. */
  void resize(long wanted, long nowNanos) {
    if (capacity != wanted) {
      state =
          state.replaceConfiguration(
              configuration(wanted), TokensInheritanceStrategy.AS_IS, nowNanos);
      capacity = wanted;
      show(nowNanos);
    }
  }

  /** Tells readers without the lock when the bucket, refilled until now, is full again. */
  private void show(long nowNanos) {
    long lacking = capacity - state.getCurrentSize(0);
    long micros = lacking <= 0 ? 0 : waitMicros(lacking, state.getRoundingError(0));
    fullNanos.setRelease(nowNanos + micros * 1_000);
  }

  /**
   * Returns what is used of the bucket, from any thread and without the lock.
   *
   * @param of the present capacity, which the bucket gets at its next use
   */
  long used(long of, long nowNanos) {
    long periodNanos = periodMicros * 1_000;
    // Without the microsecond by which the wait may be rounded up.
    long waitNanos = Math.clamp(fullNanos.getAcquire() - nowNanos - 1_000, 0, periodNanos);
    return Math.ceilDiv(waitNanos * of, periodNanos);
  }

  /**
   * True if the bucket has less than the amount. An amount of 0 is never short, even if the bucket
   * is overdrawn.
   */
  boolean isShortOf(long amount) {
    return amount > 0 && amount > state.getCurrentSize(0);
  }

  void take(long amount, long nowNanos) {
    state.consume(amount);
    show(nowNanos);
  }

  /** Returns the level, with the wait for {@code amount}. */
  Level level(long amount) {
    long level = state.getCurrentSize(0);
    if (amount == 0 || amount <= level || amount > capacity) {
      return new Level(level, 0);
    }
    return new Level(level, waitMicros(amount - level, state.getRoundingError(0)));
  }

  /**
   * @param flowedIn refilled part of the next token, in units of 1 / period nanoseconds
   */
  private long waitMicros(long lacking, long flowedIn) {
    long periodNanos = periodMicros * 1_000;
    if (lacking > Long.MAX_VALUE / periodNanos) {
      return lacking / capacity * periodMicros; // an overrun of years
    }
    return Math.ceilDiv(Math.ceilDiv(lacking * periodNanos - flowedIn, capacity), 1_000);
  }

  /**
   * Takes what was used above the estimate, which may overdraw the bucket. The debt is bounded to a
   * million periods.
   */
  void overrun(long amount, long nowNanos) {
    if (state.getCurrentSize(0) > -capacity * PERIODS_OWED_MAX) {
      take(amount, nowNanos);
    }
  }

  /** Returns what was not used, up to the capacity. */
  void refund(long amount, long nowNanos) {
    state.addTokens(amount);
    show(nowNanos);
  }
}
