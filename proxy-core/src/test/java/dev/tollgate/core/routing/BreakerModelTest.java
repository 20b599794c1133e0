package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Provider.CircuitOptions;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Breaker.Permit;
import dev.tollgate.core.routing.Breaker.State;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.core.testkit.TestCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Circuit breaker compared with a model: holders of permits end them in any order, late or never,
 * and the clock jumps. The model keeps all outcomes and computes each state anew.
 */
class BreakerModelTest {
  private static final OrgId ORG = TestCatalog.ORG;
  private static final int STEPS = 300;

  @Test
  void everySequenceOfEventsMatchesTheModel() {
    Seeds.forEach(1_000, random -> new Schedule(random).run());
  }

  @Test
  void aProviderThatWorksAgainIsServedAgainAfterOneProbe() {
    Seeds.forEach(
        500,
        random -> {
          var schedule = new Schedule(random);
          schedule.run();
          schedule.recover();
        });
  }

  private static CircuitOptions anyRules(Random random) {
    Duration openFor = Duration.ofMillis(100 + random.nextInt(3_000));
    return new CircuitOptions(
        1 + random.nextInt(6),
        Duration.ofMillis(500 + random.nextInt(10_000)),
        openFor,
        openFor.multipliedBy(1 + random.nextInt(5)));
  }

  /** A permit that is not ended, and when it was granted. */
  private record Held(Permit permit, long sinceNanos) {}

  /** A failure of the model: its time, and its number among all outcomes. */
  private record Seen(long atNanos, long outcome) {}

  private static final class Schedule {
    private final Random random;
    private final CircuitOptions rules;
    private final Breaker breaker = new Breaker(new LatestFailures());
    private final List<Held> held = new ArrayList<>();
    private long now;

    // The model
    private final List<Seen> failures = new ArrayList<>();
    private long outcomes;
    private long openings;
    private int extraProbes;
    private Duration openedFor = Duration.ZERO;

    Schedule(Random random) {
      this.random = random;
      this.rules = anyRules(random);
      this.now = random.nextLong(); // the ticker may begin anywhere, and wrap
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        step();
        watch();
      }
    }

