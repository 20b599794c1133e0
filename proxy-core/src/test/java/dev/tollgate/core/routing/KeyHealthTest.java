package dev.tollgate.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.routing.Exclusion.Reason;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Choice among a provider's keys, and the effect of its answers on them. */
class KeyHealthTest {
  private static final Provider TWO_KEYS = RoutingFixture.withKeys("pool", 1, 1);
  private static final Candidate TWO = RoutingFixture.candidate(TWO_KEYS);
  private static final Provider ONE_KEY = RoutingFixture.withKeys("one", 1);
  private static final Candidate ONE = RoutingFixture.candidate(ONE_KEY);

  private final RoutingFixture market = new RoutingFixture();

  @Test
  void keysAreDrawnByWeight() {
    Candidate candidate = RoutingFixture.candidate(RoutingFixture.withKeys("pool", 1, 9));
    int light = 0;
    for (int i = 0; i < 10_000; i++) {
      Placement placement = market.place(candidate);
      light += keyOf(placement).equals("k0") ? 1 : 0;
      placement.neutral(market.now);
    }
    assertThat(light).isBetween(850, 1_150);
  }

  @Test
  void aRateLimitCoolsTheKeyThatWasUsedForAsLongAsTheProviderAsks() {
    Placement limited = market.place(TWO);
    limited.failed(RoutingFixture.limited(20), market.now);
    String other = keyOf(limited).equals("k0") ? "k1" : "k0";
    assertThat(keysInUse(TWO)).containsExactly(other);
    market.pass(Duration.ofSeconds(20).minusNanos(1));
    assertThat(keysInUse(TWO)).containsExactly(other);
    market.pass(Duration.ofNanos(1));
    assertThat(keysInUse(TWO)).containsExactlyInAnyOrder("k0", "k1");
  }

