package dev.tollgate.core.routing;

import java.util.concurrent.atomic.AtomicInteger;

/** What is known of one provider at one endpoint. Shared by all loops. */
public final class ProviderHealth {
  private final Breaker breaker = new Breaker();
  private final RetryBudget retries = new RetryBudget();
  private final AtomicInteger inFlight = new AtomicInteger();

  public Breaker breaker() {
    return breaker;
  }

  RetryBudget retries() {
    return retries;
  }

  /** Retries that its budget did not allow. */
  public long retriesRefused() {
    return retries.refused();
  }

  /** Tries under way. */
  public int inFlight() {
    return inFlight.get();
  }

  void begun() {
    inFlight.incrementAndGet();
    retries.request();
  }

  void ended() {
    inFlight.decrementAndGet();
  }
}
