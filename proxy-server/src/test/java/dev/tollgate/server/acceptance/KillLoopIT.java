package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The program is killed again and again while clients stream and ask, and its database now and then
 * too. The clients keep their own list of what they were told; at the end the books must say the
 * same. Killed three times here, a hundred times in the soak profile.
 */
class KillLoopIT {
  private static final int KILLS = Integer.getInteger("tollgate.kills", 3);
  private static final int CLIENTS = 8;
  private static final Pattern COST = Pattern.compile("\"x_llm_cost_micro\":(\\d+)");
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  /** What clients were told, by request: micro-USD. */
  private final Map<String, Long> told = new ConcurrentHashMap<>();

  private volatile boolean stopping;

  @Test
  void everyChargeThatAClientWasToldStandsInTheBooksOnce() throws Exception {
    Setup setup =
        Setup.empty()
            .mock("mock")
            .model("test/chat", "mock", "mock-chat?chunks=3")
            .model("test/slow", "mock", "mock-chat?chunks=40&interval=10ms")
            .section("limits", Map.of("key", Map.of("concurrency", 0)));
    Random random = new Random();
    try (Folder folder = Folder.with(setup)) {
      String key = "";
      for (int kill = 0; kill < KILLS; kill++) {
        try (Binary node = Binary.start(folder)) {
          key = kill == 0 ? node.bootstrapKey() : key;
          int before = told.size();
          List<Thread> clients = clients(node.port(), key);
          await(400 + random.nextInt(1_600));
          if (random.nextInt(5) == 0) {
            folder.killPostmaster();
            await(random.nextInt(300));
          }
          node.kill();
          end(clients);
          assertThat(told.size()).as("clients were served").isGreaterThan(before);
        }
      }
      try (Binary last = Binary.start(folder)) {
        List<Thread> clients = clients(last.port(), key);
        await(500);
        end(clients);
        requireBooked(folder);
        requireAuditClean(folder);
        last.terminate();
        assertThat(last.awaitExit()).isZero();
      }
      try (Binary idle = Binary.start(folder)) {
        requireNothingHeld(folder);
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
    String body = Chats.body(model, client % 2 == 1);
    while (!stopping) {
      try (RawClient connection = RawClient.connect(port)) {
        while (!stopping) {
          RawResponse reply =
              connection.post(Chats.PATH, body, Chats.authorization(key)).readResponse();
          remember(reply);
        }
      } catch (RuntimeException | AssertionError cutOff) {
        // killed: whatever was not whole was not told
      }
    }
  }

  private void remember(RawResponse reply) {
    Matcher cost = COST.matcher(reply.text());
    if (reply.status() == 200 && cost.find()) {
      told.put(reply.header("x-request-id"), Long.parseLong(cost.group(1)));
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

  private void requireBooked(Folder folder) throws Exception {
    long began = System.nanoTime();
    Map<String, Long> missing = new HashMap<>(told);
    while (!missing.isEmpty()) {
      Map<String, Long> booked = booked(folder);
      missing.entrySet().removeIf(each -> each.getValue().equals(booked.get(each.getKey())));
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("not in the books: %s of %d", missing, told.size())
          .isLessThan(Duration.ofSeconds(20));
    }
  }

  private static Map<String, Long> booked(Folder folder) throws Exception {
    Map<String, Long> booked = new HashMap<>();
    query(
        folder,
        "SELECT request_id, cost_micro FROM settlement",
        row -> booked.put(row.getString(1), row.getLong(2)));
    return booked;
  }

  private static void requireAuditClean(Folder folder) throws Exception {
    Program.Said audit = Program.run("ledger", "audit", "--config", folder.config().toString());
    assertThat(audit.exitCode()).as(audit.out() + audit.err()).isZero();
  }

  /** The node has stopped in order: what it had leased is free again. */
  private static void requireNothingHeld(Folder folder) throws Exception {
    query(
        folder,
        "SELECT coalesce(sum(leased_micro), 0), count(*) FROM scope_account",
        row -> {
          assertThat(row.getLong(1)).isZero();
          assertThat(row.getLong(2)).isPositive();
        });
  }

  private interface Row {
    void read(ResultSet row) throws SQLException;
  }

  private static void query(Folder folder, String sql, Row each) throws Exception {
    Map<String, String> store = new HashMap<>();
    for (String setting : folder.storeSettings()) {
      int equals = setting.indexOf('=');
      store.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    try (Connection connection =
            DriverManager.getConnection(
                store.get("store.url") + "?currentSchema=tollgate",
                store.get("store.username"),
                store.get("store.password"));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        each.read(row);
      }
    }
  }
}