    private void step() {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> acquire();
        case 3 -> now += random.nextLong(rules.openForMax().toNanos() * 3 / 2);
        case 4 -> now += random.nextLong(rules.window().toNanos() / 10);
        default -> end();
      }
    }

    private void end() {
      if (held.isEmpty()) {
        return;
      }
      Permit permit = held.remove(random.nextInt(held.size())).permit();
      switch (random.nextInt(6)) {
        case 0 -> succeed(permit);
        case 1 -> neutral(permit);
        case 2 -> {} // lost: no verdict ever comes
        default -> fail(permit);
      }
    }

    // Each event, and the model's answer

    private void acquire() {
      State before = breaker.state();
      boolean due =
          switch (before) {
            case State.Closed _ -> true;
            case State.Open open -> now - open.dueNanos() >= 0;
            case State.HalfOpen half -> now - half.dueNanos() >= 0;
          };
      assertThat(breaker.waitNanos(now) == 0).as("the wait says so ahead").isEqualTo(due);
      LatestOutcome latest = random.nextBoolean() ? LatestOutcome.SUCCESS : LatestOutcome.UNKNOWN;
      boolean may =
          due || (latest == LatestOutcome.SUCCESS && extraProbes < Breaker.EXTRA_PROBES_MAX);
      assertThat(breaker.ask(ORG, latest, rules, now) == 0).isEqualTo(may);
      Optional<Permit> permit = breaker.tryAcquire(ORG, latest, rules, now);
      assertThat(permit.isPresent()).isEqualTo(may);
      assertThat(permit.filter(Permit::isExtra).isPresent()).isEqualTo(may && !due);
      permit.ifPresent(given -> held.add(new Held(given, now)));
      permit.ifPresentOrElse(
          given -> given(before, given), () -> assertThat(breaker.state()).isEqualTo(before));
    }

    private void given(State before, Permit permit) {
      assertThat(permit.generation()).isEqualTo(before.generation());
      assertThat(breaker.state().generation())
          .as("a probe decides nothing yet")
          .isEqualTo(before.generation());
      if (before instanceof State.Closed) {
        assertThat(permit.probe()).isZero();
        assertThat(breaker.state()).isEqualTo(before);
      } else if (permit.isExtra()) {
        extraProbes++;
        assertThat(breaker.state()).isEqualTo(((State.Tripped) before).withExtraProbe());
      } else {
        assertThat(permit.probe()).isPositive();
        assertThat(breaker.state()).isInstanceOf(State.HalfOpen.class);
      }
    }

    private void succeed(Permit permit) {
      State before = breaker.state();
      outcomes++;
      breaker.succeeded(permit, rules, now);
      if ((isOfNow(permit, before) && before instanceof State.HalfOpen)
          || (permit.isExtra() && before instanceof State.Tripped)) {
        extraProbes = 0;
        assertThat(breaker.state()).isEqualTo(new State.Closed(before.generation() + 1, List.of()));
        failures.clear();
      } else {
        assertThat(breaker.state()).isEqualTo(before);
      }
    }

    private void neutral(Permit permit) {
      State before = breaker.state();
      breaker.neutral(permit, now);
      if (isLiveProbe(permit, before)) {
        assertThat(breaker.waitNanos(now)).as("its place is free").isZero();
      } else {
        assertThat(breaker.state()).isEqualTo(before);
      }
    }

    private void fail(Permit permit) {
      State before = breaker.state();
      outcomes++;
      boolean news = breaker.failed(permit, ORG, rules, now);
      if (isLiveProbe(permit, before)) {
        Duration doubled = openedFor.multipliedBy(2);
        requireOpened(before, doubled);
        assertThat(news).as("it was open before").isFalse();
      } else if (isOfNow(permit, before) && before instanceof State.Closed) {
        failures.add(new Seen(now, outcomes));
        assertThat(news).isEqualTo(trips());
        if (news) {
          requireOpened(before, rules.openFor());
        } else {
          assertThat(breaker.state()).isInstanceOf(State.Closed.class);
          assertThat(breaker.state().generation()).isEqualTo(before.generation());
        }
      } else {
        assertThat(news).isFalse();
        assertThat(breaker.state()).as("a verdict of another generation").isEqualTo(before);
      }
    }

    private static boolean isOfNow(Permit permit, State state) {
      return permit.generation() == state.generation();
    }

    private static boolean isLiveProbe(Permit permit, State state) {
      return isOfNow(permit, state)
          && state instanceof State.HalfOpen half
          && half.probe() == permit.probe();
    }

    /** The last few failures lie within the window and are half of what happened since. */
    private boolean trips() {
      int wanted = rules.failures();
      if (failures.size() < wanted) {
        return false;
      }
      Seen first = failures.get(failures.size() - wanted);
      return now - first.atNanos() <= rules.window().toNanos()
          && outcomes - first.outcome() + 1 <= 2L * wanted;
    }

    private void requireOpened(State before, Duration requested) {
      openedFor = requested.compareTo(rules.openForMax()) > 0 ? rules.openForMax() : requested;
      openings++;
      extraProbes = 0;
      failures.clear();
      assertThat(breaker.state()).isInstanceOf(State.Open.class);
      assertThat(breaker.state().generation()).isEqualTo(before.generation() + 1);
      assertThat(breaker.waitNanos(now))
          .isBetween(openedFor.toNanos() * 4 / 5, openedFor.toNanos());
    }

    // What always holds

    private void watch() {
      assertThat(breaker.openings()).isEqualTo(openings);
      assertThat(breaker.waitNanos(now))
          .as("never wedged for longer than the probe's interval")
          .isBetween(0L, rules.openForMax().toNanos());
      long live = held.stream().filter(this::isLive).count();
      assertThat(live).as("live probes").isLessThanOrEqualTo(1);
      if (breaker.state() instanceof State.Closed closed) {
        assertThat(closed.failures()).hasSizeLessThanOrEqualTo(rules.failures());
      }
    }

    /** True if it is a running probe whose lease has not expired. */
    private boolean isLive(Held one) {
      return one.permit().probe() > 0
          && one.permit().generation() == breaker.state().generation()
          && now - one.sinceNanos() < rules.openForMax().toNanos();
    }

    /**
     * In any state, one attempt is permitted after the wait, and its success closes the circuit.
     */
    void recover() {
      now += breaker.waitNanos(now);
      Permit permit = breaker.tryAcquire(ORG, rules, now).orElseThrow();
      breaker.succeeded(permit, rules, now);
      assertThat(breaker.state()).isInstanceOf(State.Closed.class);
      assertThat(breaker.tryAcquire(ORG, rules, now)).isPresent();
      assertThat(breaker.tryAcquire(ORG, rules, now)).isPresent();
    }
  }
}
