package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.rampUsersPerSec;

import io.gatling.javaapi.core.OpenInjectionStep;
import java.time.Duration;

/** How many users come each second, and for how long. They come whether or not others are done. */
record Pace(double usersPerSecond, Duration duration) {

  /** What the command line says, else this. */
  static Pace usually(double usersPerSecond, Duration duration) {
    return new Pace(Knobs.rate(usersPerSecond), Knobs.duration(duration));
  }

  OpenInjectionStep rising(Duration time) {
    return rampUsersPerSec(1).to(Math.max(1, usersPerSecond)).during(time);
  }

  OpenInjectionStep steady() {
    return constantUsersPerSec(usersPerSecond).during(duration);
  }

  /** How many will have come, less a tenth. */
  long nearlyAll() {
    return Math.round(usersPerSecond * duration.toMillis() / 1000 * 0.9);
  }
}
