package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.global;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;

import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.ScenarioBuilder;
import io.gatling.javaapi.core.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Run of one scenario against one gateway: a warm-up, the load, checks afterwards, and assertions.
 * The run ends in bounded time and then ends its own gateway.
 */
public abstract class LoadSimulation extends Simulation {
  /** Longer than the timeout of a request, so that a request that hangs fails and is counted. */
  private static final Duration GRACE = Duration.ofSeconds(90);

  final Subject gateway;

  /** Applies the settings to an own gateway; a running one must have them already. */
  LoadSimulation(String... settings) {
    gateway = Subject.underLoad(List.of(settings));
  }

  /**
   * Warms up, sends the load, and then runs the checks. Request names begin with the phase, so that
   * the warm-up is counted separately.
   */
  final SetUp load(
      Pace pace, Function<String, ChainBuilder> eachUser, PopulationBuilder... afterwards) {
    Duration warmUp = Knobs.warmUp();
    PopulationBuilder measured =
        scenario("load").exec(eachUser.apply("")).injectOpen(pace.steady()).andThen(afterwards);
    PopulationBuilder all =
        scenario("warm-up")
            .exec(eachUser.apply("warm-up: "))
            .injectOpen(pace.rising(warmUp))
            .andThen(measured);
    return bounded(warmUp.plus(pace.duration()), all);
  }

  /** Sets up the populations with a time limit a little above the expected duration. */
  final SetUp bounded(Duration expected, PopulationBuilder... populations) {
    return setUp(populations)
        .protocols(
            http.baseUrl(gateway.url())
                .authorizationHeader("Bearer " + gateway.key())
                .contentTypeHeader("application/json")
                .shareConnections())
        .maxDuration(expected.plus(GRACE));
  }

  /** Injects one user. */
  static PopulationBuilder once(ScenarioBuilder scenario) {
    return scenario.injectOpen(atOnceUsers(1));
  }

  static Assertion noneFails() {
    return global().failedRequests().count().is(0L);
  }

  /**
   * Requires that 99 % of the requests with this name take at most this time, or that of the
   * command line.
   */
  static Assertion p99(String request, Duration usual) {
    return details(request)
        .responseTime()
        .percentile(99)
        .lte(Math.toIntExact(Knobs.p99(usual).toMillis()));
  }

  @Override
  public void after() {
    gateway.close();
  }
}
