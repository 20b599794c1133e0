package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.incrementUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Plain chat at a rate that rises in steps; each step has its own results and goal. The configured
 * rate is that of the first step and the height of each, the duration that of one step.
 */
public final class Capacity extends LoadSimulation {
  private static final int STAIRS = Integer.getInteger("loadtest.stairs", 5);

  private final Pace stair = Pace.usually(100, Duration.ofSeconds(10));
  private final AtomicLong beganNanos = new AtomicLong();

  public Capacity() {
    Duration climb = stair.duration().multipliedBy(STAIRS);
    bounded(
            Knobs.warmUp().plus(climb),
            scenario("warm-up")
                .exec(Requests.chat("warm-up: chat", "load/chat"))
                .injectOpen(stair.rising(Knobs.warmUp()))
                .andThen(
                    scenario("stairs")
                        .exec(this::noteStair)
                        .exec(Requests.chat("#{stair}", "load/chat"))
                        .injectOpen(
                            incrementUsersPerSec(stair.usersPerSecond())
                                .times(STAIRS)
                                .eachLevelLasting(stair.duration())
                                .startingFrom(stair.usersPerSecond()))))
        .assertions(goals());
  }

  private List<Assertion> goals() {
    List<Assertion> goals = new ArrayList<>(List.of(noneFails()));
    for (int i = 0; i < STAIRS; i++) {
      goals.add(p99(name(i), Duration.ofMillis(100)));
    }
    return goals;
  }

  private Session noteStair(Session session) {
    beganNanos.compareAndSet(0, System.nanoTime());
    long elapsed = System.nanoTime() - beganNanos.get();
    int index = (int) Math.min(STAIRS - 1, elapsed / stair.duration().toNanos());
    return session.set("stair", name(index));
  }

  private String name(int index) {
    return "chat at %.0f/s".formatted(stair.usersPerSecond() * (index + 1));
  }
}