  @Test
  void theLongestWaitCountsButAnHourAtMost() {
    Placement first = market.place(ONE);
    Placement second = market.place(ONE);
    Placement third = market.place(ONE);
    first.failed(RoutingFixture.limited(30), market.now);
    second.failed(RoutingFixture.limited(5), market.now);
    assertThat(waitOf(ONE)).isEqualTo(Duration.ofSeconds(30));
    third.failed(RoutingFixture.limited(1_000_000), market.now);
    assertThat(waitOf(ONE)).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void aRateLimitThatNamesNoWaitCoolsForAMoment() {
    market.place(ONE).failed(RoutingFixture.limited(0), market.now);
    Exclusion exclusion = market.exclusion(ONE);
    assertThat(exclusion.reason()).isEqualTo(Reason.COOLING);
    assertThat(exclusion.waitNanos()).isEqualTo(Duration.ofMillis(300).toNanos());
  }

  @Test
  void aProviderWithoutAKeyCoolsToo() {
    Candidate candidate = RoutingFixture.candidate(RoutingFixture.withKeys("keyless"));
    market.place(candidate).failed(RoutingFixture.limited(3), market.now);
    assertThat(waitOf(candidate)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void aRefusedKeyIsRetiredWhateverTheStatus() {
    for (int status : new int[] {401, 402, 403}) {
      Candidate candidate = RoutingFixture.candidate(RoutingFixture.withKeys("s" + status, 1));
      market
          .place(candidate)
          .failed(
              new UpstreamFailure(Kind.CREDENTIAL_REFUSED, status, "", null, null, 0), market.now);
      assertThat(market.exclusion(candidate).reason()).isEqualTo(Reason.CREDENTIALS_REFUSED);
      assertThat(waitOf(candidate)).isEqualTo(Duration.ofSeconds(60));
    }
  }

  @Test
  void aRetiredKeyIsTriedByOneRequestAndThenTwiceAsLate() {
    refuse(ONE);
    for (int seconds : new int[] {60, 120, 240, 480, 600, 600}) {
      assertThat(waitOf(ONE)).isEqualTo(Duration.ofSeconds(seconds));
      market.pass(Duration.ofSeconds(seconds));
      Placement probe = market.place(ONE);
      assertThat(market.exclusion(ONE).reason()).isEqualTo(Reason.CREDENTIALS_REFUSED);
      probe.failed(RoutingFixture.refused(), market.now);
    }
  }

  @Test
  void aRetiredKeyThatWorksAgainServesAll() {
    refuse(ONE);
    market.pass(Duration.ofSeconds(60));
    Placement probe = market.place(ONE);
    market.pass(Duration.ofSeconds(1));
    probe.firstContent(market.now);
    assertThat(keysInUse(ONE)).containsExactly("k0");
    probe.succeeded(1, market.now);
    refuse(ONE);
    assertThat(waitOf(ONE)).as("it begins anew").isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void aProbeWithoutAnOutcomeHoldsAKeyForItsIntervalOnly() {
    refuse(ONE);
    market.pass(Duration.ofSeconds(60));
    market.place(ONE);
    assertThat(waitOf(ONE)).isEqualTo(Duration.ofSeconds(60));
    market.pass(Duration.ofSeconds(60));
    Placement next = market.place(ONE);
    next.succeeded(1, market.now);
    assertThat(keysInUse(ONE)).containsExactly("k0");
  }

  /** A key that is revoked while many requests use it counts as one refusal. */
  @Test
  void manyRefusalsAtOnceAreOne() {
    List<Placement> open = List.of(market.place(ONE), market.place(ONE), market.place(ONE));
    for (Placement one : open) {
      market.pass(Duration.ofMillis(10));
      one.failed(RoutingFixture.refused(), market.now);
    }
    assertThat(waitOf(ONE)).isLessThan(Duration.ofSeconds(60));
    market.pass(Duration.ofSeconds(60));
    market.place(ONE).succeeded(1, market.now);
  }

  @Test
  void anAttemptFromBeforeTheRefusalHasNoEffect() {
    Placement slow = market.place(ONE);
    Placement limited = market.place(ONE);
    refuse(ONE);
    market.pass(Duration.ofMillis(1));
    slow.succeeded(1, market.now);
    limited.failed(RoutingFixture.limited(1), market.now);
    assertThat(market.exclusion(ONE).reason()).isEqualTo(Reason.CREDENTIALS_REFUSED);
  }

  @Test
  void aRefusalFromBeforeTheKeyRecoveredRetiresItNoMore() {
    Placement slow = market.place(ONE);
    refuse(ONE);
    market.pass(Duration.ofSeconds(60));
    market.place(ONE).succeeded(1, market.now);
    slow.failed(RoutingFixture.refused(), market.now);
    assertThat(keysInUse(ONE)).containsExactly("k0");
    market.pass(Duration.ofSeconds(1));
    refuse(ONE);
    assertThat(market.exclusion(ONE).reason()).isEqualTo(Reason.CREDENTIALS_REFUSED);
  }

  @Test
  void aReloadHasARefusedKeyTriedAtOnce() {
    refuse(ONE);
    market.pass(Duration.ofSeconds(1));
    market.fleet.configured(catalog(ONE), market.now);
    Placement probe = market.place(ONE);
    assertThat(market.exclusion(ONE).reason()).as("by one").isEqualTo(Reason.CREDENTIALS_REFUSED);
    probe.succeeded(1, market.now);
    assertThat(keysInUse(ONE)).containsExactly("k0");
  }

  @Test
  void aKeyThatCoolsForOneModelServesAnother() {
    Model small = RoutingFixture.model("acme/small", "a");
    Model large = RoutingFixture.model("acme/large", "a");
    market.place(market.at(small, "a")).failed(RoutingFixture.limited(30), market.now);
    market.place(market.at(large, "a")).succeeded(1, market.now);
    assertThat(market.exclusion(market.at(small, "a")).reason()).isEqualTo(Reason.COOLING);
  }

  @Test
  void aReloadDoesNotHurryAKeyThatCools() {
    market.place(ONE).failed(RoutingFixture.limited(30), market.now);
    market.fleet.configured(catalog(ONE), market.now);
    assertThat(waitOf(ONE)).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aKeyThatIsNoLongerConfiguredIsForgotten() {
    refuse(ONE);
    market.fleet.configured(new Catalog(List.of(), List.of()), market.now);
    assertThat(keysInUse(ONE)).containsExactly("k0");
  }

  @Test
  void aKeyThatIsRefusedDoesNotOpenTheCircuit() {
    for (int i = 0; i < 20; i++) {
      refuse(ONE);
      market.pass(Duration.ofMinutes(10));
    }
    assertThat(market.fleet.provider(ONE_KEY).endpoint().openings()).isZero();
    assertThat(market.fleet.route(ONE.route()).circuits().model().openings()).isZero();
    assertThat(market.fleet.orgCircuits().size()).isZero();
  }

  private void refuse(Candidate candidate) {
    market.place(candidate).failed(RoutingFixture.refused(), market.now);
  }

  private static String keyOf(Placement placement) {
    var credential = placement.credential();
    return credential == null ? "none" : credential.key().reveal();
  }

  private Set<String> keysInUse(Candidate candidate) {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      Placement placement = market.place(candidate);
      keys.add(keyOf(placement));
      placement.neutral(market.now);
    }
    return keys;
  }

  private Duration waitOf(Candidate candidate) {
    return Duration.ofNanos(market.exclusion(candidate).waitNanos());
  }

  private static Catalog catalog(Candidate candidate) {
    Model m = candidate.model();
    Model routed =
        new Model(
            m.id(),
            m.modality(),
            m.name(),
            m.description(),
            m.created(),
            m.contextLength(),
            m.outputTokensMax(),
            m.outputTokensReserved(),
            m.imageTokensReserved(),
            m.capabilities(),
            m.prices(),
            m.resume(),
            m.stickyPrefix(),
            List.of(candidate.route()),
            m.durationAssumed());
    return new Catalog(List.of(candidate.provider()), List.of(routed));
  }
}
