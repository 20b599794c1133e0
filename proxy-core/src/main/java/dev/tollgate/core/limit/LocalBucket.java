package dev.tollgate.core.limit;

import dev.tollgate.core.limit.AcquireResult.Level;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.BucketState;
import io.github.bucket4j.MathType;
import io.github.bucket4j.TokensInheritanceStrategy;
import java.time.Duration;

/**
 * A running bucket of this process: Bucket4j's state, whose lock and clock are its owner's, so that
 * all buckets of a draw are looked at and taken from together. Guarded by its {@link LocalBuckets}.
 */
final class LocalBucket {
  // What is owed, and what flows in of it, stay far from the end of a long.
  private static final long PERIODS_OWED_MAX = 1_000_000;

  private final long periodMicros;
  private BucketState state;
  private long capacity;

  /** A full bucket. */
  LocalBucket(Bucket rule, long nowNanos) {
    this.periodMicros = rule.unit().periodMicros();
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

  /** What flowed in until now is in it. */
  void refill(long nowNanos) {
    state.refillAllBandwidth(nowNanos);
  }

  /** From now on it holds at most so much, and as much flows in. What it holds stays. */
  void resize(long wanted, long nowNanos) {
    if (capacity != wanted) {
      state =
          state.replaceConfiguration(
              configuration(wanted), TokensInheritanceStrategy.AS_IS, nowNanos);
      capacity = wanted;
    }
  }

  /** Nothing is lacking where nothing is wanted, even in one that is overdrawn. */
  boolean isShortOf(long amount) {
    return amount > 0 && amount > state.getCurrentSize(0);
  }

  void take(long amount) {
    state.consume(amount);
  }

  /** How it stands for someone who wants {@code amount}. */
  Level level(long amount) {
    long level = state.getCurrentSize(0);
    if (amount == 0 || amount <= level || amount > capacity) {
      return new Level(level, 0);
    }
    return new Level(level, waitMicros(amount - level, state.getRoundingError(0)));
  }

  /**
   * @param flowedIn of the next token, in parts of the period's nanoseconds
   */
  private long waitMicros(long lacking, long flowedIn) {
    long periodNanos = periodMicros * 1_000;
    if (lacking > Long.MAX_VALUE / periodNanos) {
      return lacking / capacity * periodMicros; // an overrun of years
    }
    return Math.ceilDiv(Math.ceilDiv(lacking * periodNanos - flowedIn, capacity), 1_000);
  }

  /** More was used than was taken; it may owe now. Who owes a million periods owes no more. */
  void overrun(long amount) {
    if (state.getCurrentSize(0) > -capacity * PERIODS_OWED_MAX) {
      state.consume(amount);
    }
  }

  /** Less was used than was taken. It never holds more than its capacity. */
  void refund(long amount) {
    state.addTokens(amount);
  }
}
