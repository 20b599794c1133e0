package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.routing.KeyHealth.State;
import dev.tollgate.core.routing.RoutePlan.CredentialPolicy;
import dev.tollgate.core.testkit.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Health of a key compared with a model: attempts begin, and end in any order, late or never;
 * operators reset waits, and the clock jumps. The model knows when each attempt began and which is
 * the probe.
 */
class KeyHealthModelTest {
  private static final int STEPS = 300;
  private static final long FIRST = KeyHealth.REFUSED_FIRST.toNanos();
  private static final long MAX = KeyHealth.REFUSED_MAX.toNanos();

  @Test
  void everySequenceOfEventsMatchesTheModel() {
    Seeds.forEach(1_000, random -> new Schedule(random).run());
  }

  @Test
  void aKeyThatIsAcceptedAgainServesAllAfterOneAttempt() {
    Seeds.forEach(
        500,
        random -> {
          var schedule = new Schedule(random);
          schedule.run();
          schedule.recover();
        });
  }

  /** An attempt that has not ended. */
  private record Held(long begun) {}

  /** State of the key in the model. */
  private enum Kind {
    USABLE,
    RECOVERED,
    COOLING,
    RETIRED
  }

  private static final class Schedule {
    private final Random random;
    private final KeyHealth key = new KeyHealth();
    private final List<Held> held = new ArrayList<>();
    private long now;

    // The model
    private Kind kind = Kind.USABLE;
    private long until;
    private long since;
    private long interval;
    private long probe;
    private boolean isProbed;

    Schedule(Random random) {
      this.random = random;
      this.now = random.nextLong(); // the ticker may begin anywhere, and wrap
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        now += 1 + random.nextLong(Duration.ofSeconds(1).toNanos());
        step();
        watch();
      }
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> use(CredentialPolicy.HEALTHY_ONLY);
        case 4 -> use(CredentialPolicy.LAST_RESORT);
        case 5 -> now += random.nextLong(2 * MAX);
        case 6 -> now += random.nextLong(2 * FIRST);
        case 7 -> forgive();
        default -> end();
      }
    }

    private void end() {
      if (held.isEmpty()) {
        return;
      }
      Held one = held.remove(random.nextInt(held.size()));
      switch (random.nextInt(8)) {
        case 0 -> {} // lost: no verdict ever comes
        case 1 -> unheard(one);
        case 2, 3 -> limited(one, random.nextInt(3) == 0 ? 0 : random.nextInt(7_000));
        case 4 -> worked(one);
        default -> refused(one);
      }
    }

    // Each event, and the model's answer

    private void use(CredentialPolicy resort) {
      boolean may =
          switch (kind) {
            case USABLE, RECOVERED -> true;
            case COOLING -> isPast(until);
            case RETIRED -> resort == CredentialPolicy.LAST_RESORT || isPast(until);
          };
      assertThat(key.tryUse(resort, now)).isEqualTo(may);
      if (may) {
        held.add(new Held(now));
      }
      if (may && kind == Kind.RETIRED && resort != CredentialPolicy.LAST_RESORT) {
        assertThat(isProbed && now - probe < interval).as("one probe at a time").isFalse();
        probe = now;
        isProbed = true;
        until = now + interval;
      }
    }

    private void worked(Held one) {
      boolean news = kind == Kind.RETIRED && !isOld(one);
      assertThat(key.succeeded(one.begun)).isEqualTo(news);
      if (news) {
        kind = Kind.RECOVERED;
        since = one.begun;
      }
    }

    private void refused(Held one) {
      boolean again = kind == Kind.RETIRED && isTheProbe(one);
      boolean late =
          (kind == Kind.RETIRED && !again) || (kind == Kind.RECOVERED && one.begun - since < 0);
      assertThat(key.refused(one.begun, now)).isEqualTo(!late && !again);
      if (!late) {
        interval = again ? Math.min(2 * interval, MAX) : FIRST;
        kind = Kind.RETIRED;
        since = now;
        until = now + interval;
        isProbed = false;
      }
    }

    private void unheard(Held one) {
      key.neutral(one.begun, now);
      if (kind == Kind.RETIRED && isTheProbe(one)) {
        until = now;
        isProbed = false;
      }
    }

    private void limited(Held one, int seconds) {
      key.limited(seconds, one.begun, now);
      Duration asked = seconds == 0 ? KeyHealth.COOLING_UNKNOWN : Duration.ofSeconds(seconds);
      long end = now + Math.min(asked.toNanos(), KeyHealth.COOLING_MAX.toNanos());
      boolean counts =
          switch (kind) {
            case USABLE, RECOVERED -> true;
            case COOLING -> end - until > 0;
            case RETIRED -> !isOld(one);
          };
      if (counts) {
        kind = Kind.COOLING;
        until = end;
      }
    }

    private void forgive() {
      key.resetWait(now);
      if (kind == Kind.RETIRED) {
        until = now;
        isProbed = false;
      }
    }

    private boolean isPast(long nanos) {
      return now - nanos >= 0;
    }

    /** True if it began before the key was refused: its outcome is out of date. */
    private boolean isOld(Held one) {
      return one.begun - since <= 0;
    }

    private boolean isTheProbe(Held one) {
      return isProbed && one.begun == probe;
    }

    // What always holds

    private void watch() {
      assertThat(key.state())
          .isInstanceOf(
              switch (kind) {
                case USABLE -> State.Usable.class;
                case RECOVERED -> State.Recovered.class;
                case COOLING -> State.Cooling.class;
                case RETIRED -> State.Retired.class;
              });
      boolean waits = kind == Kind.COOLING || kind == Kind.RETIRED;
      long wait = waits ? Math.max(0, until - now) : 0;
      assertThat(key.waitNanos(now)).isEqualTo(wait);
      assertThat(wait)
          .as("never wedged for longer than its probes' interval, or what the provider asked for")
          .isBetween(0L, kind == Kind.RETIRED ? MAX : KeyHealth.COOLING_MAX.toNanos());
    }

    /**
     * In any state, one attempt is permitted after the wait, and if the key is accepted, all are.
     */
    void recover() {
      now += key.waitNanos(now) + 1;
      assertThat(key.tryUse(CredentialPolicy.HEALTHY_ONLY, now)).isTrue();
      boolean retired = key.isRetired();
      if (retired) {
        assertThat(key.tryUse(CredentialPolicy.HEALTHY_ONLY, now))
            .as("before the first one's verdict")
            .isFalse();
      }
      assertThat(key.succeeded(now)).isEqualTo(retired);
      assertThat(key.tryUse(CredentialPolicy.HEALTHY_ONLY, now)).isTrue();
      assertThat(key.tryUse(CredentialPolicy.HEALTHY_ONLY, now)).isTrue();
      assertThat(key.waitNanos(now)).isZero();
    }
  }
}
