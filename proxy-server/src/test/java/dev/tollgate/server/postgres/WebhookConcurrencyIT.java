package dev.tollgate.server.postgres;

import static dev.tollgate.server.postgres.TestEvents.again;
import static dev.tollgate.server.postgres.TestEvents.attempt;
import static dev.tollgate.server.postgres.TestEvents.claim;
import static dev.tollgate.server.postgres.TestEvents.claimOptions;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.core.webhook.Outbox.Attempt;
import dev.tollgate.core.webhook.Outbox.ClaimOptions;
import dev.tollgate.core.webhook.Outbox.NextStep;
import dev.tollgate.core.webhook.Outbox.ReceiverReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Dead and slow receivers delay only themselves. In a real database, with a clock that tests set.
 */
@Execution(ExecutionMode.CONCURRENT)
class WebhookConcurrencyIT {
  private static final String SHARED = "https://hooks.example/";
  @RegisterExtension private static final TestLedgerStore testStore = TestLedgerStore.perClass();

  private static TestEvents events;

  private static Outbox one;
  private static Outbox two;

  @BeforeAll
  static void open() throws Exception {
    events = new TestEvents(testStore);
    one = testStore.store().outbox("one");
    two = testStore.store().outbox("two");
  }

  @BeforeEach
  void clear() throws Exception {
    events.clear();
  }

