package dev.tollgate.core.routing;

import static dev.tollgate.core.routing.FailuresByOrgTest.org;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.id.OrgId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which organizations have a circuit of their own, and for how long. */
class OrgCircuitsTest {
  private static final Model ONE = RoutingFixture.model("acme/one", "p");

  private final RoutingFixture market = new RoutingFixture();
  private final Candidate candidate = market.at(ONE, "p");
  private final OrgCircuits circuits = market.fleet.orgCircuits();

  @Test
  void onlyOrganizationsWithRecentFailuresHaveOne() {
    succeed(org(1));
    assertThat(circuits.size()).isZero();
    fail(org(2));
    assertThat(circuits.size()).isOne();
    succeed(org(1));
    succeed(org(2));
    assertThat(circuits.size()).as("its failure is recent").isOne();
    market.pass(Duration.ofSeconds(11));
    succeed(org(1));
    assertThat(circuits.size()).isOne();
    succeed(org(2));
    assertThat(circuits.size()).isZero();
  }

  @Test
  void oneThatWorksAgainIsDroppedWithItsProbe() {
    trip(org(1));
    assertThat(circuits.open()).hasSize(1);
    market.pass(Duration.ofSeconds(2));
    succeed(org(1));
    assertThat(circuits.size()).isZero();
    assertThat(market.fleet.route(candidate.route()).circuits().orgOpenings()).isOne();
  }

  @Test
  void theLeastRecentlyUsedIsEvicted() {
    trip(org(0));
    for (int n = 1; n < OrgCircuits.CIRCUITS_MAX; n++) {
      failAmongSuccesses(org(n));
    }
    assertThat(circuits.size()).isEqualTo(OrgCircuits.CIRCUITS_MAX);
    assertThat(circuits.evictions()).isZero();
    assertThat(isRefused(org(0))).isTrue();

    failAmongSuccesses(org(OrgCircuits.CIRCUITS_MAX));
    assertThat(circuits.size()).isEqualTo(OrgCircuits.CIRCUITS_MAX);
    assertThat(circuits.evictions()).isOne();
    assertThat(isRefused(org(0))).as("it was used last").isTrue();
    assertThat(has(org(1))).isFalse();
    assertThat(has(org(2))).isTrue();
  }

  /** Its attempts that were running then count as if it had never had one. */
  @Test
  void anEvictedOneBeginsAnew() {
    fail(org(0));
    List<Placement> running = List.of(place(org(0)), place(org(0)));
    for (int n = 1; n <= OrgCircuits.CIRCUITS_MAX; n++) {
      failAmongSuccesses(org(n));
    }
    assertThat(has(org(0))).isFalse();
    running.forEach(this::fail);
    assertThat(has(org(0))).isTrue();
    fail(org(0));
    fail(org(0));
    assertThat(isRefused(org(0))).isFalse();
    fail(org(0));
    assertThat(isRefused(org(0))).isTrue();
  }

  @Test
  void aReloadDropsThoseOfRoutesThatAreGone() {
    trip(org(1));
    market.fleet.configured(RoutingFixture.catalog(ONE), market.now);
    assertThat(isRefused(org(1))).isTrue();
    market.fleet.configured(new Catalog(List.of(), List.of()), market.now);
    assertThat(circuits.size()).isZero();
  }

  private boolean has(OrgId org) {
    return market.fleet.route(candidate.route()).circuits().ofOrg(org, market.now).isPresent();
  }

  private boolean isRefused(OrgId org) {
    market.org = org;
    return market.tryPlace(candidate).map(this::end).isEmpty();
  }

  private Placement end(Placement placement) {
    placement.neutral(market.now);
    return placement;
  }

  private Placement place(OrgId org) {
    market.org = org;
    return market.place(candidate);
  }

  private void trip(OrgId org) {
    for (int i = 0; i < candidate.provider().circuit().failures(); i++) {
      fail(org);
    }
  }

  /** The successes of another keep the circuit over all organizations closed. */
  private void failAmongSuccesses(OrgId org) {
    market.pass(Duration.ofNanos(1));
    succeed(org(-1));
    succeed(org(-1));
    fail(org);
  }

  private void fail(OrgId org) {
    fail(place(org));
  }

  private void fail(Placement placement) {
    placement.failed(UpstreamFailure.of(Kind.MALFORMED, "test"), market.now);
  }

  private void succeed(OrgId org) {
    place(org).succeeded(1, market.now);
  }
}
