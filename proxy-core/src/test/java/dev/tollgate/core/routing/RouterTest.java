package dev.tollgate.core.routing;

import static dev.tollgate.core.routing.RoutingFixture.model;
import static dev.tollgate.core.routing.RoutingFixture.preferences;
import static dev.tollgate.core.routing.RoutingFixture.priced;
import static dev.tollgate.core.routing.RoutingFixture.strategy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.routing.Exclusion.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Candidates that may serve, and their order (docs/decisions/routing.md#strategies). */
class RouterTest {
  private static final Model THREE = model("acme/one", "a:3:1", "b:1:8", "c:2:1");

  private final RoutingFixture market = new RoutingFixture();

  // Strategies

  @Test
  void priorityIsTheOrderByDefault() {
    assertThat(market.order(RoutingPreferences.NONE, THREE)).containsExactly("b", "c", "a");
    assertThat(market.order(strategy(Strategy.PRIORITY), THREE)).containsExactly("b", "c", "a");
  }

  @Test
  void costIsTheOrderOfTheRoutesCostsWhateverTheirPriorities() {
    Model model = model("acme/one", "a:1:1:30", "b:2:1:29", "c:3", "d:4:1:29");
    assertThat(market.order(strategy(Strategy.COST), model)).containsExactly("b", "d", "a", "c");
    assertThat(market.order(strategy(Strategy.PRIORITY), model))
        .containsExactly("a", "b", "c", "d");
  }

  @Test
  void aStickyRequestStaysAmongTheCheapest() {
    Model model = model("acme/one", "a:1:1:30", "b:1:1:29", "c:1:1:29");
    for (int prefix = 0; prefix < 100; prefix++) {
      OptionalLong affinity = Router.affinity("prefix " + prefix);
      RoutePlan plan = market.plan(strategy(Strategy.COST), affinity, model);
      assertThat(plan.candidates().getFirst().id().value()).isNotEqualTo("a");
    }
  }

  @Test
  void costIsTheOrderOfPriorityWhereAllCostTheSame() {
    assertThat(market.order(strategy(Strategy.COST), THREE)).containsExactly("b", "c", "a");
  }

  @Test
  void latencyPutsTheFastestFirst() {
    market.served(market.at(THREE, "a"), Duration.ofMillis(100), 10);
    market.served(market.at(THREE, "b"), Duration.ofMillis(900), 10);
    market.served(market.at(THREE, "c"), Duration.ofMillis(400), 10);
    assertThat(market.order(strategy(Strategy.LATENCY), THREE)).containsExactly("a", "c", "b");
  }

  @Test
  void throughputPutsTheFastestWriterFirst() {
    market.served(market.at(THREE, "a"), Duration.ofMillis(100), 20);
    market.served(market.at(THREE, "b"), Duration.ofMillis(100), 50);
    market.served(market.at(THREE, "c"), Duration.ofMillis(100), 90);
    assertThat(market.order(strategy(Strategy.THROUGHPUT), THREE)).containsExactly("c", "b", "a");
  }

  @Test
  void anUnknownCandidateIsTriedFirstButByOneRequestOnly() {
    market.served(market.at(THREE, "a"), Duration.ofMillis(100), 10);
    market.served(market.at(THREE, "b"), Duration.ofMillis(900), 10);
    assertThat(market.order(strategy(Strategy.LATENCY), THREE)).containsExactly("c", "a", "b");
    Placement exploring = market.place(market.at(THREE, "c"));
    assertThat(market.order(strategy(Strategy.LATENCY), THREE)).containsExactly("a", "b", "c");
    exploring.neutral(market.now);
  }

  @Test
  void aSlowOneComesBackByItselfWhenItsFiguresAreOld() {
    market.served(market.at(THREE, "b"), Duration.ofSeconds(9), 10);
    market.served(market.at(THREE, "a"), Duration.ofMillis(100), 10);
    market.served(market.at(THREE, "c"), Duration.ofMillis(200), 10);
    assertThat(market.order(strategy(Strategy.LATENCY), THREE)).containsExactly("a", "c", "b");
    for (int i = 0; i < 4; i++) {
      market.pass(Duration.ofSeconds(20));
      market.served(market.at(THREE, "a"), Duration.ofMillis(100), 10);
      market.served(market.at(THREE, "c"), Duration.ofMillis(200), 10);
    }
    assertThat(market.order(strategy(Strategy.LATENCY), THREE)).containsExactly("b", "a", "c");
  }

  @Test
  void weightedChoosesByWeight() {
    Map<String, Integer> first = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      List<String> order = market.order(strategy(Strategy.WEIGHTED), THREE);
      assertThat(order).containsExactlyInAnyOrder("a", "b", "c");
      first.merge(order.getFirst(), 1, Integer::sum);
    }
    assertThat(first.get("b")).isBetween(7_800, 8_200);
    assertThat(first.get("a")).isBetween(850, 1_150);
  }

  @Test
  void roundRobinRotates() {
    assertThat(market.order(strategy(Strategy.ROUND_ROBIN), THREE)).containsExactly("b", "c", "a");
    assertThat(market.order(strategy(Strategy.ROUND_ROBIN), THREE)).containsExactly("c", "a", "b");
    assertThat(market.order(strategy(Strategy.ROUND_ROBIN), THREE)).containsExactly("a", "b", "c");
    assertThat(market.order(strategy(Strategy.ROUND_ROBIN), THREE)).containsExactly("b", "c", "a");
  }

  @Test
  void leastBusyPutsTheOneWithTheFewestOpenRequestsFirst() {
    Placement one = market.place(market.at(THREE, "b"));
    Placement two = market.place(market.at(THREE, "b"));
    Placement three = market.place(market.at(THREE, "c"));
    assertThat(market.order(strategy(Strategy.LEAST_BUSY), THREE)).containsExactly("a", "c", "b");
    one.neutral(market.now);
    two.succeeded(1, market.now);
    three.failed(RoutingFixture.limited(0), market.now);
    market.pass(Duration.ofSeconds(1));
    assertThat(market.order(strategy(Strategy.LEAST_BUSY), THREE)).containsExactly("b", "c", "a");
  }

  // What a request names

  @Test
  void orderComesFirstAndTheOthersFollow() {
    assertThat(market.order(preferences(w -> w.order("a", "x")), THREE))
        .containsExactly("a", "b", "c");
    assertThat(market.order(preferences(w -> w.order("c", "a").strategy(Strategy.COST)), THREE))
        .containsExactly("c", "a", "b");
  }

  @Test
  void onlyAndIgnoreAreHardFilters() {
    assertThat(market.order(preferences(w -> w.only("a", "c")), THREE)).containsExactly("c", "a");
    assertThat(market.order(preferences(w -> w.ignore("b")), THREE)).containsExactly("c", "a");
    assertThat(market.order(preferences(w -> w.only("a", "c").ignore("c")), THREE))
        .containsExactly("a");
  }

  @Test
  void withoutFallbacksOnlyThePreferredMayServe() {
    Model other = model("acme/two", "d");
    assertThat(market.order(preferences(w -> w.noFallbacks()), THREE, other)).containsExactly("b");
    assertThat(market.order(preferences(w -> w.order("c", "a").noFallbacks()), THREE, other))
        .containsExactly("c", "a");
    market.failed(market.at(THREE, "b"), Kind.SERVER_ERROR, 5);
    assertThat(reasons(market.refusal(preferences(w -> w.noFallbacks()), THREE)))
        .containsEntry("b", Reason.CIRCUIT_OPEN)
        .containsEntry("a", Reason.FALLBACK_NOT_ALLOWED);
  }

  @Test
  void aPriceCapIsAHardFilter() {
    Model dear = priced(model("acme/dear", "a"), 5_000_000, 9_000_000);
    RoutingPreferences capped =
        preferences(w -> w.demand(false, cap(4_000_000, PriceCap.UNBOUNDED), Duration.ofDays(1)));
    assertThat(reasons(market.refusal(capped, dear))).containsEntry("a", Reason.PRICE_ABOVE_MAX);
    assertThat(market.order(capped, dear, model("acme/one", "b"))).containsExactly("b");
    RoutingPreferences exact =
        preferences(w -> w.demand(false, cap(5_000_000, 9_000_000), Duration.ofDays(1)));
    assertThat(market.order(exact, dear)).containsExactly("a");
  }

  private static PriceCap cap(long prompt, long completion) {
    return new PriceCap(prompt, completion, PriceCap.UNBOUNDED, PriceCap.UNBOUNDED);
  }

  @Test
  void parametersAreRequiredAsFarAsCapabilitiesAreKnown() {
    RoutingPreferences demanding =
        preferences(w -> w.demand(true, PriceCap.NONE, Duration.ofDays(1)));
    assertThat(reasons(market.refusal(demanding, Set.of("vision"), THREE)))
        .containsEntry("a", Reason.PARAMETERS_UNSUPPORTED);
    assertThat(market.order(demanding, THREE)).hasSize(3);
  }

  @Test
  void aSlowerCandidateThanPreferredComesLast() {
    market.served(market.at(THREE, "b"), Duration.ofMillis(900), 10);
    RoutingPreferences hasty =
        preferences(w -> w.demand(false, PriceCap.NONE, Duration.ofMillis(500)));
    assertThat(market.order(hasty, THREE)).containsExactly("c", "a", "b");
    RoutingPreferences patient =
        preferences(w -> w.demand(false, PriceCap.NONE, Duration.ofSeconds(5)));
    assertThat(market.order(patient, THREE)).containsExactly("b", "c", "a");
  }

  @Test
  void otherModelsComeLast() {
    Model other = model("acme/two", "a:1", "d:2");
    RoutePlan plan = market.plan(RoutingPreferences.NONE, OptionalLong.empty(), THREE, other);
    assertThat(plan.candidates().stream().map(c -> c.id() + "/" + c.model().id().name()))
        .containsExactly("b/one", "c/one", "a/one", "a/two", "d/two");
  }

  // Health

  @Test
  void anOpenCircuitIsAHardFilterUntilItIsProbed() {
    market.failed(market.at(THREE, "b"), Kind.SERVER_ERROR, 5);
    assertThat(market.order(RoutingPreferences.NONE, THREE)).containsExactly("c", "a");
    market.pass(Duration.ofSeconds(2));
    assertThat(market.order(RoutingPreferences.NONE, THREE)).containsExactly("b", "c", "a");
  }

  @Test
  void withoutACandidateTheClientGetsReasonsAndAWait() {
    Model two = model("acme/one", "a", "b");
    market.failed(market.at(two, "a"), Kind.UNREACHABLE, 5);
    market.place(market.at(two, "b")).failed(RoutingFixture.limited(30), market.now);
    NoProviderRefusal refusal = market.refusal(RoutingPreferences.NONE, two);
    assertThat(reasons(refusal))
        .containsEntry("a", Reason.CIRCUIT_OPEN)
        .containsEntry("b", Reason.COOLING);
    Fault fault = refusal.fault();
    assertThat(fault.code()).isEqualTo(ErrorCode.NO_PROVIDER_AVAILABLE);
    assertThat(fault.retryAfterSeconds()).isEqualTo(2);
    assertThat(fault.details().get("excluded"))
        .isEqualTo(
            List.of(
                Map.of("provider", "a", "reason", "circuit_open"),
                Map.of("provider", "b", "reason", "cooling")));
    assertThat(refusal.reason()).startsWith("strategy=priority selected=none");
  }

  @Test
  void whereAllThatAreAllowedCoolTheClientGetsARateLimitAndTheTimeLeft() {
    Model two = model("acme/one", "a", "b");
    market.place(market.at(two, "a")).failed(RoutingFixture.limited(50), market.now);
    market.place(market.at(two, "b")).failed(RoutingFixture.limited(30), market.now);
    market.pass(Duration.ofSeconds(5));
    Fault fault = market.refusal(RoutingPreferences.NONE, two).fault();
    assertThat(fault.code()).isEqualTo(ErrorCode.PROVIDER_RATE_LIMITED);
    assertThat(fault.retryAfterSeconds()).isEqualTo(25);
    assertThat(fault.shouldRetry()).isTrue();
    assertThat(fault.details().get("excluded"))
        .isEqualTo(
            List.of(
                Map.of("provider", "a", "reason", "cooling"),
                Map.of("provider", "b", "reason", "cooling")));
  }

  @Test
  void aRefusedKeyIsTriedAgainOnlyAsTheLastResort() {
    Model two = model("acme/one", "a", "b");
    market.place(market.at(two, "b")).failed(RoutingFixture.refused(), market.now);
    assertThat(market.order(RoutingPreferences.NONE, two)).containsExactly("a");
    market.failed(market.at(two, "a"), Kind.UNREACHABLE, 5);
    assertThat(reasons(market.refusal(RoutingPreferences.NONE, two)))
        .as("waiting for a mends it")
        .containsEntry("b", Reason.CREDENTIALS_REFUSED);

    Model alone = model("acme/one", "b");
    RoutePlan last = market.plan(RoutingPreferences.NONE, OptionalLong.empty(), alone);
    assertThat(market.isPlaced(last)).isTrue();
    assertThat(market.isPlaced(last)).as("for every request").isTrue();
  }

  @Test
  void tryingARefusedKeyAsALastResortDoesNotPutItsProbeOff() {
    Model alone = model("acme/one", "b");
    Candidate only = market.at(alone, "b");
    market.place(only).failed(RoutingFixture.refused(), market.now);
    RoutePlan last = market.plan(RoutingPreferences.NONE, OptionalLong.empty(), alone);
    for (int i = 0; i < 5; i++) {
      market.pass(Duration.ofSeconds(1));
      market.place(last).failed(RoutingFixture.refused(), market.now);
    }
    market.pass(KeyHealth.REFUSED_FIRST);
    market.place(only).neutral(market.now);
    market.place(only).failed(UpstreamFailure.of(Kind.REJECTED, "the key was taken"), market.now);
    market.place(only);
    market.place(only);
  }

  @Test
  void aBurstOfRefusalsIsOneRefusal() {
    Candidate only = market.at(model("acme/one", "b"), "b");
    List<Placement> burst = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      burst.add(market.place(only));
    }
    market.pass(Duration.ofSeconds(1));
    burst.forEach(one -> one.failed(RoutingFixture.refused(), market.now));
    market.pass(KeyHealth.REFUSED_FIRST);
    market.place(only);
  }

  @Test
  void withoutFallbacksNoOtherModelServes() {
    Model first = model("acme/one", "a");
    Model second = model("acme/two", "b");
    RoutingPreferences only = preferences(w -> w.only("b").noFallbacks());
    assertThat(reasons(market.refusal(only, first, second)))
        .containsOnly(Map.entry("a", Reason.NOT_IN_ONLY));
  }

  @Test
  void aRefusalThatWaitingDoesNotMendNamesNoWait() {
    assertThat(market.refusal(preferences(w -> w.only("x")), THREE).fault().retryAfterSeconds())
        .isZero();
  }

  // Stickiness

  @Test
  void aSessionGoesToOneProviderWhateverTheStrategy() {
    for (Strategy strategy : List.of(Strategy.WEIGHTED, Strategy.ROUND_ROBIN)) {
      Set<String> first = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        first.add(firstOf("session-7", strategy));
      }
      assertThat(first).hasSize(1);
    }
  }

  @Test
  void sessionsSpreadByWeightAndOnlyThoseOfALostProviderMove() {
    Map<String, String> before = new HashMap<>();
    Map<String, Integer> share = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      String first = firstOf("session-" + i, Strategy.WEIGHTED);
      before.put("session-" + i, first);
      share.merge(first, 1, Integer::sum);
    }
    assertThat(share.get("b")).isBetween(1_500, 1_700);
    market.failed(market.at(THREE, "b"), Kind.SERVER_ERROR, 5);
    before.forEach(
        (session, first) -> {
          String after = firstOf(session, Strategy.WEIGHTED);
          assertThat(after).isNotEqualTo("b");
          assertThat(first.equals("b") || first.equals(after)).isTrue();
        });
  }

  @Test
  void aSessionDoesNotOutweighThePriority() {
    for (int i = 0; i < 50; i++) {
      assertThat(firstOf("session-" + i, Strategy.PRIORITY)).isEqualTo("b");
    }
  }

  private String firstOf(String session, Strategy strategy) {
    return market
        .plan(strategy(strategy), Router.affinity(session), THREE)
        .candidates()
        .getFirst()
        .id()
        .value();
  }

  private static Map<String, Reason> reasons(NoProviderRefusal refusal) {
    Map<String, Reason> reasons = new HashMap<>();
    refusal.excluded().forEach(one -> reasons.put(one.provider().value(), one.reason()));
    return reasons;
  }
}
