package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Clients of several processes spend one balance at the same time, at a known price per request: as
 * many as it covers are served, all others are refused without advice to retry. The soak profile
 * has four processes of 64 clients.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class SharedBalanceIT {
  private static final int NODES = Integer.getInteger("tollgate.race.nodes", 2);
  private static final int CLIENTS = Integer.getInteger("tollgate.race.clients", 16);
  private static final int EACH = 80;
  private static final int REQUESTS = NODES * CLIENTS * EACH;
  private static final int AFFORDABLE = REQUESTS / 4 * 3;
  private static final int TRIES = 5;
  private static final long PRICE_MICRO = 1_000;

  /** A response with the times of its request and of its arrival. */
  private record Answer(RawResponse response, long askedNanos, long givenNanos) {
    int status() {
      return response.status();
    }
  }

  @Test
  void exactlyTheAffordableRequestsPass() throws Exception {
    String warm = fundedKey("warm-up", NODES);
    List<Answer> answers = race(fundedKey("race", AFFORDABLE), warm);

    List<Answer> others = answers.stream().filter(each -> each.status() != 200).toList();
    assertThat(others)
        .allSatisfy(
            each ->
                assertThat(ChatRequests.code(each.response())).isEqualTo("insufficient_credits"));
    Answer first = others.stream().min(Comparator.comparingLong(Answer::givenNanos)).orElseThrow();
    JsonNode details = Json.tree(first.response().text()).path("error").path("details");
    long spentOrReserved =
        details.path("spent_micro").asLong() + details.path("reserved_micro").asLong();
    long late =
        answers.stream()
            .filter(each -> each.status() == 200 && each.askedNanos() > first.givenNanos())
            .count();
    int served = answers.size() - others.size();
    RecordedFigures.keep(
        "race-to-zero",
        """
        %d processes of %d clients: %d requests, %d served, %d refused; at the first refusal %d of
        %d micro-USD were spent or reserved; %d served that were asked after it; in %d ms"""
            .formatted(
                NODES,
                CLIENTS,
                REQUESTS,
                served,
                others.size(),
                spentOrReserved,
                AFFORDABLE * PRICE_MICRO,
                late,
                raceMillis(answers)));
    assertThat(served).isEqualTo(AFFORDABLE);
    assertThat(spentOrReserved).isGreaterThanOrEqualTo(AFFORDABLE * PRICE_MICRO / 100 * 99);
    assertThat(late).as("served after the first refusal").isLessThanOrEqualTo(AFFORDABLE / 100);
    requireBooked(answers);
  }

  private static String fundedKey(String org, int requests) throws Exception {
    run("orgs", "create", org);
    run("credits", "grant", "--org", org, "--usd", usd(requests));
    return Json.tree(run("keys", "create", "--org", org, "--name", "k")).path("key").asText();
  }

  private static long raceMillis(List<Answer> answers) {
    long first = answers.stream().mapToLong(Answer::askedNanos).min().orElseThrow();
    long last = answers.stream().mapToLong(Answer::givenNanos).max().orElseThrow();
    return (last - first) / 1_000_000;
  }

  /** Each node has served before: the first grants of four cold processes at once may be late. */
  private static List<Answer> race(String key, String warm) throws Exception {
    List<GatewayProcess> nodes = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      nodes.addAll(all(threads, () -> SharedNode.beside(setup(), List.of("-XX:+UseSerialGC"))));
      for (GatewayProcess node : nodes) {
        assertThat(ask(node, warm, 1).getFirst().status()).isEqualTo(200);
      }
      List<Callable<List<Answer>>> clients = new ArrayList<>();
      for (GatewayProcess node : nodes) {
        for (int client = 0; client < CLIENTS; client++) {
          clients.add(() -> ask(node, key, EACH));
        }
      }
      List<Answer> answers = new ArrayList<>();
      for (Future<List<Answer>> client : threads.invokeAll(clients)) {
        answers.addAll(client.get());
      }
      return answers;
    } finally {
      nodes.forEach(GatewayProcess::close);
    }
  }

  /** A new file for each node, because it contains the node's port. */
  private static ConfigBuilder setup() {
    return SharedNode.setup()
        .model("test/flat", "mock", "mock-chat?chunks=1", Map.of("request", usd(1)));
  }

  private static List<GatewayProcess> all(ExecutorService threads, Callable<GatewayProcess> start)
      throws Exception {
    List<GatewayProcess> nodes = new ArrayList<>();
    for (Future<GatewayProcess> each : threads.invokeAll(Collections.nCopies(NODES, start))) {
      nodes.add(each.get());
    }
    return nodes;
  }

  private static List<Answer> ask(GatewayProcess node, String key, int requests) {
    String body = ChatRequests.body("test/flat", false);
    List<Answer> answers = new ArrayList<>();
    try (RawClient client = node.connect()) {
      for (int i = 0; i < requests; i++) {
        Answer answer = ask(client, body, key);
        // On a busy machine the ledger may time out: a client sends the request again.
        for (int tries = 1; answer.status() == 503 && tries < TRIES; tries++) {
          answer = ask(client, body, key);
        }
        answers.add(answer);
      }
    }
    return answers;
  }

  private static Answer ask(RawClient client, String body, String key) {
    long asked = System.nanoTime();
    RawResponse response =
        client.post(ChatRequests.PATH, body, ChatRequests.authorization(key)).readResponse();
    return new Answer(response, asked, System.nanoTime());
  }

  /** After the nodes have stopped, all is settled and nothing is leased. */
  private static void requireBooked(List<Answer> answers) throws Exception {
    LedgerDatabase ledgerDatabase = LedgerDatabase.of(SharedNode.node().home());
    Map<String, Long> charges = ledgerDatabase.charges("race");
    assertThat(charges).hasSize(AFFORDABLE);
    assertThat(charges.values()).containsOnly(PRICE_MICRO);
    assertThat(answers.stream().filter(each -> each.status() == 200))
        .allSatisfy(
            each -> assertThat(charges).containsKey(each.response().header("x-request-id")));
    ledgerDatabase.query(
        """
        SELECT limit_micro, used_micro, leased_micro FROM scope_account
         WHERE scope_id = 'org:' || (SELECT id FROM organization WHERE name = 'race')\
        """,
        row -> {
          assertThat(row.getLong(2)).isEqualTo(row.getLong(1));
          assertThat(row.getLong(3)).isZero();
        });
    ledgerDatabase.requireAuditClean();
  }

  private static String usd(int requests) {
    long micro = requests * PRICE_MICRO;
    return "%d.%06d".formatted(micro / 1_000_000, micro % 1_000_000);
  }

  private static String run(String... arguments) throws Exception {
    return LauncherProcess.ask(SharedNode.node().home(), arguments);
  }
}
