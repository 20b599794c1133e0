package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Connections that say nothing, on a node with the defaults of its listeners: they keep neither
 * clients with a key nor probes out, and one address may have many streams.
 */
@Tag("chaos")
class ConnectionBoundsIT {
  private static final int STREAMS = 600;

  /** Connections of one address that have not proved a key at a time; the bound is 256. */
  private static final int TOGETHER = 200;

  private static final int ADMIN_CONNECTIONS = 130;
  private static final int HONEST = 30;
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final GatewayProcess NODE =
      SharedNode.beside(
          SharedNode.setup()
              .model("bounds/slow", "mock", "mock-chat?ttft=1ms&interval=2000ms&chunks=100000"),
          List.of());

  private final List<RawClient> open = new ArrayList<>();

  @AfterEach
  void closeClients() {
    open.forEach(RawClient::close);
  }

  @AfterAll
  static void stop() {
    NODE.close();
  }

  @Test
  void oneAddressHasHundredsOfStreams() {
    Map<String, Double> before = NODE.admin().metrics();
    for (int begun = 0; begun < STREAMS; begun += TOGETHER) {
      List<RawClient> next = open.subList(begun, begun);
      for (int i = 0; i < TOGETHER; i++) {
        next.add(RawClient.connect(NODE.port()).within(SOON));
      }
      String body = ChatRequests.body("bounds/slow", true);
      next.forEach(client -> client.post(ChatRequests.PATH, body, SharedNode.authorization()));
      next.forEach(client -> client.readUntil("data: "));
    }
    Map<String, Double> after = NODE.admin().metrics();
    assertThat(Admin.total(after, "tollgate_requests_in_flight")).isEqualTo(STREAMS);
    assertThat(Admin.total(after, "tollgate_connections_unproven")).isZero();
    assertThat(Admin.total(after, "tollgate_connections_evicted_total"))
        .isEqualTo(Admin.total(before, "tollgate_connections_evicted_total"));
  }

  @Test
  void silentConnectionsOfOnePeerKeepNoHonestOneOut() {
    for (int i = 0; i < 300; i++) {
      open.add(RawClient.connect(NODE.port()));
    }
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < HONEST; i++) {
      try (RawClient client = NODE.connect()) {
        statuses.add(client.get("/v1/key", SharedNode.authorization()).readResponse().status());
      }
    }
    assertThat(statuses).hasSize(HONEST).containsOnly(200);
    Map<String, Double> numbers = NODE.admin().metrics();
    assertThat(Admin.total(numbers, "tollgate_connections_unproven")).isLessThanOrEqualTo(256);
    assertThat(numbers.get("tollgate_connections_evicted_total{limit=\"address\"}"))
        .isGreaterThanOrEqualTo(44);
  }

  @Test
  void idleConnectionsOnTheAdminListenerKeepNoProbeOut() {
    for (int i = 0; i < ADMIN_CONNECTIONS; i++) {
      open.add(RawClient.connect(NODE.home().adminPort()));
    }
    assertThat(statuses(ConnectionBoundsIT::livez)).hasSize(HONEST).containsOnly(200);
  }

  /** Each sends a byte about thirty times a second, and none has more than its five seconds. */
  @Test
  void bytesNowAndThenKeepNoProbeOutEither() throws Exception {
    try (var slow =
        SlowClients.on(NODE.home().adminPort(), ADMIN_CONNECTIONS, "GET /livez?", "x")) {
      assertThat(statuses(ConnectionBoundsIT::livez)).hasSize(HONEST).containsOnly(200);
      slow.awaitAllClosed(SOON);
      assertThat(slow.received()).isEmpty();
    }
  }

  @Test
  void aPageWhoseNameResolvesToTheAdminListenerReadsNothing() {
    for (String path : List.of("/providers", "/config", "/metrics")) {
      try (RawClient client = RawClient.connect(NODE.home().adminPort())) {
        client.send("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        assertThat(client.readResponse().status()).isEqualTo(403);
      }
    }
  }

  private static List<Integer> statuses(IntSupplier ask) {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < HONEST; i++) {
      statuses.add(ask.getAsInt());
    }
    return statuses;
  }

  private static int livez() {
    try (RawClient probe = RawClient.connect(NODE.home().adminPort())) {
      return probe.get("/livez").readResponse().status();
    }
  }
}
