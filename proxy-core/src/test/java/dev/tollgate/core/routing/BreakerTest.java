package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.Permit;
import dev.tollgate.core.routing.Breaker.State;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Rules of a circuit breaker: 3 failures in 10 s, open for 2 s, at most for 5 s. */
class BreakerTest {
  private static final CircuitOptions RULES =
      new CircuitOptions(3, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(5));

  private static final OrgId ORG = TestCatalog.ORG;

  private final Breaker breaker = new Breaker(new LatestFailures());
  private long now;

  @Test
  void failuresWithinTheWindowOpenIt() {
    fail(2);
    assertThat(breaker.state()).isInstanceOf(State.Closed.class);
    assertThat(breaker.failed(acquire(), ORG, RULES, now)).as("news").isTrue();
    assertThat(breaker.tryAcquire(ORG, RULES, now)).isEmpty();
    assertThat(breaker.openings()).isOne();
  }

  @Test
  void failuresThatLieFartherApartDoNot() {
    for (int i = 0; i < 20; i++) {
      fail(1);
      pass(Duration.ofSeconds(6));
    }
    assertThat(breaker.state()).isInstanceOf(State.Closed.class);
  }

  @Test
  void failuresAmongManySuccessesDoNot() {
    for (int i = 0; i < 100; i++) {
      fail(1);
      breaker.succeeded(acquire(), RULES, now);
      breaker.succeeded(acquire(), RULES, now);
    }
    assertThat(breaker.state()).isInstanceOf(State.Closed.class);
    fail(2);
    assertThat(breaker.state()).as("three in a row").isInstanceOf(State.Open.class);
  }

  @Test
  void aNeutralOutcomeDoesNotCount() {
    fail(2);
    for (int i = 0; i < 100; i++) {
      breaker.neutral(acquire(), now);
    }
    fail(1);
    assertThat(breaker.state()).isInstanceOf(State.Open.class);
  }

  @Test
  void eachFailedProbeDoublesTheWaitUpToTheMaximum() {
    fail(3);
    for (int seconds : new int[] {2, 4, 5, 5}) {
      long wait = breaker.waitNanos(now);
      assertThat(Duration.ofNanos(wait))
          .isBetween(Duration.ofMillis(800L * seconds), Duration.ofSeconds(seconds));
      now += wait - 1;
      assertThat(breaker.tryAcquire(ORG, RULES, now)).isEmpty();
      now += 1;
      assertThat(breaker.failed(acquire(), ORG, RULES, now)).isFalse();
    }
    assertThat(breaker.openings()).isEqualTo(5);
  }

  @Test
  void oneProbeRunsAtATimeUntilItsLeaseExpires() {
    Permit unheard = probe();
    pass(Duration.ofMillis(4_999));
    assertThat(breaker.tryAcquire(ORG, RULES, now)).isEmpty();
    pass(Duration.ofMillis(1));
    Permit next = acquire();
    assertThat(next.probe()).isNotEqualTo(unheard.probe());

    assertThat(breaker.failed(unheard, ORG, RULES, now)).as("too late").isFalse();
    breaker.neutral(unheard, now);
    assertThat(breaker.tryAcquire(ORG, RULES, now)).as("the next one is still out").isEmpty();
    breaker.succeeded(unheard, RULES, now);
    assertThat(breaker.state()).as("good news is").isInstanceOf(State.Closed.class);
  }

  @Test
  void aProbeWithANeutralOutcomeIsFollowedByTheNext() {
    breaker.neutral(probe(), now);
    assertThat(breaker.waitNanos(now)).isZero();
    assertThat(breaker.tryAcquire(ORG, RULES, now)).isPresent();
    assertThat(breaker.tryAcquire(ORG, RULES, now)).isEmpty();
  }

  @Test
  void anAttemptFromBeforeTheOpeningHasNoEffect() {
    List<Permit> before = List.of(acquire(), acquire(), acquire(), acquire());
    Permit probe = probe();
    State halfOpen = breaker.state();
    breaker.succeeded(before.get(0), RULES, now);
    assertThat(breaker.failed(before.get(1), ORG, RULES, now)).isFalse();
    breaker.neutral(before.get(2), now);
    assertThat(breaker.state()).isEqualTo(halfOpen);

    breaker.succeeded(probe, RULES, now);
    State closed = breaker.state();
    breaker.failed(before.get(3), ORG, RULES, now);
    assertThat(breaker.state()).isEqualTo(closed);
  }

  @Test
  void whoseRequestFailedLastProbesOnlyAfterOthersThatAsked() {
    OrgId other = new OrgId(new UUID(1, 3));
    fail(3);
    assertThat(breaker.ask(other, RULES, now)).isPositive();
    now += breaker.waitNanos(now);
    assertThat(breaker.ask(ORG, RULES, now)).isEqualTo(RULES.openForMax().toNanos());
    assertThat(breaker.tryAcquire(ORG, RULES, now)).isEmpty();
    Permit probe = breaker.tryAcquire(other, RULES, now).orElseThrow();
    breaker.failed(probe, other, RULES, now);

    now += breaker.waitNanos(now);
    assertThat(breaker.ask(other, RULES, now)).as("it failed last, but nobody asked").isZero();
    assertThat(breaker.ask(ORG, RULES, now)).isZero();
    assertThat(breaker.ask(other, RULES, now)).isPositive();
    assertThat(breaker.tryAcquire(ORG, RULES, now)).isPresent();
  }

  @Test
  void oneOfManyConcurrentCallersGetsTheProbe() throws Exception {
    int askers = 8;
    for (int round = 0; round < 50; round++) {
      fail(3);
      now += breaker.waitNanos(now);
      List<Permit> given = askAtOnce(askers);
      assertThat(given).hasSize(1);
      breaker.succeeded(given.getFirst(), RULES, now);
    }
  }

  private List<Permit> askAtOnce(int askers) throws Exception {
    var start = new CyclicBarrier(askers);
    Callable<Optional<Permit>> asker =
        () -> {
          start.await();
          return breaker.tryAcquire(ORG, RULES, now);
        };
    List<Permit> given = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Optional<Permit>>> all = new ArrayList<>();
      for (int i = 0; i < askers; i++) {
        all.add(asker);
      }
      for (Future<Optional<Permit>> answer : threads.invokeAll(all)) {
        answer.get().ifPresent(given::add);
      }
    }
    return given;
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.failed(acquire(), ORG, RULES, now);
    }
  }

  /** Opens the circuit and begins its first probe. */
  private Permit probe() {
    fail(3);
    now += breaker.waitNanos(now);
    return acquire();
  }

  private Permit acquire() {
    return breaker.tryAcquire(ORG, RULES, now).orElseThrow();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
