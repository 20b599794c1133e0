package dev.tollgate.core.routing;

import static dev.tollgate.core.routing.FailuresByOrgTest.org;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.id.OrgId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose requests a failure stops: one organization's, a model's, or all of an endpoint. */
class CircuitScopeTest {
  private static final Model ONE = RoutingFixture.model("acme/one", "p");
  private static final Model TWO = RoutingFixture.model("acme/two", "p");
  private static final OrgId VICTIM = org(1_000);
  private static final OrgId ATTACKER = org(1_001);
  private static final Duration BACKOFF = Duration.ofMillis(450);

  private final RoutingFixture market = new RoutingFixture();
  private final Candidate one = market.at(ONE, "p");
  private final Candidate two = market.at(TWO, "p");
  private final int failures = one.provider().circuit().failures();

  @Test
  void anEndpointThatCannotBeReachedIsClosedToAll() {
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), failures);
    assertThat(isRefused(VICTIM, one)).isTrue();
    assertThat(isRefused(VICTIM, two)).isTrue();
    assertThat(market.fleet.provider(one.provider()).endpoint().openings()).isOne();
    assertThat(market.fleet.orgCircuits().size()).isZero();
  }

  @Test
  void soIsOneThatDoesNotAcceptConnectionsInTime() {
    fail(ATTACKER, one, UpstreamFailure.connectTimeout("connect"), failures);
    assertThat(isRefused(VICTIM, two)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "DISCONNECTED",
        "UNEXPECTED_REPLY",
        "SERVER_ERROR",
        "TIMED_OUT",
        "MALFORMED",
        "INTERRUPTED"
      })
  void otherFailuresCloseTheModelToTheOrganization(Kind kind) {
    fail(ATTACKER, one, UpstreamFailure.of(kind, "test"), failures);
    assertThat(isRefused(ATTACKER, one)).isTrue();
    assertThat(isRefused(ATTACKER, two)).as("its other models").isFalse();
    assertThat(isRefused(VICTIM, one)).isFalse();
    assertThat(market.fleet.provider(one.provider()).endpoint().state())
        .isEqualTo(new Breaker.State.Closed(0, List.of()));
  }

  @Test
  void thoseOfThreeOrganizationsCloseItToAll() {
    UpstreamFailure failure = UpstreamFailure.of(Kind.SERVER_ERROR, "test");
    fail(org(1), one, failure, 2);
    fail(org(2), one, failure, 2);
    assertThat(isRefused(VICTIM, one)).isFalse();
    fail(org(3), one, failure, 1);
    assertThat(isRefused(VICTIM, one)).isTrue();
    assertThat(isRefused(VICTIM, two)).isFalse();
    assertThat(market.fleet.orgCircuits().open()).as("each failed less often").isEmpty();
  }

  @Test
  void anAnswerShowsThatTheEndpointCanBeReached() {
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), failures);
    market.pass(Duration.ofSeconds(2));
    Placement probe = place(VICTIM, two);
    assertThat(probe.isProbe()).isTrue();
    probe.answered(market.now);
    probe.failed(UpstreamFailure.of(Kind.SERVER_ERROR, "test"), market.now);
    assertThat(isRefused(VICTIM, one)).isFalse();
    assertThat(isRefused(ATTACKER, one)).isFalse();
  }

  @Test
  void whoFailedLastProbesAfterOthersThatAsk() {
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), failures);
    assertThat(isRefused(VICTIM, one)).as("it asks").isTrue();
    market.pass(Duration.ofSeconds(2));
    assertThat(isRefused(ATTACKER, one)).isTrue();
    Placement probe = place(VICTIM, one);
    assertThat(isRefused(ATTACKER, one)).as("the probe is running").isTrue();
    probe.answered(market.now);
    assertThat(isRefused(ATTACKER, one)).isFalse();
    probe.succeeded(1, market.now);
  }

  @Test
  void ifTheOthersDoNotComeBackItProbesAfterAWhile() {
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), failures);
    assertThat(isRefused(VICTIM, one)).isTrue();
    market.pass(Duration.ofSeconds(2));
    market.org = ATTACKER;
    long wait = market.exclusion(one).waitNanos();
    assertThat(wait).isBetween(1L, one.provider().circuit().openForMax().toNanos());
    market.pass(Duration.ofNanos(wait));
    assertThat(isRefused(ATTACKER, one)).isFalse();
  }

  @Test
  void whoIsAloneProbesAsSoonAsItIsDue() {
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), failures);
    market.org = ATTACKER;
    market.pass(Duration.ofNanos(market.exclusion(one).waitNanos()));
    assertThat(isRefused(ATTACKER, one)).isFalse();
  }

  @Test
  void anOrganizationWhoseOwnCircuitIsOpenDoesNotAskForTheProbe() {
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), failures - 1);
    fail(VICTIM, one, UpstreamFailure.of(Kind.SERVER_ERROR, "test"), failures);
    fail(ATTACKER, one, UpstreamFailure.of(Kind.UNREACHABLE, "refused"), 1);
    assertThat(isRefused(VICTIM, one)).isTrue();
    market.org = ATTACKER;
    market.pass(Duration.ofNanos(market.exclusion(one).waitNanos()));
    assertThat(isRefused(ATTACKER, one)).isFalse();
  }

  /** A provider that answers 500 to the attacker, and now and then to ten others. */
  @Test
  void anAttackerTakesNothingFromOthers() {
    var load = new Load();
    load.add(VICTIM, Duration.ofMillis(71), n -> false);
    for (int n = 0; n < 10; n++) {
      load.add(org(n), Duration.ofMillis(100), i -> i % 100 == 50);
    }
    load.runFor(Duration.ofSeconds(5));
    load.add(ATTACKER, Duration.ofMillis(66), n -> true);
    load.runFor(Duration.ofSeconds(60));
    assertThat(load.refused(VICTIM)).isZero();
    for (int n = 0; n < 10; n++) {
      assertThat(load.refused(org(n))).isZero();
    }
    assertThat(load.refused(ATTACKER)).isGreaterThan(700);
    assertThat(load.reached(ATTACKER)).isLessThan(50);
  }

  /** They ask more often than it, open the circuit of the model, and would take every probe. */
  @Test
  void threeAttackersDoNotCloseTheModelToOneThatItServes() {
    var load = new Load();
    load.add(VICTIM, Duration.ofSeconds(2), n -> false);
    load.runFor(Duration.ofSeconds(10));
    addAttackers(load);
    load.runFor(Duration.ofSeconds(60));
    assertThat(circuit().openings()).isGreaterThan(5);
    assertThat(load.reached(VICTIM)).isEqualTo(35);
    assertThat(load.refused(VICTIM)).isZero();
    assertThat(load.reached() - load.reached(VICTIM)).isLessThan(load.refused() / 2);
  }

  @Test
  void oneThatComesLaterIsServedAfterOneProbe() {
    var load = new Load();
    addAttackers(load);
    load.runFor(Duration.ofSeconds(10));
    assertThat(circuit().isClosed()).isFalse();
    load.add(VICTIM, Duration.ofSeconds(2), n -> false);
    load.runFor(Duration.ofSeconds(10));
    long refused = load.refused(VICTIM);
    assertThat(refused).as("until a probe is due").isLessThanOrEqualTo(3);
    load.runFor(Duration.ofSeconds(50));
    assertThat(load.refused(VICTIM)).isEqualTo(refused);
  }

  private void addAttackers(Load load) {
    for (int n = 0; n < 3; n++) {
      load.add(org(n), Duration.ofMillis(500), i -> true);
    }
  }

  /** Those that it served before the outage probe beside the others, each until it fails. */
  @Test
  void anOutageMeetsFewProbesOfTheManyThatItServed() {
    var load = new Load();
    boolean[] out = {false};
    for (int n = 0; n < 3; n++) {
      load.add(org(n), Duration.ofMillis(500), i -> out[0]);
    }
    for (int n = 3; n < 103; n++) {
      load.add(org(n), Duration.ofSeconds(40), i -> out[0]);
    }
    load.runFor(Duration.ofSeconds(40));
    out[0] = true;
    load.runFor(Duration.ofSeconds(6));
    assertThat(circuit().isClosed()).isFalse();
    long before = load.reached();
    load.runFor(Duration.ofSeconds(20));
    assertThat(load.reached() - before).as("of 170 requests").isLessThan(30);
  }

  /** 50 organizations at one request per second; the others' failures went before. */
  @Test
  void anOutageClosesTheModelToAllWithinFiveSeconds() {
    boolean[] out = {false};
    var load = new Load();
    for (int n = 0; n < 50; n++) {
      int offset = n;
      load.add(org(n), Duration.ofSeconds(1), i -> out[0] || (i + offset) % 100 == 0);
    }
    load.add(ATTACKER, Duration.ofMillis(66), n -> true);
    load.runFor(Duration.ofSeconds(30));
    assertThat(isRefused(VICTIM, one)).isFalse();
    out[0] = true;
    long began = market.now;
    while (circuit().isClosed()) {
      load.runFor(Duration.ofMillis(10));
    }
    assertThat(Duration.ofNanos(market.now - began)).isLessThan(Duration.ofSeconds(5));
    assertThat(isRefused(VICTIM, one)).as("it did not meet a failure").isTrue();
    assertThat(isRefused(VICTIM, two)).isFalse();

    load.runFor(Duration.ofSeconds(20));
    long before = load.reached();
    load.runFor(Duration.ofSeconds(20));
    assertThat(load.reached() - before).as("only probes").isLessThan(10);
    out[0] = false;
    load.runFor(Duration.ofSeconds(12));
    long refused = load.refused() - load.refused(ATTACKER);
    load.runFor(Duration.ofSeconds(10));
    assertThat(load.refused() - load.refused(ATTACKER)).as("all are back").isEqualTo(refused);
  }

  /** Requests of organizations at one model, each repeated once if it fails. */
  private final class Load {
    private final PriorityQueue<Due> due =
        new PriorityQueue<>((a, b) -> Long.compare(a.atNanos(), b.atNanos()));
    private final List<OrgId> refused = new ArrayList<>();
    private final List<OrgId> reached = new ArrayList<>();

    private interface Fails {
      boolean request(int n);
    }

    /** A request, or with {@code again} its second attempt. */
    private record Due(long atNanos, OrgId org, Duration every, Fails fails, int n, boolean again) {
      Due next() {
        return new Due(atNanos + every.toNanos(), org, every, fails, n + 1, false);
      }

      Due repeated() {
        return new Due(atNanos + BACKOFF.toNanos(), org, every, fails, n, true);
      }
    }

    void add(OrgId org, Duration every, Fails fails) {
      long first = market.now + every.toNanos() * (due.size() % 50) / 50;
      due.add(new Due(first, org, every, fails, 0, false));
    }

    void runFor(Duration time) {
      long end = market.now + time.toNanos();
      while (due.element().atNanos() < end) {
        run(due.remove());
      }
      market.now = end;
    }

    private void run(Due request) {
      market.now = request.atNanos();
      if (!request.again()) {
        due.add(request.next());
      }
      market.org = request.org();
      Placement placement = market.tryPlace(one).orElse(null);
      if (placement == null) {
        refused.add(request.org());
        return;
      }
      reached.add(request.org());
      placement.answered(market.now);
      if (!request.fails().request(request.n())) {
        placement.succeeded(1, market.now);
        return;
      }
      placement.failed(UpstreamFailure.of(Kind.SERVER_ERROR, "test"), market.now);
      if (!request.again()) {
        due.add(request.repeated());
      }
    }

    long refused() {
      return refused.size();
    }

    long refused(OrgId org) {
      return refused.stream().filter(org::equals).count();
    }

    long reached() {
      return reached.size();
    }

    long reached(OrgId org) {
      return reached.stream().filter(org::equals).count();
    }
  }

  private Breaker circuit() {
    return market.fleet.route(one.route()).circuits().model();
  }

  private Placement place(OrgId org, Candidate candidate) {
    market.org = org;
    return market.place(candidate);
  }

  private boolean isRefused(OrgId org, Candidate candidate) {
    market.org = org;
    var placement = market.tryPlace(candidate);
    placement.ifPresent(placed -> placed.neutral(market.now));
    return placement.isEmpty();
  }

  private void fail(OrgId org, Candidate candidate, UpstreamFailure failure, int times) {
    for (int i = 0; i < times; i++) {
      place(org, candidate).failed(failure, market.now);
    }
  }
}
