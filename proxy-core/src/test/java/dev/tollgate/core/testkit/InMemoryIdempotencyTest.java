package dev.tollgate.core.testkit;

import dev.tollgate.core.claim.Idempotency;

/** The one in memory keeps the contract. */
class InMemoryIdempotencyTest extends IdempotencyContract {
  private long nanos = 1;
  private final InMemoryIdempotency port = new InMemoryIdempotency(() -> nanos);

  @Override
  protected Idempotency first() {
    return port;
  }

  @Override
  protected Idempotency second() {
    return port;
  }

  @Override
  protected void crash() {
    port.crash();
  }

  @Override
  protected void passLease() {
    nanos += InMemoryIdempotency.LEASE.toNanos();
  }

  @Override
  protected void passDay() {
    nanos += InMemoryIdempotency.KEPT.toNanos();
  }

  @Override
  protected void takeAway() {
    port.goAway(true);
  }
}
