package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.FullBacklog;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Client rows of the fault catalogue over the real program: a faulty client, and a provider without
 * faults.
 */
@Tag("chaos")
@Isolated
class ClientRowsIT {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final int SLOW = Integer.getInteger("tollgate.slow.clients", 1_000);

  /** The machine takes a while to open more connections. */
  private static final int SLOW_SECONDS = SLOW > 2_000 ? 5 : 1;

  private static final int OTHERS = 60;
  private static final int BUSY_MILLIS = 250;
  private static final Map<String, String> SHORT =
      Map.of("header_timeout", after(1), "body_timeout", after(2), "write_stall", "1s");

  /** On a busy machine no request may be shed. */
  private static final Map<String, ?> UNSHED =
      Map.of("overload", Map.of("enabled", false), "shutdown", Map.of("delay", "0s"));

  private static final Map<String, String> DEAR = Map.of("input", "1", "output", "100");
  private static final MockProvider MOCK = MockProvider.start(MockProfile.IMMEDIATE, 0);
  private static final FullBacklog BLACK_HOLE = FullBacklog.fill();
  private static final GatewayProcess NODE =
      SharedNode.beside(setup(), List.of(), "listeners.api.max_unproven_connections_per_address=0");
  private static final AccessLines LOG = new AccessLines(NODE, SOON);
  private static final Map<String, Row> ROWS = rows();

  /** Action of a client. */
  private interface Row {
    void play() throws Exception;
  }

  private static String after(int times) {
    return times * SLOW_SECONDS + "s";
  }

  private static ConfigBuilder setup() {
    String hole = "http://127.0.0.1:" + BLACK_HOLE.port() + "/v1";
    Map<String, ?> drains =
        Map.of(
            "type",
            "openai",
            "base_url",
            MOCK.baseUrl(),
            "api_key",
            "k",
            "on_disconnect",
            Map.of("drain", Map.of("time", "10s", "share", 1.0)));
    return SharedNode.setup()
        .listen(SHORT)
        .section("server", UNSHED)
        .openAi("real", MOCK.baseUrl(), "k")
        .provider("drains", drains)
        .provider(
            "hole",
            Map.of(
                "type",
                "openai",
                "base_url",
                hole,
                "api_key",
                "k",
                "timeouts",
                Map.of("connect", "60s")))
        .model("row/hole", "hole", "m")
        .model("row/silent", "real", "fault/silent")
        .model("row/long", "real", "mock-chat?chunks=100000&interval=2ms")
        .model("row/drained", "drains", "mock-chat?chunks=60&interval=20ms")
        .model("row/late", "real", "fault/usage-late:10?interval=50ms")
        .model("row/fast", "real", "mock-chat?chunks=100000")
        .model("row/slow", "real", "mock-chat?chunks=8000")
        .model("row/quick", "real", "mock-chat")
        .model("row/revoked", "real", "mock-chat?chunks=150&interval=40ms")
        .model("row/poor", new ConfigBuilder.Route("real", "mock-chat?chunks=50"), DEAR, 1);
  }

