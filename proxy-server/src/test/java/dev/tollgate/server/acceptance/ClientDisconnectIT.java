package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client disconnects in any phase, on both transports: the provider's request is cancelled at
 * once.
 */
class ClientDisconnectIT {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration CANCELLED = Duration.ofMillis(100);
  private static final Duration READ_ON = Duration.ofSeconds(5);

  /** Repetitions of each case; the median must be in time, and each must succeed. */
  private static final int TIMES = 5;

  private static final Map<String, CompletableFuture<ScriptedConnection>> REACHED =
      new ConcurrentHashMap<>();
  private static final AtomicInteger IDS = new AtomicInteger();

  /** Of an organization whose streams no other test leaves: habits would have them read on. */
  private static String authorization = "";

  private static final GatewayProcess NIO =
      SharedNode.beside(SharedNode.setup(), List.of(), "server.transport=nio");

  /**
   * Bytes that the provider has sent when the client disconnects, and the part that the client
   * waits to see; the provider then sends nothing more. Before the first content the client sees
   * nothing.
   */
  enum Phase {
    PLAIN_WAITING(false, "", ""),
    PLAIN_BODY(false, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n{\"id\":\"c\",", ""),
    STREAM_WAITING(true, "", ""),
    HEAD(true, Sse.HEAD, ""),
    ROLE(true, Sse.HEAD + Sse.role(), ""),
    CONTENT(true, Sse.HEAD + Sse.role() + Sse.text("here"), "here"),
    FINISHED(true, Sse.HEAD + Sse.role() + Sse.text("x") + Sse.finish(), "\"stop\"");

    private final boolean stream;
    private final String sent;
    private final String seen;

    Phase(boolean stream, String sent, String seen) {
      this.stream = stream;
      this.sent = sent;
      this.seen = seen;
    }
  }

  enum Leave {
    FIN,
    RST
  }

  enum Transport {
    EPOLL,
    NIO
  }

  @BeforeAll
  static void script() throws Exception {
    authorization = ChatRequests.authorization(Tenants.keyOf(Tenants.payingOrg()));
    SharedNode.scripted().model("leave", ClientDisconnectIT::answer);
  }

  @AfterAll
  static void stop() {
    NIO.close();
  }

  @AfterEach
  void nothingIsHeld() {
    SharedNode.node().admin().awaitIdle();
    NIO.admin().awaitIdle();
  }

  private static void answer(JsonNode request, ScriptedConnection connection) throws Exception {
    String id = request.path("x_id").asText();
    connection.send(Phase.valueOf(request.path("x_phase").asText()).sent);
    reached(id).complete(connection);
    if (request.path("x_usage").booleanValue()) {
      connection.gate(id).send(Sse.usage(5, 7) + Sse.DONE + Sse.END);
    } else {
      connection.stall();
    }
  }

  private static CompletableFuture<ScriptedConnection> reached(String id) {
    return REACHED.computeIfAbsent(id, _ -> new CompletableFuture<>());
  }

  static Stream<Arguments> unfinished() {
    return Stream.of(Phase.values())
        .filter(phase -> phase != Phase.FINISHED)
        .flatMap(
            phase ->
                Stream.of(Leave.values())
                    .flatMap(
                        leave ->
                            Stream.of(Transport.values())
                                .map(transport -> Arguments.of(phase, leave, transport))));
  }

  @ParameterizedTest
  @MethodSource("unfinished")
  void theProviderIsCancelled(Phase phase, Leave leave, Transport transport) throws Exception {
    long[] nanos = new long[TIMES];
    for (int i = 0; i < TIMES; i++) {
      nanos[i] = leaveAndMeasure(node(transport), phase, leave);
    }
    long median = LongStream.of(nanos).sorted().toArray()[TIMES / 2];
    assertThat(Duration.ofNanos(median)).isLessThan(CANCELLED);
  }

  /** All cases run side by side, because they mostly wait. */
  @Test
  void afterTheFinishTheProviderIsReadForFiveSeconds() throws Exception {
    Map<String, Future<Long>> nanos = new TreeMap<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Transport transport : Transport.values()) {
        for (Leave leave : Leave.values()) {
          nanos.put(
              leave + " on " + transport,
              clients.submit(() -> leaveAndMeasure(node(transport), Phase.FINISHED, leave)));
        }
      }
    }
    for (var each : nanos.entrySet()) {
      assertThat(Duration.ofNanos(each.getValue().get()))
          .as(each.getKey())
          .isBetween(Duration.ofSeconds(4), READ_ON.plusSeconds(2));
    }
  }

  @ParameterizedTest
  @EnumSource
  void usageAfterADisconnectIsCharged(Leave leave) throws Exception {
    GatewayProcess node = SharedNode.node();
    String id = "usage-" + IDS.incrementAndGet();
    int linesBefore = node.err().count();
    try (RawClient client = ask(node, Phase.FINISHED, id, true)) {
      reached(id).get(SOON.toSeconds(), TimeUnit.SECONDS);
      client.readUntil(Phase.FINISHED.seen);
      client.readUntil("\n\n");
      leave(client, leave);
    }
    SharedNode.scripted().open(id);

    String line =
        node.err()
            .await(each -> each.contains("\"model\":\"scripted/leave\""), linesBefore, SOON)
            .orElseThrow();
    JsonNode record = Json.tree(line.substring(line.indexOf('{')));
    assertThat(record.path("prompt_tokens").longValue()).isEqualTo(5);
    assertThat(record.path("completion_tokens").longValue()).isEqualTo(7);
    assertThat(record.path("estimated").booleanValue()).isFalse();
  }

  private static long leaveAndMeasure(GatewayProcess node, Phase phase, Leave leave)
      throws Exception {
    String id = phase + "-" + IDS.incrementAndGet();
    ScriptedConnection provider;
    long leftNanos;
    try (RawClient client = ask(node, phase, id, false)) {
      provider = reached(id).get(SOON.toSeconds(), TimeUnit.SECONDS);
      if (!phase.seen.isEmpty()) {
        client.readUntil(phase.seen);
        client.readUntil("\n\n");
        client.readUntil("\r\n");
      }
      leftNanos = System.nanoTime();
      leave(client, leave);
    }
    return provider.awaitClosed(SOON).atNanos() - leftNanos;
  }

  private static RawClient ask(GatewayProcess node, Phase phase, String id, boolean usage) {
    String request =
        """
        {"model":"scripted/leave","stream":%b,"x_phase":"%s","x_id":"%s","x_usage":%b,\
        "messages":[{"role":"user","content":"Hi."}]}\
        """
            .formatted(phase.stream, phase, id, usage);
    return node.connect().post("/v1/chat/completions", request, authorization);
  }

  /** No unread bytes may be left in the socket, or closing it would send an RST. */
  private static void leave(RawClient client, Leave leave) {
    switch (leave) {
      case FIN -> client.close();
      case RST -> client.reset();
    }
  }

  private static GatewayProcess node(Transport transport) {
    return switch (transport) {
      case EPOLL -> SharedNode.node();
      case NIO -> NIO;
    };
  }
}
