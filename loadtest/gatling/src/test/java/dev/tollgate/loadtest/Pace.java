package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.rampUsersPerSec;

import io.gatling.javaapi.core.OpenInjectionStep;
import java.time.Duration;

/** Arrival rate of users and its duration. Arrivals do not depend on the end of others. */
record Pace(double usersPerSecond, Duration duration) {

  /** Returns the values of the command line, else these. */
  static Pace usually(double usersPerSecond, Duration duration) {
    return new Pace(Knobs.rate(usersPerSecond), Knobs.duration(duration));
  }

  OpenInjectionStep rising(Duration time) {
    return rampUsersPerSec(1).to(Math.max(1, usersPerSecond)).during(time);
  }

  OpenInjectionStep steady() {
    return constantUsersPerSec(usersPerSecond).during(duration);
  }

  /** Returns the expected number of arrivals, less a tenth. */
  long nearlyAll() {
    return Math.round(usersPerSecond * duration.toMillis() / 1000 * 0.9);
  }
}
