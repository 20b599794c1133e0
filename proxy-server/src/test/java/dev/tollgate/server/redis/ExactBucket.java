package dev.tollgate.server.redis;

import dev.tollgate.core.limit.Bucket;
import java.math.BigInteger;

/**
 * Rule of a token bucket in arbitrary precision: a token is as many units as its period has
 * microseconds, so that each microsecond refills the capacity, in units.
 */
final class ExactBucket {
  private final BigInteger one;
  private BigInteger capacity;
  private BigInteger level;
  private long atMicros;

  ExactBucket(Bucket bucket, long nowMicros) {
    one = BigInteger.valueOf(bucket.unit().periodMicros());
    capacity = BigInteger.valueOf(bucket.capacity());
    level = capacity.multiply(one);
    atMicros = nowMicros;
  }

  private ExactBucket(BigInteger one, BigInteger capacity, BigInteger level, long atMicros) {
    this.one = one;
    this.capacity = capacity;
    this.level = level;
    this.atMicros = atMicros;
  }

  ExactBucket copy() {
    return new ExactBucket(one, capacity, level, atMicros);
  }

  /** A clock that goes back changes nothing: the bucket refills from then on. */
  void rebase(long nowMicros) {
    atMicros = Math.min(atMicros, nowMicros);
  }

  /** Refills until now. */
  void flow(long nowMicros) {
    BigInteger more = BigInteger.valueOf(Math.max(0, nowMicros - atMicros)).multiply(capacity);
    level = level.add(more).min(full());
    atMicros = nowMicros;
  }

  boolean hasCapacity(long wanted) {
    return capacity.equals(BigInteger.valueOf(wanted));
  }

  void resize(long newCapacity) {
    capacity = BigInteger.valueOf(newCapacity);
    level = level.min(full());
  }

  boolean has(long amount) {
    return amount == 0 || level.compareTo(units(amount)) >= 0;
  }

  /** Adds an amount, which may be below 0, up to the capacity. */
  void add(long amount) {
    level = level.add(units(amount)).min(full());
  }

  long remaining() {
    BigInteger[] parts = level.divideAndRemainder(one);
    return parts[0].longValueExact() - (parts[1].signum() < 0 ? 1 : 0);
  }

  long waitMicros(long amount) {
    BigInteger lacking = units(amount).subtract(level);
    if (amount == 0 || lacking.signum() <= 0 || units(amount).compareTo(full()) > 0) {
      return 0;
    }
    return lacking.add(capacity).subtract(BigInteger.ONE).divide(capacity).longValueExact();
  }

  private BigInteger units(long amount) {
    return BigInteger.valueOf(amount).multiply(one);
  }

  private BigInteger full() {
    return capacity.multiply(one);
  }
}
