package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.ControlClient.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three nodes on one store and one Redis, each with a control plane: one of all browsers makes the
 * first account, what is changed at one node acts on all within 5 s under load, and nodes that are
 * killed lose nothing. The chaos profile has more load, looks for longer and kills more often.
 */
@Execution(ExecutionMode.CONCURRENT)
class ControlOnThreeNodesIT {
  private static final int REQUESTS_PER_SECOND = 50;
  private static final int REQUESTS_PER_SECOND_SCALED = 15;
  private static final int KILLS = 9;
  private static final int KILLS_SCALED = 1;

  /** Browsers at each node with the link that works. */
  private static final int BROWSERS_OF_NODE = 2;

  private static ControlFleet fleet;
  private static final List<Reply> RACE = new ArrayList<>();
  private static ControlClient operator;
  private static String org;

  @BeforeAll
  static void start() throws Exception {
    fleet = ControlFleet.start("control_nodes");
    operator = raceToSetUp();
    Reply session = operator.get(fleet.control(0), "/session");
    org = session.json().at("/memberships/0/org/id").asText();
  }

  @AfterAll
  static void stop() throws Exception {
    fleet.close();
  }

  /**
   * At each node, two browsers follow the link that was printed last, and with it all those that
   * were printed before, twice: four wrong tokens, since five end the link.
   */
  private static ControlClient raceToSetUp() throws Exception {
    List<ControlClient> browsers = new ArrayList<>();
    List<Callable<Reply>> visits = new ArrayList<>();
    List<URI> links = fleet.controls();
    URI current = current(links);
    int count = ControlFleet.NODES * BROWSERS_OF_NODE + 2 * (links.size() - 1);
    var start = new CyclicBarrier(count);
    for (URI node : links) {
      for (int n = 0; n < BROWSERS_OF_NODE; n++) {
        visits.add(visit(node, current, browsers, start));
      }
      if (!node.equals(current)) {
        visits.add(visit(node, node, browsers, start));
        visits.add(visit(current, node, browsers, start));
      }
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
      for (Future<Reply> each : threads.invokeAll(visits)) {
        RACE.add(each.get());
      }
    }
    int winner = RACE.stream().map(Reply::status).toList().indexOf(201);
    assertThat(winner).as("the one who made the account: %s", RACE).isNotNegative();
    return browsers.get(winner);
  }

  private static Callable<Reply> visit(
      URI node, URI link, List<ControlClient> browsers, CyclicBarrier start) {
    var browser = new ControlClient();
    int number = browsers.size();
    browsers.add(browser);
    return () -> {
      start.await();
      return browser.setUp(node, link.toString(), "ann" + number + "@example.com");
    };
  }

