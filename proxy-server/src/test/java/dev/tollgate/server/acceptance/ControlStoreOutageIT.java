package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.acceptance.ControlCallers.Answer;
import dev.tollgate.server.acceptance.ControlCallers.Call;
import dev.tollgate.server.acceptance.ControlClient.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The store of a node is silent, or dies, under load: every call of the control plane is answered
 * within 5 s, requests with known keys go on, and all is well again without a restart.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class ControlStoreOutageIT {
  private static final Duration BOUND = Duration.ofSeconds(5);
  private static final Duration WELL_AGAIN = Duration.ofSeconds(10);
  private static final int CALLERS = 20;
  private static final int REQUESTS_PER_SECOND = 10;

  private static NodeFolder folder;
  private static GatewayProcess node;
  private static final ControlClient PERSON = new ControlClient();
  private static URI control;
  private static List<Call> calls;

  @BeforeAll
  static void start() throws Exception {
    folder =
        NodeFolder.with(
            ConfigBuilder.empty()
                .mock("mock")
                .model("test/chat", "mock", "mock-chat?chunks=2")
                .control());
    node = GatewayProcess.start(folder);
    control = node.dashboard();
    Reply session = PERSON.setUp(control, control.toString(), "ann@example.com");
    assertThat(session.status()).as("%s", session).isEqualTo(201);
    String org = session.json().at("/memberships/0/org/id").asText();
    String operatorOrg = "/operator/orgs/" + org;
    assertThat(PERSON.patch(control, operatorOrg, "{'max_api_keys':0}").status()).isEqualTo(200);
    Reply made = PERSON.post(control, "/orgs/" + org + "/keys", "{'name':'changed'}");
    calls = calls("/orgs/" + org, "/keys/" + made.json().at("/key/id").asText());
  }

  private static List<Call> calls(String org, String key) {
    return List.of(
        new Call("GET", org + "/keys", ""),
        new Call("GET", org + key, ""),
        new Call("POST", org + "/keys", "{'name':'made'}"),
        new Call("GET", "/session", ""),
        new Call("PATCH", org + key, "{'note':'changed'}"),
        new Call("GET", org + "/credits", ""),
        new Call("POST", org + key + "/disable", ""),
        new Call("GET", org + "/ledger", ""));
  }

  @AfterAll
  static void stop() {
    node.close();
    folder.close();
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void aSilentStoreIsRefusedInTime() throws Exception {
    requireRefusedInTime(Duration.ofSeconds(2));
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void aStoreThatIsSilentForLongIsRefusedInTime() throws Exception {
    requireRefusedInTime(Duration.ofSeconds(30));
  }

  private static void requireRefusedInTime(Duration silent) throws Exception {
    try (var load = load();
        var callers = new ControlCallers(PERSON, control, calls, CALLERS)) {
      callers.awaitServed(System.nanoTime());
      long began = System.nanoTime();
      folder.freezePostgres();
      long back;
      try {
        callers.awaitRefused(System.nanoTime());
        load.runFor(silent);
      } finally {
        back = System.nanoTime();
        folder.thawPostgres();
      }
      requireWellAgain(load, callers, began, back, "silent");
    }
  }

  @Test
  @Execution(ExecutionMode.SAME_THREAD)
  void aStoreThatDiesIsRefusedInTimeUntilItIsBack() throws Exception {
    try (var load = load();
        var callers = new ControlCallers(PERSON, control, calls, CALLERS)) {
      callers.awaitServed(System.nanoTime());
      long began = System.nanoTime();
      int lines = node.err().count();
      folder.killPostmaster();
      assertThat(
              node.err().await(line -> line.contains("PostgreSQL runs again"), lines, WELL_AGAIN))
          .isPresent();
      requireWellAgain(load, callers, began, System.nanoTime(), "died");
    }
  }

  /** Leases are for a minute of the present rate, so the load runs for a while before. */
  private static SteadyLoad load() throws Exception {
    String body = ChatRequests.body("test/chat", false);
    SteadyLoad load = SteadyLoad.on(node, node.bootstrapKey(), _ -> body, REQUESTS_PER_SECOND);
    load.runFor(Duration.ofSeconds(1));
    return load;
  }

  private static void requireWellAgain(
      SteadyLoad load, ControlCallers callers, long beganNanos, long backNanos, String how)
      throws Exception {
    callers.awaitServed(backNanos);
    callers.end();
    load.end();
    List<Answer> answers = callers.since(beganNanos);
    List<Answer> refused = answers.stream().filter(each -> !each.isServed()).toList();
    long longest = answers.stream().mapToLong(Answer::tookMillis).max().orElseThrow();
    long lastRefused =
        refused.stream()
            .mapToLong(each -> (each.askedNanos() - backNanos) / 1_000_000)
            .max()
            .orElse(0);
    List<SteadyLoad.Answer> requests = load.since(beganNanos);
    RecordedFigures.keep(
        "control-store-" + how,
        "%d of %d calls refused, the longest took %d ms; the last one was made %d ms after the store was back; %d requests meanwhile"
            .formatted(refused.size(), answers.size(), longest, lastRefused, requests.size()));
    assertThat(refused).extracting(Answer::outcome).containsOnly("503 service_unavailable");
    assertThat(answers)
        .allSatisfy(each -> assertThat(each.tookMillis()).isLessThan(BOUND.toMillis()));
    assertThat(lastRefused).isLessThan(WELL_AGAIN.toMillis());
    assertThat(requests).isNotEmpty().allSatisfy(each -> assertThat(each.status()).isEqualTo(200));
    node.admin()
        .await(
            numbers ->
                Admin.total(numbers, "hikaricp_connections_active{pool=\"control\"}") == 0
                    && Admin.total(numbers, "tollgate_control_calls") == 0,
            "no connection in use");
    requireALineForEachChange();
  }

  /** Refused calls have no lines of their own. */
  private static void requireALineForEachChange() {
    List<String> lines =
        node.err().all().stream().filter(line -> line.contains(" CallHandling: ")).toList();
    assertThat(lines).hasSizeBetween(2, 8).anyMatch(line -> line.contains("wait no longer"));
    assertThat(node.err().traces()).isEmpty();
  }
}
