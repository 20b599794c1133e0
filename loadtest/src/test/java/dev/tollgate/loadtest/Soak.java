package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.dummy;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.percent;
import static io.gatling.javaapi.core.CoreDsl.randomSwitch;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.sse;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import java.time.Duration;

/**
 * Mixed load for a long time, with clients that leave at random: before the answer, or amid it.
 * Then nothing may be under way any more, and the books must add up.
 */
public final class Soak extends LoadSimulation {
  public Soak() {
    load(Pace.usually(30, Duration.ofMinutes(30)), Soak::each, afterwards())
        .assertions(noneFails(), p99("chat", Duration.ofMillis(200)));
  }

  private static ChainBuilder each(String phase) {
    return randomSwitch()
        .on(
            percent(75).then(Mixed.each(phase)),
            percent(15).then(leavingAmid(phase)),
            percent(10).then(leavingBefore(phase)));
  }

  /** Closes a stream of 1.3 s somewhere in its first second. */
  private static ChainBuilder leavingAmid(String phase) {
    return exec(sse(phase + "stream that is left")
            .post(Requests.CHAT)
            .body(Requests.streamed("load/stream")))
        .pause(Duration.ZERO, Duration.ofSeconds(1))
        .exec(sse(phase + "leaving").close());
  }

  /** Gives up waiting for an answer that takes 3 s; that it fails is as it should be. */
  private static ChainBuilder leavingBefore(String phase) {
    return exec(
        http(phase + "chat that is left")
            .post(Requests.CHAT)
            .body(Requests.plainly("load/slow"))
            .requestTimeout(Duration.ofMillis(200))
            .silent());
  }

  private PopulationBuilder afterwards() {
    return once(
        scenario("afterwards")
            .pause(Duration.ofSeconds(3))
            .exec(
                Metrics.look(
                    "nothing is under way",
                    gateway.adminUrl(),
                    "tollgate_requests_in_flight",
                    requests -> requests.is(0.0)))
            .exec(
                Metrics.look(
                    "no provider is asked",
                    gateway.adminUrl(),
                    "tollgate_upstream_leases\\{.*}",
                    leases -> leases.is(0.0)))
            // It waits for a program, which nobody else minds: the load is over.
            .exec(dummy("the books add up", 1).withSuccess(session -> gateway.booksAddUp())));
  }
}