  private static Map<String, Row> rows() {
    Map<String, Row> rows = new LinkedHashMap<>();
    rows.put("C01", ClientRowsIT::leavesWithinItsRequest);
    rows.put("C02", () -> leaves("row/hole", "tollgate_upstream_connections"));
    rows.put("C03", () -> leaves("row/silent", "tollgate_upstream_leases"));
    rows.put("C04", ClientRowsIT::leavesAStream);
    rows.put("C05", ClientRowsIT::leavesBeforeTheUsage);
    rows.put("C06", ClientRowsIT::leavesAfterTheEnd);
    rows.put("C07", ClientRowsIT::halfCloses);
    rows.put("C08", ClientRowsIT::stopsReading);
    rows.put("C09", ClientRowsIT::readsSlowly);
    rows.put("C10", ClientRowsIT::asksTwiceAtOnce);
    rows.put("C11", ClientRowsIT::waitsForContinue);
    rows.put("C12", ClientRowsIT::sendsTooLongAHead);
    rows.put("C13", ClientRowsIT::announcesTooMuch);
    rows.put("C14", ClientRowsIT::sendsTooMuch);
    rows.put("C15", ClientRowsIT::drips);
    rows.put("C16", ClientRowsIT::sendsTooLittle);
    rows.put("C17", () -> refused("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "", 400));
    rows.put("C18", () -> refused("Content-Length: 2\r\n", "{]", 400));
    rows.put("C19", () -> refused("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}", 415));
    rows.put("C25", ClientRowsIT::hasItsKeyRevoked);
    rows.put("C26", ClientRowsIT::runsOutOfMoney);
    return rows;
  }

  @AfterEach
  void nothingIsHeld() throws Exception {
    NODE.admin().awaitIdle();
    LOG.awaitEarlier();
    assertThat(MOCK.await(stats -> stats.inFlight() == 0, SOON).inFlight()).isZero();
  }

  @AfterAll
  static void stop() {
    NODE.close();
    MOCK.close();
    BLACK_HOLE.close();
  }

  static Stream<String> played() {
    return ROWS.keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("played")
  void endsAsTheRowSpecifies(String row) throws Exception {
    Objects.requireNonNull(ROWS.get(row)).play();
  }

  /** A thousand slow clients: each has little time, and holds little memory until then. */
  @Test
  void slowRequestsAreClosedInTimeWithoutEffectOnOthers() throws Exception {
    double before = slow(NODE.admin().metrics());
    long alone = Latencies.slowest(Latencies.measure(NODE, "row/quick", OTHERS));
    String drip = head("Transfer-Encoding: chunked\r\n");
    Map<String, Double> meanwhile;
    long heap;
    List<Long> others;
    long headMillis;
    long bodyMillis;
    try (var heads = SlowClients.on(NODE.port(), SLOW / 2, "POST /v1/", "x");
        var bodies = SlowClients.on(NODE.port(), SLOW / 2, drip, "1\r\nx\r\n")) {
      heap = NODE.liveHeapBytes();
      meanwhile = NODE.admin().metrics();
      others = Latencies.measure(NODE, "row/quick", OTHERS);
      headMillis = heads.awaitAllClosed(SOON).toMillis();
      bodyMillis = bodies.awaitAllClosed(SOON).toMillis();
      assertThat(heads.received() + bodies.received()).as("closed without an answer").isEmpty();
    }
    NODE.admin().awaitIdle();
    heap -= NODE.liveHeapBytes();
    Map<String, Double> after = NODE.admin().metrics();
    double open = Admin.total(meanwhile, "tollgate_connections");
    double buffers = Admin.buffers(meanwhile) - Admin.buffers(after);
    String figures =
        "%.0f of %d open at once, closed within %d and %d ms, %d bytes of heap and %.0f of buffers; others took %s ms"
            .formatted(open, SLOW, headMillis, bodyMillis, heap, buffers, others);
    RecordedFigures.keep("slow-clients", figures);
    assertThat(slow(after) - before).as("slow ones that were recorded").isEqualTo(SLOW);
    assertThat(headMillis).as(figures).isBetween(1_000L * SLOW_SECONDS, 11_000L * SLOW_SECONDS);
    assertThat(bodyMillis).as(figures).isBetween(2_000L * SLOW_SECONDS, 12_000L * SLOW_SECONDS);
    assertThat(heap).as(figures).isLessThan((16L << 10) * SLOW);
    assertThat(buffers).as(figures).isLessThan(SLOW * (32 << 10));
    assertThat(Latencies.slowest(others))
        .as("at most twice of the %d ms without them, but for what a busy machine adds", alone)
        .isLessThan(2 * alone + BUSY_MILLIS);
  }

  private static double slow(Map<String, Double> numbers) {
    return numbers.entrySet().stream()
        .filter(each -> each.getKey().startsWith("tollgate_requests_total"))
        .filter(each -> each.getKey().contains("outcome=\"client_slow\""))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  // Clients that disconnect

  private static void leavesWithinItsRequest() throws Exception {
    long asked = MOCK.stats().requests();
    for (String sent : new String[] {"POST /v1/chat/comp", head("Content-Length: 90\r\n") + "{"}) {
      int before = NODE.err().count();
      try (RawClient client = NODE.connect()) {
        client.send(sent);
      }
      assertThat(LOG.next(before).path("outcome").asText()).isEqualTo("client_abort");
    }
    assertThat(MOCK.stats().requests()).isEqualTo(asked);
  }

  private static void leaves(String model, String held) throws Exception {
    int before = NODE.err().count();
    try (RawClient client = stream(model)) {
      NODE.admin().await(metrics -> Admin.total(metrics, held) > 0, held);
      assertThat(client.arrived()).isZero();
    }
    JsonNode log = LOG.next(before);
    assertThat(log.path("outcome").asText()).isEqualTo("client_abort");
    assertThat(log.path("cost_micro").longValue()).isZero();
  }

  private static void leavesAStream() throws Exception {
    for (boolean reset : new boolean[] {false, true}) {
      int before = NODE.err().count();
      try (RawClient client = stream("row/long")) {
        readContents(client, 5);
        if (reset) {
          client.reset();
        }
      }
      JsonNode log = LOG.next(before);
      assertThat(log.path("outcome").asText()).isEqualTo("client_abort");
      assertThat(log.path("estimated").booleanValue()).isTrue();
      assertThat(log.path("completion_tokens").intValue()).isBetween(5, 50_000);
      assertThat(log.path("cost_micro").longValue()).isPositive();
    }
    int before = NODE.err().count();
    try (RawClient client = stream("row/drained")) {
      readContents(client, 3);
    }
    JsonNode log = LOG.next(before);
    assertThat(log.path("outcome").asText()).isEqualTo("client_abort");
    assertThat(log.path("estimated").booleanValue()).as("%s", log).isFalse();
    assertThat(log.path("completion_tokens").intValue()).isEqualTo(60);
  }

  private static void leavesBeforeTheUsage() throws Exception {
    int before = NODE.err().count();
    try (RawClient client = stream("row/late")) {
      client.readUntil("\"finish_reason\":\"stop\"");
    }
    JsonNode log = LOG.next(before);
    assertThat(log.path("outcome").asText()).isEqualTo("client_abort");
    assertThat(log.path("estimated").booleanValue()).as("%s", log).isFalse();
    assertThat(log.path("completion_tokens").intValue()).isEqualTo(8);
  }

  private static void leavesAfterTheEnd() throws Exception {
    int before = NODE.err().count();
    try (RawClient client = stream("row/quick")) {
      client.readUntil("data: [DONE]\n\n");
    }
    JsonNode log = LOG.next(before);
    assertThat(log.path("outcome").asText()).isEqualTo("ok");
    assertThat(log.path("completion_tokens").intValue()).isEqualTo(8);
  }

  private static void halfCloses() throws Exception {
    int before = NODE.err().count();
    try (RawClient client = stream("row/long")) {
      readContents(client, 2);
      client.halfClose().within(SOON).awaitClosed();
    }
    assertThat(LOG.next(before).path("outcome").asText()).isEqualTo("client_abort");
  }

  // Clients that do not read

  private static void stopsReading() throws Exception {
    int before = NODE.err().count();
    try (RawClient client = RawClient.connectNarrow(NODE.port(), 4096)) {
      ask(client, "row/fast");
      JsonNode log = LOG.next(before);
      assertThat(log.path("outcome").asText()).isEqualTo("client_stalled");
      assertThat(log.path("cost_micro").longValue()).isPositive();
      assertThat(log.path("response_bytes").longValue()).isLessThan(8 << 20);
    }
  }

  /** Slower than the provider, but never without progress for the write stall timeout. */
  private static void readsSlowly() throws Exception {
    int before = NODE.err().count();
    CountDownLatch ended = new CountDownLatch(1);
    try (RawClient client = RawClient.connectNarrow(NODE.port(), 4096).within(SOON);
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
      ask(client, "row/slow");
      StringBuilder taken = new StringBuilder();
      clock.scheduleAtFixedRate(
          () -> {
            for (int i = 0; i < 60 && ended.getCount() > 0; i++) {
              taken.append(client.readUntil("\r\n"));
              if (taken.indexOf("[DONE]", Math.max(0, taken.length() - 200)) >= 0) {
                ended.countDown();
              }
            }
          },
          0,
          10,
          TimeUnit.MILLISECONDS);
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }
    JsonNode log = LOG.next(before);
    assertThat(log.path("outcome").asText()).as("%s", log).isEqualTo("ok");
    assertThat(log.path("completion_tokens").intValue()).isEqualTo(8000);
  }

  private static void asksTwiceAtOnce() {
    String first = ChatRequests.body("row/quick", true);
    String second = ChatRequests.body("row/quick", false);
    try (RawClient client = NODE.connect()) {
      client.send(post(first) + post(second));
      assertThat(client.readResponse().text()).endsWith("data: [DONE]\n\n");
      assertThat(client.readResponse().text()).contains("\"chat.completion\"");
    }
  }

  // Clients that are refused

  private static void waitsForContinue() throws Exception {
    String expect = "Expect: 100-continue\r\nContent-Length: ";
    requireRefusedAtOnce(head(expect + "9\r\n", "sk-llm-none"), 401);
    String poor = Tenants.keyOf(Tenants.org());
    assertThat(ChatRequests.ask(NODE, "row/quick", poor).status()).isEqualTo(402);
    requireRefusedAtOnce(head(expect + "9\r\n", poor), 402);
    requireRefusedAtOnce(head(expect + (11 << 20) + "\r\n"), 413);
  }

  private static void sendsTooLongAHead() throws Exception {
    requireRefusedAtOnce(head("X-Long: " + "x".repeat(33 << 10) + "\r\n"), 413);
    requireRefusedAtOnce(head("X-Many: 1\r\n".repeat(101)), 413);
    requireRefusedAtOnce("GET /v1/" + "x".repeat(8 << 10) + " HTTP/1.1\r\nHost: x\r\n\r\n", 413);
  }

  private static void announcesTooMuch() throws Exception {
    requireRefusedAtOnce(head("Content-Length: " + ((10 << 20) + 1) + "\r\n"), 413);
  }

  private static void sendsTooMuch() throws Exception {
    try (RawClient client = NODE.connect().within(SOON)) {
      client.send(head("Transfer-Encoding: chunked\r\n"));
      String chunk = "10000\r\n" + "x".repeat(1 << 16) + "\r\n";
      for (int n = 0; n < 160; n++) {
        client.send(chunk);
      }
      client.send("1\r\nx\r\n");
      requireClosing(client.readResponse(), 413);
    }
  }

  private static void drips() throws Exception {
    for (String begun : new String[] {"POST /v1/ch", head("Content-Length: 90\r\n") + "{"}) {
      int before = NODE.err().count();
      try (RawClient client = NODE.connect().within(SOON)) {
        client.send(begun);
        client.awaitClosed();
      }
      assertThat(LOG.next(before).path("outcome").asText()).isEqualTo("client_slow");
    }
  }

  private static void sendsTooLittle() throws Exception {
    long asked = MOCK.stats().requests();
    int before = NODE.err().count();
    try (RawClient client = NODE.connect().within(SOON)) {
      client
          .send(head("Content-Length: 90\r\n") + ChatRequests.body("row/quick", false))
          .halfClose();
      client.awaitClosed();
    }
    assertThat(LOG.next(before).path("outcome").asText()).isEqualTo("client_abort");
    assertThat(MOCK.stats().requests()).isEqualTo(asked);
  }

  private static void refused(String lines, String body, int status) throws Exception {
    long asked = MOCK.stats().requests();
    try (RawClient client = NODE.connect().within(SOON)) {
      client.send(head(lines) + body);
      RawResponse response = client.readResponse();
      assertThat(response.status()).isEqualTo(status);
      assertThat(LOG.outcome(response)).isEqualTo("rejected");
    }
    assertThat(MOCK.stats().requests()).isEqualTo(asked);
  }

  private static void requireRefusedAtOnce(String head, int status) throws Exception {
    try (RawClient client = NODE.connect().within(SOON)) {
      client.send(head);
      RawResponse response = client.readResponse();
      requireClosing(response, status);
      client.awaitClosed();
      assertThat(LOG.outcome(response)).isEqualTo("rejected");
    }
  }

  private static void requireClosing(RawResponse response, int status) {
    assertThat(response.status()).as(response.rawText()).isEqualTo(status);
    assertThat(response.header("connection")).isEqualTo("close");
  }

  // Clients whose key or credit ends during a stream

  private static void hasItsKeyRevoked() throws Exception {
    String key = Tenants.keyOf("acceptance");
    String id = key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
    int before = NODE.err().count();
    try (RawClient client = NODE.connect().within(SOON)) {
      client.post(
          ChatRequests.PATH,
          ChatRequests.body("row/revoked", true),
          ChatRequests.authorization(key));
      readContents(client, 1);
      Tenants.run("keys", "revoke", id);
      long revoked = System.nanoTime();
      String code = "";
      while (!code.equals("key_revoked")) {
        assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(Duration.ofSeconds(5));
        code = ChatRequests.code(ChatRequests.ask(NODE, "row/quick", key));
      }
      client.readUntil("data: [DONE]\n\n");
    }
    JsonNode log = LOG.next(before, "row/revoked");
    assertThat(log.path("outcome").asText()).isEqualTo("ok");
    assertThat(log.path("completion_tokens").intValue()).isEqualTo(150);
  }

  private static void runsOutOfMoney() throws Exception {
    String org = Tenants.org();
    Tenants.run("credits", "grant", "--org", org, "--usd", "0.001000");
    String key = Tenants.keyOf(org);
    int before = NODE.err().count();
    try (RawClient client = NODE.connect().within(SOON)) {
      client.post(
          ChatRequests.PATH, ChatRequests.body("row/poor", true), ChatRequests.authorization(key));
      assertThat(client.readUntil("data: [DONE]\n\n")).contains("\"completion_tokens\":50");
    }
    JsonNode log = LOG.next(before, "row/poor");
    assertThat(log.path("outcome").asText()).isEqualTo("ok");
    long cost = log.path("cost_micro").longValue();
    assertThat(cost).isGreaterThan(5_000);
    LedgerDatabase.of(SharedNode.node().home())
        .awaitAll(Map.of(log.path("request_id").asText(), cost));
    assertThat(ChatRequests.ask(NODE, "row/poor", key).status()).isEqualTo(402);
  }

  // Requests of the clients

  private static void readContents(RawClient client, int count) {
    for (int n = 0; n < count; n++) {
      client.readUntil("\"content\":\"");
    }
  }

  private static RawClient stream(String model) {
    RawClient client = NODE.connect().within(SOON);
    ask(client, model);
    return client;
  }

  private static void ask(RawClient client, String model) {
    client.post(ChatRequests.PATH, ChatRequests.body(model, true), SharedNode.authorization());
  }

  private static String post(String json) {
    return head("Content-Length: " + json.getBytes(ISO_8859_1).length + "\r\n") + json;
  }

  private static String head(String lines) {
    return head(lines, SharedNode.key());
  }

  private static String head(String lines, String key) {
    return "POST "
        + ChatRequests.PATH
        + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        + ChatRequests.authorization(key)
        + "\r\n"
        + lines
        + "\r\n";
  }
}
