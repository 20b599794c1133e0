package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.State;
import dev.tollgate.core.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Rules of a circuit over all organizations: 5 failures in 10 s. */
class FailuresByOrgTest {
  private static final CircuitOptions RULES = CircuitOptions.DEFAULT;

  private final Breaker breaker = new Breaker(new FailuresByOrg());
  private long now = Duration.ofHours(1).toNanos();

  static OrgId org(int n) {
    return new OrgId(new UUID(7, n));
  }

  @Test
  void twoOrganizationsCannotOpenIt() {
    for (int i = 0; i < 50; i++) {
      fail(1);
      fail(2);
    }
    requireClosed();
  }

  @Test
  void threeCanAndTwoFailuresOfEachCount() {
    fail(1, 1, 1, 1, 1, 1, 2);
    requireClosed(); // three count
    fail(3);
    requireClosed(); // four count
    fail(3);
    assertThat(breaker.state()).isInstanceOf(State.Open.class);
    assertThat(breaker.openings()).isOne();
  }

  @Test
  void failuresThatAreTooFewDoNot() {
    fail(1, 2, 3, 4);
    requireClosed();
    fail(5);
    assertThat(breaker.isClosed()).isFalse();
  }

  @Test
  void successesCountInFull() {
    succeed(7);
    fail(1, 1, 2, 2, 3, 3);
    requireClosed(); // six of thirteen
    fail(4);
    assertThat(breaker.isClosed()).as("seven of fourteen").isFalse();
  }

  @Test
  void theFailuresOfOneDoNotOutweighSuccesses() {
    succeed(6);
    for (int i = 0; i < 100; i++) {
      fail(1, 2);
    }
    fail(3);
    requireClosed(); // five of eleven
  }

  @Test
  void failuresOutsideOfTheWindowDoNotCount() {
    fail(1, 2, 3, 4);
    pass(Duration.ofMillis(11_001));
    fail(1, 2, 3, 4);
    requireClosed();
    fail(5);
    assertThat(breaker.isClosed()).isFalse();
  }

  @Test
  void successesInTheFirstHalfOfTheWindowDoNotHideAnOutage() {
    succeed(1_000);
    pass(Duration.ofMillis(4_900));
    fail(1, 2, 3, 4, 5);
    requireClosed();
    pass(Duration.ofMillis(1_100));
    fail(6);
    assertThat(breaker.isClosed()).isFalse();
  }

  /** Fifty ask once a second; their own circuits open after five failures each. */
  @Test
  void anOutageIsSeenBeforeTheCircuitsOfTheOrganizationsHideIt() {
    for (int second = 0; second < 3; second++) {
      succeed(50);
      pass(Duration.ofSeconds(1));
    }
    for (int second = 0; second < 2; second++) {
      failEach(50);
      failEach(50);
      requireClosed();
      pass(Duration.ofSeconds(1));
    }
    failEach(50);
    assertThat(breaker.isClosed()).isFalse();
  }

  private void failEach(int orgs) {
    for (int n = 0; n < orgs && breaker.isClosed(); n++) {
      fail(n);
    }
  }

  @Test
  void failuresOfTheFirstHalfCountWithFewSuccesses() {
    fail(1, 2, 3);
    pass(Duration.ofSeconds(9));
    succeed(4);
    fail(4);
    requireClosed();
    fail(5);
    assertThat(breaker.isClosed()).as("five of nine in the whole window").isFalse();
  }

  @Test
  void whatIsRememberedIsBounded() {
    succeed(2 * FailuresByOrg.COUNTED_MAX);
    for (int i = 0; i < 4 * FailuresByOrg.COUNTED_MAX && breaker.isClosed(); i++) {
      fail(i);
      if (breaker.state() instanceof State.Closed closed) {
        assertThat(closed.failures()).hasSizeLessThanOrEqualTo(FailuresByOrg.COUNTED_MAX);
      }
    }
    requireClosed(); // more successes than failures that are remembered
    pass(Duration.ofSeconds(1));
    for (int i = 0; i < FailuresByOrg.COUNTED_MAX; i++) {
      fail(i);
    }
    assertThat(breaker.isClosed()).as("all of the latest failed").isFalse();
  }

  /** The reference keeps everything and counts anew at each failure. */
  @Test
  void everyScheduleMatchesAReference() {
    Seeds.forEach(500, random -> new Schedule(random).run());
  }

  private record Event(OrgId org, long slot, boolean failed) {}

  private static final class Schedule {
    private static final long TENTH = RULES.window().toNanos() / 10;

    private final Random random;
    private final Breaker breaker = new Breaker(new FailuresByOrg());
    private final List<Event> events = new ArrayList<>();
    private final int orgs;
    private final int successShare;
    private long now;

    Schedule(Random random) {
      this.random = random;
      this.orgs = 1 + random.nextInt(12);
      this.successShare = random.nextInt(100);
      this.now = random.nextLong();
    }

    void run() {
      for (int i = 0; i < 200 && breaker.isClosed(); i++) {
        now += random.nextLong(TENTH * 2 / (1 + random.nextInt(10)));
        OrgId org = org(random.nextInt(orgs));
        boolean failed = random.nextInt(100) >= successShare;
        events.add(new Event(org, Math.floorDiv(now, TENTH), failed));
        Breaker.Permit permit = breaker.tryAcquire(org, RULES, now).orElseThrow();
        if (failed) {
          assertThat(breaker.failed(permit, org, RULES, now)).isEqualTo(trips(10) || trips(4));
        } else {
          breaker.succeeded(permit, RULES, now);
        }
      }
    }

    /** True if the last tenths of the window, and the one that has begun, trip the circuit. */
    private boolean trips(int tenths) {
      long start = Math.floorDiv(now, TENTH) - tenths;
      List<Event> within = events.stream().filter(one -> one.slot() >= start).toList();
      List<OrgId> failed = within.stream().filter(Event::failed).map(Event::org).toList();
      long counted =
          failed.stream()
              .distinct()
              .mapToLong(one -> Math.min(2, failed.stream().filter(one::equals).count()))
              .sum();
      return counted >= RULES.failures()
          && failed.stream().distinct().count() >= 3
          && 2 * counted >= counted + within.size() - failed.size();
    }
  }

  private void requireClosed() {
    assertThat(breaker.isClosed()).isTrue();
  }

  private void fail(int... orgs) {
    for (int n : orgs) {
      breaker.failed(acquire(n), org(n), RULES, now);
    }
  }

  private void succeed(int times) {
    for (int i = 0; i < times; i++) {
      breaker.succeeded(acquire(99), RULES, now);
    }
  }

  private Breaker.Permit acquire(int n) {
    return breaker.tryAcquire(org(n), RULES, now).orElseThrow();
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
