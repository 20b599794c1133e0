package dev.tollgate.core.testkit;

import dev.tollgate.core.idempotency.IdempotencyStore;

/** The in-memory store fulfils the contract. */
class InMemoryIdempotencyStoreTest extends IdempotencyContract {
  private long nanos = 1;
  private final InMemoryIdempotencyStore port = new InMemoryIdempotencyStore(() -> nanos);

  @Override
  protected IdempotencyStore first() {
    return port;
  }

  @Override
  protected IdempotencyStore second() {
    return port;
  }

  @Override
  protected void crash() {
    port.crash();
  }

  @Override
  protected void passLease() {
    nanos += InMemoryIdempotencyStore.LEASE.toNanos();
  }

  @Override
  protected void passDay() {
    nanos += InMemoryIdempotencyStore.KEPT.toNanos();
  }

  @Override
  protected void makeUnavailable() {
    port.setUnavailable(true);
  }
}
