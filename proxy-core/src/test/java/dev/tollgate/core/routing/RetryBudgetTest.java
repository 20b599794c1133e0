package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.catalog.Strategy;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Number of retries that a provider may be sent. */
class RetryBudgetTest {
  private static final RoutingRules USUAL = RoutingRules.DEFAULT;
  private static final RoutingRules BY_SHARE =
      new RoutingRules(Strategy.PRIORITY, 3, 0.1, 0, 0, null);

  private final RetryBudget budget = new RetryBudget();
  private long now = Duration.ofHours(1).toNanos();

  @Test
  void aQuietProviderMayBeSentThreePerSecond() {
    assertThat(taken(USUAL, 100)).as("at once").isEqualTo(3);
    int after = 0;
    for (int second = 0; second < 60; second++) {
      now += Duration.ofSeconds(1).toNanos();
      after += taken(USUAL, 100);
    }
    assertThat(after).isBetween(179, 180);
    assertThat(budget.refused(ExtraAttempt.RETRY)).isGreaterThan(5_000);
  }

  @Test
  void aBusyOneMayBeSentAShareOfItsRequests() {
    int requests = 10_000;
    int taken = 0;
    for (int i = 0; i < requests; i++) {
      budget.request();
      taken += taken(BY_SHARE, 1);
    }
    assertThat(taken).isBetween(requests / 10 - 1, requests / 10);
  }

  @Test
  void bothTogetherBoundAnOutage() {
    int taken = 0;
    for (int milli = 0; milli < 10_000; milli++) {
      now += Duration.ofMillis(1).toNanos();
      budget.request();
      taken += taken(USUAL, 3);
    }
    assertThat(taken).as("10 s with 1000 requests per second").isBetween(1_000, 1_040);
  }

  @Test
  void whatWasNotUsedIsNotSavedForAnOutage() {
    for (int i = 0; i < 1_000_000; i++) {
      budget.request();
    }
    now += Duration.ofHours(1).toNanos();
    assertThat(taken(USUAL, 1_000)).isEqualTo(10);
  }

  @Test
  void nothingIsEverSentWhereNothingIsAllowed() {
    var none = new RoutingRules(Strategy.PRIORITY, 3, 0, 0, 0, null);
    for (int i = 0; i < 1_000; i++) {
      budget.request();
      now += Duration.ofSeconds(1).toNanos();
    }
    assertThat(taken(none, 100)).isZero();
  }

  private int taken(RoutingRules rules, int asked) {
    int taken = 0;
    for (int i = 0; i < asked; i++) {
      taken += budget.tryTake(ExtraAttempt.RETRY, rules, now) ? 1 : 0;
    }
    return taken;
  }
}