  /** Each start replaces the link of the one before. */
  private static URI current(List<URI> links) throws Exception {
    for (URI link : links) {
      String isStored =
          "SELECT count(*) FROM one_time_token WHERE token_hash = sha256('%s')"
              .formatted(link.getFragment());
      if (fleet.database().number(isStored) == 1) {
        return link;
      }
    }
    throw new AssertionError("no printed link works");
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void oneOfAllBrowsersMakesTheFirstAccount() throws Exception {
    assertThat(RACE).filteredOn(each -> each.status() == 201).hasSize(1);
    assertThat(RACE)
        .filteredOn(each -> each.status() != 201)
        .allSatisfy(
            each -> assertThat(each.outcome()).isIn("401 invalid_credentials", "404 not_found"));
    for (String one :
        List.of(
            "user_account WHERE is_operator",
            "audit_event WHERE action = 'setup.complete'",
            "membership m JOIN user_account u ON u.id = m.user_id WHERE u.is_operator")) {
      assertThat(fleet.database().number("SELECT count(*) FROM " + one)).as(one).isOne();
    }
    for (URI link : fleet.controls()) {
      var late = new ControlClient();
      assertThat(late.get(link, "/meta").json().path("setup_required").asBoolean(true)).isFalse();
      assertThat(late.setUp(link, link + "", "late@example.com").status()).isEqualTo(404);
    }
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void aChangeActsOnEveryNode() throws Exception {
    requireChangesAct(REQUESTS_PER_SECOND_SCALED, Duration.ZERO);
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  @Tag("chaos")
  void aChangeActsOnEveryNodeWithinFiveSecondsAndForGood() throws Exception {
    requireChangesAct(REQUESTS_PER_SECOND, Duration.ofSeconds(6));
  }

  private static void requireChangesAct(int perSecond, Duration observed) throws Exception {
    List<String> figures = new ArrayList<>();
    Reply made = at(0).post("/keys", "{'name':'loaded'}");
    String key = "/keys/" + made.json().at("/key/id").asText();
    String secret = made.json().path("secret").asText();
    try (var load =
        new LoadOnEachNode(fleet.nodes(), secret, ControlFleet.MODEL, perSecond, observed)) {
      long began = System.nanoTime();
      figures.add("made " + load.requireOnly("200", began));

      long changed = at(1).patch(key, "{'limits':{'requests_per_second':1}}");
      figures.add("rate " + load.requireFirst("429 rate_limited", changed));
      changed = at(2).patch(key, "{'limits':{'requests_per_second':null}}");
      figures.add("rate raised " + load.requireOnly("200", changed));

      changed = at(0).patch(key, "{'daily_budget_micro':%d}".formatted(lessThanSpent(key)));
      figures.add("budget " + load.requireOnly("402 budget_exceeded", changed));
      changed = at(1).patch(key, "{'daily_budget_micro':100000000}");
      figures.add("budget raised " + load.requireOnly("200", changed));

      changed = setState(2, "suspended");
      figures.add("suspended " + load.requireOnly("403 ip_not_allowed", changed));
      changed = setState(0, "active");
      figures.add("activated " + load.requireOnly("200", changed));

      requireRoleAndSessionEndAtOnce();
      load.requireOnly("200", System.nanoTime());

      at(2).post(key + "/revoke", "{}");
      figures.add("revoked " + load.requireOnly("401 key_revoked", System.nanoTime()));
      assertThat(load.answers(began))
          .extracting(SteadyLoad.Answer::status)
          .isSubsetOf(200, 401, 402, 403, 429);
    }
    RecordedFigures.keep(
        "control-changes-" + perSecond,
        "ms until changes acted on each of three nodes, at %d requests/s: %s"
            .formatted(perSecond, String.join(", ", figures)));
  }

  /** Calls of the operator in the organization, at one node. */
  private static OrgCalls at(int node) {
    return new OrgCalls(node);
  }

  private record OrgCalls(int node) {
    Reply get(String path) throws Exception {
      return operator.get(fleet.control(node), "/orgs/" + org + path);
    }

    Reply post(String path, String json) throws Exception {
      Reply reply = operator.post(fleet.control(node), "/orgs/" + org + path, json);
      assertThat(reply.status()).as("%s", reply).isIn(200, 201);
      return reply;
    }

    /** Returns when the change was answered. */
    long patch(String path, String json) throws Exception {
      Reply reply = operator.patch(fleet.control(node), "/orgs/" + org + path, json);
      assertThat(reply.status()).as("%s", reply).isEqualTo(200);
      return System.nanoTime();
    }
  }

  private static long setState(int node, String state) throws Exception {
    String json = "{'state':'%s','reason':'test'}".formatted(state);
    Reply reply = operator.patch(fleet.control(node), "/operator/orgs/" + org, json);
    assertThat(reply.status()).as("%s", reply).isEqualTo(200);
    return System.nanoTime();
  }

  /** Charges are settled a moment after their replies. */
  private static long lessThanSpent(String key) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    long spent = 0;
    while (spent < 2) {
      assertThat(System.nanoTime() - deadline).as("spent %d micro-USD", spent).isNegative();
      spent = at(2).get(key).json().at("/spend/today_micro").asLong();
    }
    return spent / 2;
  }

  /** Nothing of a person is cached: what is taken away is gone at the next call. */
  private static void requireRoleAndSessionEndAtOnce() throws Exception {
    Reply invited = at(0).post("/invitations", "{'email':'%s','role':'admin'}".formatted(fresh()));
    var member = new ControlClient();
    Reply joined = member.join(fleet.control(1), invited.json().path("invite_url").asText());
    assertThat(joined.status()).as("%s", joined).isEqualTo(200);
    String id = joined.json().at("/user/id").asText();
    ControlClient asJoined = member.copy();
    requireOnEachNode(member, "200");

    at(2).patch("/members/" + id, "{'role':'viewer'}");
    requireOnEachNode(asJoined, "403 forbidden");
    requireOnEachNode(member, "403 forbidden");

    Reply ended =
        operator.call(fleet.control(0), "DELETE", "/operator/users/" + id + "/sessions", "");
    assertThat(ended.status()).as("%s", ended).isEqualTo(204);
    requireOnEachNode(asJoined, "401 unauthenticated");
    requireOnEachNode(member, "401 unauthenticated");
  }

  private static String fresh() {
    return "bob-" + System.nanoTime() + "@example.com";
  }

  /** The audit log is for admins only. */
  private static void requireOnEachNode(ControlClient member, String expected) throws Exception {
    for (URI node : fleet.controls()) {
      assertThat(member.get(node, "/orgs/" + org + "/audit").outcome())
          .as("at %s", node)
          .isEqualTo(expected);
    }
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void aNodeThatIsKilledLosesNothing() throws Exception {
    requireNothingIsLost(KILLS_SCALED);
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  @Tag("chaos")
  void nodesThatAreKilledRepeatedlyLoseNothing() throws Exception {
    requireNothingIsLost(KILLS);
  }

  private static void requireNothingIsLost(int kills) throws Exception {
    try (var changes = new RetriedChanges(fleet, operator, kills)) {
      for (int kill = 0; kill < kills; kill++) {
        changes.awaitMore();
        fleet.killAndRestart(kill % ControlFleet.NODES);
        changes.nextOrganization();
      }
      changes.awaitMore();
      changes.requireAllOnce();
      RecordedFigures.keep("control-kills-" + kills, changes.figures());
    }
  }
}
