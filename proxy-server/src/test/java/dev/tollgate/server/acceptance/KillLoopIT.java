package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The program is killed repeatedly while clients stream and send requests, and its database
 * sometimes at the same time. The clients record the charges that they receive; at the end the
 * ledger must have the same. Killed three times here, a hundred times in the soak profile (D08).
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class KillLoopIT {
  private static final int KILLS = Integer.getInteger("tollgate.kills", 3);
  private static final int CLIENTS = 8;
  private static final Pattern COST = Pattern.compile("\"x_llm_cost_micro\":(\\d+)");
  private static final String WITHOUT_A_LINE =
      "SELECT count(*) FROM settlement s WHERE NOT EXISTS"
          + " (SELECT 1 FROM request_log l WHERE l.day = s.day AND l.request_id = s.request_id)";
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  /** Charges that clients received, by request: micro-USD. */
  private final Map<String, Long> costs = new ConcurrentHashMap<>();

  private volatile boolean stopping;

  @Test
  void everyChargeThatAClientReceivedIsSettledOnce() throws Exception {
    ConfigBuilder setup =
        ConfigBuilder.empty()
            .mock("mock")
            .model("test/chat", "mock", "mock-chat?chunks=3")
            .model("test/slow", "mock", "mock-chat?chunks=40&interval=10ms");
    Random random = new Random();
    try (NodeFolder folder = NodeFolder.with(setup)) {
      LedgerDatabase ledgerDatabase = LedgerDatabase.of(folder);
      String key = "";
      int stops = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        try (GatewayProcess node = GatewayProcess.start(folder)) {
          key = kill == 0 ? node.bootstrapKey() : key;
          int before = costs.size();
          List<Thread> clients = clients(node.port(), key);
          awaitServed(before);
          await(400 + random.nextInt(1_600));
          if (kill % 5 == 1) {
            stops++;
            folder.killPostmaster();
            await(random.nextInt(300));
          }
          node.kill();
          end(clients);
        }
      }
      try (GatewayProcess last = GatewayProcess.start(folder)) {
        List<Thread> clients = clients(last.port(), key);
        await(500);
        end(clients);
        ledgerDatabase.awaitAll(costs);
        ledgerDatabase.requireAuditClean();
        assertThat(ledgerDatabase.number(WITHOUT_A_LINE))
            .as("charges without a line in the log")
            .isZero();
        RecordedFigures.keep(
            "kill-loop",
            "%d kills, %d stops of the database, %d charges received by clients: each settled once with that amount"
                .formatted(KILLS, stops, costs.size()));
        last.terminate();
        assertThat(last.awaitExit()).isZero();
      }
      try (GatewayProcess idle = GatewayProcess.start(folder)) {
        ledgerDatabase.requireNothingReserved();
        assertThat(idle.isRunning()).isTrue();
      }
    }
  }

  private List<Thread> clients(int port, String key) {
    stopping = false;
    return IntStream.range(0, CLIENTS)
        .mapToObj(i -> Thread.ofVirtual().start(() -> askOn(port, key, i)))
        .toList();
  }

  private void askOn(int port, String key, int client) {
    String model = client % 4 == 3 ? "test/slow" : "test/chat";
    String body = ChatRequests.body(model, client % 2 == 1);
    while (!stopping) {
      try (RawClient connection = RawClient.connect(port)) {
        while (!stopping) {
          RawResponse reply =
              connection
                  .post(ChatRequests.PATH, body, ChatRequests.authorization(key))
                  .readResponse();
          remember(reply);
        }
      } catch (RuntimeException | AssertionError cutOff) {
        // killed: an incomplete response reports no charge
      }
    }
  }

  private void remember(RawResponse reply) {
    Matcher cost = COST.matcher(reply.text());
    if (reply.status() == 200 && cost.find()) {
      costs.put(reply.header("x-request-id"), Long.parseLong(cost.group(1)));
    }
  }

  private void awaitServed(int before) throws InterruptedException {
    for (int waits = 0; costs.size() == before; waits++) {
      assertThat(waits).as("seconds / 50 without a client served").isLessThan(1_000);
      await(20);
    }
  }

  private void end(List<Thread> clients) throws InterruptedException {
    stopping = true;
    for (Thread client : clients) {
      client.join();
    }
  }

  private static void await(int millis) throws InterruptedException {
    NEVER.await(millis, TimeUnit.MILLISECONDS);
  }
}
