package dev.tollgate.core.limit;

import dev.tollgate.core.limit.Drawn.Level;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.BucketState;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.TokensInheritanceStrategy;
import io.github.bucket4j.local.LocalBucketBuilder;
import java.time.Duration;

/**
 * A running bucket of this process. Shared by all loops; its state is one atomic reference to an
 * immutable, so that of concurrent takers each sees what the others left.
 */
final class LocalBucket {
  // Bucket4j refuses to book a debt whose end is later than a long counts nanoseconds.
  private static final long PERIODS_OWED_MAX = 1_000_000;

  private final long periodMicros;
  private final io.github.bucket4j.Bucket state;
  private volatile long capacity;

  /** What became of the wish for an amount, with the level after it. */
  sealed interface Taking {
    record Had(Level level) implements Taking {}

    record Lacked(Level level) implements Taking {}
  }

  /** A full bucket. */
  LocalBucket(Bucket rule, TimeMeter clock) {
    this.periodMicros = rule.unit().periodMicros();
    this.capacity = rule.capacity();
    this.state =
        new LocalBucketBuilder()
            .addLimit(bandwidth(rule.capacity()))
            .withCustomTimePrecision(clock)
            .build();
  }

  private Bandwidth bandwidth(long tokens) {
    Duration period = Duration.ofNanos(periodMicros * 1_000);
    return Bandwidth.builder().capacity(tokens).refillGreedy(tokens, period).build();
  }

  /** From now on it holds at most so much, and as much flows in. What it holds stays. */
  void resize(long wanted) {
    if (capacity != wanted) {
      change(wanted);
    }
  }

  // A lock, because state and capacity change together; taken only when a limit was changed.
  private synchronized void change(long wanted) {
    BucketConfiguration rule = BucketConfiguration.builder().addLimit(bandwidth(wanted)).build();
    state.replaceConfiguration(rule, TokensInheritanceStrategy.AS_IS);
    capacity = wanted;
  }

  Taking take(long amount) {
    if (amount == 0) {
      return new Taking.Had(level(0));
    }
    ConsumptionProbe probe = state.tryConsumeAndReturnRemaining(amount);
    if (!probe.isConsumed()) {
      Level now = level(amount);
      // More may have flowed in between; what refused has refused.
      return new Taking.Lacked(now.remaining() < amount ? now : new Level(amount - 1, 1));
    }
    // Only parts of tokens say how long the next wait is, and only a copy of the state has them.
    long left = probe.getRemainingTokens();
    return new Taking.Had(left < amount ? level(amount) : new Level(left, 0));
  }

  /** How it stands for someone who wants {@code amount}. */
  Level level(long amount) {
    return level(state.asVerbose().getAvailableTokens().getState(), amount);
  }

  private Level level(BucketState now, long amount) {
    long holds = now.getCurrentSize(0);
    if (amount == 0 || amount <= holds || amount > capacity) {
      return new Level(holds, 0);
    }
    return new Level(holds, waitMicros(amount - holds, now.getRoundingError(0)));
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
    if (state.getAvailableTokens() > -capacity * PERIODS_OWED_MAX) {
      var _ = state.consumeIgnoringRateLimits(amount);
    }
  }

  /** Less was used than was taken. It never holds more than its capacity. */
  void refund(long amount) {
    state.addTokens(amount);
  }
}