  private static List<OrgId> orgs(int count) throws Exception {
    List<OrgId> orgs = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      orgs.add(testStore.newOrg());
    }
    return orgs;
  }

  private static <K> Map<K, Long> count(List<ClaimedEvent> taken, Function<ClaimedEvent, K> by) {
    return taken.stream().collect(groupingBy(by, counting()));
  }

  /** Makes a receiver take {@code millis} for one event. */
  private static void takeMillis(long millis, OrgId org, String url) throws Exception {
    UUID id = events.event(org, url);
    List<ClaimedEvent> taken = one.claim(claimOptions(100, 100));
    for (ClaimedEvent due : taken) {
      if (due.id().equals(id)) {
        one.recordAttempt(attempt(due, "ok", millis, new NextStep.Delivered()));
      } else {
        one.release(due, Duration.ZERO);
      }
    }
  }

  private static void slow(OrgId org, String url) throws Exception {
    takeMillis(1_000, org, url);
  }

  // Organizations and hosts

  @Test
  void anOrganizationThatWaitsForAHostDelaysNoOtherThere() throws Exception {
    List<OrgId> orgs = orgs(2);
    events.events(40, orgs.get(0), SHARED + "dead");
    events.pass(1);
    UUID theirs = events.event(orgs.get(1), SHARED + "live");
    List<ClaimedEvent> taken = one.claim(claimOptions(64));
    assertThat(taken).extracting(ClaimedEvent::id).contains(theirs);
    assertThat(count(taken, ClaimedEvent::org)).isEqualTo(Map.of(orgs.get(0), 4L, orgs.get(1), 1L));
    assertThat(claim(two, 64)).isEmpty();
    UUID second = events.event(orgs.get(1), SHARED + "live");
    assertThat(claim(two, 64)).containsExactly(second);
  }

  @Test
  void aReceiverAtItsLimitDelaysNoOther() throws Exception {
    List<OrgId> orgs = orgs(2);
    for (int n = 0; n < 4; n++) {
      events.events(4, orgs.get(0), "https://dead" + n + ".example/");
    }
    assertThat(claim(one, 64)).hasSize(16);
    events.events(20, orgs.get(0), SHARED);
    events.pass(1);
    UUID theirs = events.event(orgs.get(1), SHARED);
    assertThat(claim(one, 64)).containsExactly(theirs);
  }

  @Test
  void aHostHasSixteenAttemptsOverAllOrganizations() throws Exception {
    List<OrgId> orgs = orgs(6);
    for (OrgId org : orgs) {
      events.events(10, org, SHARED);
    }
    List<ClaimedEvent> taken = one.claim(claimOptions(64));
    assertThat(taken).hasSize(16);
    assertThat(count(taken, ClaimedEvent::org).values()).hasSize(6).allMatch(places -> places >= 2);
    assertThat(claim(two, 64)).isEmpty();
    one.recordAttempt(attempt(taken.getFirst(), "ok", new NextStep.Delivered()));
    assertThat(claim(two, 64)).hasSize(1);
  }

  // Slow receivers

  @Test
  void aReceiverIsSlowUntilItDoesNotTakeASecond() throws Exception {
    OrgId org = testStore.newOrg();
    for (long millis : List.of(1_000L, 999L, 10_000L, 3L)) {
      takeMillis(millis, org, "https://Hook.Example:8443/in");
      UUID next = events.event(org, "https://hook.example/");
      List<ClaimedEvent> taken = new ArrayList<>(one.claim(claimOptions(9, 0)));
      assertThat(taken.isEmpty()).as("%s ms", millis).isEqualTo(millis >= 1_000);
      taken.addAll(one.claim(claimOptions(9, 9)));
      assertThat(taken).extracting(ClaimedEvent::id).containsExactly(next);
      // The receiver was not called, so its speed is unknown.
      one.recordAttempt(
          new Attempt(
              taken.getFirst(), ReceiverReply.REMOVED, Duration.ZERO, new NextStep.Failed()));
      assertThat(testStore.execute("SELECT host FROM webhook_slow"))
          .as("%s ms", millis)
          .hasSize(millis >= 1_000 ? 1 : 0);
    }
  }

  @Test
  void ofAHostsPlacesSlowReceiversHaveHalf() throws Exception {
    List<OrgId> orgs = orgs(5);
    for (OrgId org : orgs.subList(0, 4)) {
      slow(org, SHARED);
      events.events(10, org, SHARED);
    }
    events.pass(1);
    events.events(10, orgs.get(4), SHARED);
    List<ClaimedEvent> taken = one.claim(claimOptions(64));
    assertThat(count(taken, ClaimedEvent::org))
        .containsEntry(orgs.get(4), 4L)
        .hasSize(5)
        .allSatisfy((org, places) -> assertThat(places).isBetween(2L, 4L));
    assertThat(taken).hasSize(8 + 4);
    assertThat(claim(two, 64)).isEmpty();
  }

  @Test
  void ofAnOrganizationsPlacesItsSlowReceiversHaveHalf() throws Exception {
    OrgId org = testStore.newOrg();
    for (int n = 0; n < 4; n++) {
      slow(org, "https://slow" + n + ".example/");
      events.events(10, org, "https://slow" + n + ".example/");
    }
    events.pass(1);
    events.events(10, org, "https://live.example/");
    List<ClaimedEvent> taken = one.claim(claimOptions(64));
    assertThat(taken).hasSize(8 + 4);
    assertThat(count(taken, ClaimedEvent::url)).containsEntry("https://live.example/", 4L);
  }

  @Test
  void ofANodesPlacesSlowReceiversHaveAPart() throws Exception {
    List<OrgId> orgs = orgs(12);
    for (OrgId org : orgs) {
      String dead = "https://dead-" + org + ".example/";
      slow(org, dead);
      events.events(4, org, dead);
    }
    ClaimOptions wish = claimOptions(32, 16);
    List<ClaimedEvent> dead = one.claim(wish);
    assertThat(dead).hasSize(16);
    assertThat(count(dead, ClaimedEvent::org)).as("in turns").hasSize(12);
    assertThat(one.claim(claimOptions(16, 16))).isEmpty();
    UUID live = events.event(orgs.getFirst(), "https://live.example/");
    assertThat(one.claim(claimOptions(16, 16))).extracting(ClaimedEvent::id).containsExactly(live);
    assertThat(two.claim(wish)).as("another node has its own part").hasSize(16);
  }

  @Test
  void laterAttemptsAtTheSlowAreMadeHoweverManyFirstOnesThereAre() throws Exception {
    List<OrgId> orgs = orgs(2);
    slow(orgs.get(0), "https://a.example/");
    UUID again = events.event(orgs.get(0), "https://a.example/");
    ClaimedEvent due = TestEvents.take(one);
    one.recordAttempt(attempt(due, "timed_out", 10_000, again(5)));
    slow(orgs.get(1), "https://b.example/");
    events.pass(6);
    events.events(9, orgs.get(1), "https://b.example/");
    assertThat(TestEvents.take(one).id()).isEqualTo(again);
  }

  @Test
  void aSlowReceiverIsForgottenAfterADay() throws Exception {
    OrgId org = testStore.newOrg();
    slow(org, SHARED);
    events.pass(86_400);
    testStore.store().webhookEvents().tidy();
    assertThat(testStore.execute("SELECT host FROM webhook_slow")).containsExactly("hooks.example");
    events.pass(86_401);
    testStore.store().webhookEvents().tidy();
    assertThat(testStore.execute("SELECT host FROM webhook_slow")).isEmpty();
  }
}
