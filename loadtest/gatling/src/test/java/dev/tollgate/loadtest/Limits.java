package dev.tollgate.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;
import static io.gatling.javaapi.core.CoreDsl.details;
import static io.gatling.javaapi.core.CoreDsl.nothingFor;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import io.gatling.javaapi.core.Assertion;
import io.gatling.javaapi.core.OpenInjectionStep;
import io.gatling.javaapi.core.PopulationBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests beyond the limits: a refusal must name its reason and wait, and a retry after that wait
 * must be served. The rate is that of the key's limit, the duration is that of the first part.
 */
public final class Limits extends LoadSimulation {
  private static final int RATE = Math.toIntExact(Math.round(Knobs.rate(20)));

  /**
   * More than the bucket's capacity and less than twice of it: after a second the bucket has
   * refilled for all that wait.
   */
  private static final int BURST = RATE * 7 / 4;

  /** Concurrent requests: more than one burst, so that a burst is limited by the rate only. */
  private static final int SLOTS = RATE * 2;

  private static final int SCARCE_PER_MINUTE = 6;
  private static final Duration ROUND = Duration.ofSeconds(4);

  private static final Refusal BY_RATE =
      new Refusal("the key's rate", "rate_limited", "key", "requests_per_second", 1);
  private static final Refusal BY_MODEL =
      new Refusal("the model's rate", "rate_limited", "model", "requests_per_minute", 10);
  private static final Refusal BY_SLOTS =
      new Refusal("the key's slots", "concurrency_exceeded", "key", "concurrency", 1);

  private final int rounds =
      (int) Math.max(1, Knobs.duration(Duration.ofSeconds(24)).dividedBy(ROUND));

  public Limits() {
    super(
        "limits.key.requests_per_second=" + RATE,
        "limits.key.concurrency=" + SLOTS,
        "limits.model.overrides={load/scarce: {requests_per_second: 0, requests_per_minute: "
            + SCARCE_PER_MINUTE
            + "}}");
    bounded(
            Knobs.warmUp().plus(ROUND.multipliedBy(rounds)).plusSeconds(60),
            warmUp().andThen(bursts().andThen(oneByOne().andThen(slots()))))
        .assertions(
            noneFails(),
            // Three quarters of a bucket too many, less the refill while the burst is sent.
            refused(BY_RATE, (long) rounds * RATE / 4),
            refused(BY_MODEL, 2),
            refused(BY_SLOTS, 2));
  }

  /**
   * Warms up within all limits: a cold gateway is slow, and requests would exceed the concurrency
   * limit.
   */
  private static PopulationBuilder warmUp() {
    return scenario("warm-up")
        .exec(Requests.chat("warm-up: chat", "load/chat"))
        .injectOpen(constantUsersPerSec(RATE / 2.0).during(Knobs.warmUp()));
  }

  /**
   * Sends a burst of which all are served: some at once, the others after the wait of their
   * refusal.
   */
  private PopulationBuilder bursts() {
    List<OpenInjectionStep> steps = new ArrayList<>(List.of(nothingFor(ROUND)));
    for (int i = 0; i < rounds; i++) {
      steps.add(atOnceUsers(BURST));
      steps.add(nothingFor(ROUND));
    }
    return scenario("bursts")
        .exec(BY_RATE.askAndWait("load/chat", Requests.TOKENS))
        .injectOpen(steps.toArray(OpenInjectionStep[]::new));
  }

  /**
   * Sends one request to a model with a low limit: refused with a wait of up to ten seconds, served
   * afterwards.
   */
  private static PopulationBuilder oneByOne() {
    return once(
        scenario("a scarce model")
            .repeat(SCARCE_PER_MINUTE + 3)
            .on(BY_MODEL.askAndWait("load/scarce", 4)));
  }

  /**
   * Sends two bursts that take all slots for three seconds, and more requests meanwhile, whose wait
   * ends after the bursts.
   */
  private static PopulationBuilder slots() {
    OpenInjectionStep refill = nothingFor(Duration.ofMillis(1100));
    return scenario("slots")
        .exec(BY_SLOTS.askAndWait("load/slow", 4))
        .injectOpen(atOnceUsers(RATE), refill, atOnceUsers(RATE), refill, atOnceUsers(RATE / 4));
  }

  /** Requires this number of refusals for the reason, each served after the wait. */
  private static Assertion refused(Refusal refusal, long atLeast) {
    return details(refusal.afterTheWait()).successfulRequests().count().gte(atLeast);
  }
}
