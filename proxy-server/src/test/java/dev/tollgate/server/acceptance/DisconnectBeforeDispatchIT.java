package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.FullBacklog;
import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client disconnects before any provider has its request: while the request waits for a
 * connection of a full pool, or for a connection to be opened. Its pending entry is removed and its
 * attempt ended at once.
 */
class DisconnectBeforeDispatchIT {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration FREED = Duration.ofMillis(100);

  /** Repetitions of each case; the median must be in time, and each must succeed. */
  private static final int TIMES = 5;

  private static final FullBacklog BACKLOG = FullBacklog.fill();
  private static final GatewayProcess AUTO = node("server.transport=auto");
  private static final GatewayProcess NIO = node("server.transport=nio");

  /** Resources of the stream that has the narrow provider's only connection. */
  private static final Held IN_FRONT = new Held(1, 0, 1);

  /** Wait of the request, and the resources held meanwhile. */
  enum Phase {
    QUEUED("scripted/narrow"),
    CONNECTING("unreachable/model");

    private final String model;

    Phase(String model) {
      this.model = model;
    }

    private Held held() {
      return switch (this) {
        case QUEUED -> new Held(2, 1, 1);
        case CONNECTING -> new Held(2, 0, 2);
      };
    }
  }

  /** Running requests, pending requests, and connections open or being opened. */
  record Held(int requests, int pending, int connections) {
    static Held of(Map<String, Double> metrics) {
      return new Held(
          (int) Admin.total(metrics, "tollgate_requests_in_flight"),
          (int) Admin.total(metrics, "tollgate_upstream_pending"),
          (int) Admin.total(metrics, "tollgate_upstream_connections"));
    }
  }

  enum Leave {
    FIN,
    RST;

    void by(RawClient client) {
      switch (this) {
        case FIN -> client.close();
        case RST -> client.reset();
      }
    }
  }

  enum Transport {
    AUTO,
    NIO
  }

  @BeforeAll
  static void script() {
    SharedNode.scripted()
        .model(
            "narrow",
            (_, connection) -> connection.send(Sse.HEAD + Sse.role() + Sse.text("held")).stall());
  }

  private static GatewayProcess node(String transport) {
    ConfigBuilder setup =
        ConfigBuilder.empty()
            .provider("narrow", provider(SharedNode.scripted().baseUrl()))
            .provider("unreachable", provider("http://127.0.0.1:" + BACKLOG.port() + "/v1"))
            .model("scripted/narrow", "narrow", "narrow")
            .model("unreachable/model", "unreachable", "model");
    return SharedNode.beside(setup, List.of(), transport);
  }

  /** One connection at a time; a request waits for it as long as a test may take. */
  private static Map<String, ?> provider(String baseUrl) {
    return Map.of(
        "type",
        "openai",
        "base_url",
        baseUrl,
        "api_key",
        SharedNode.PROVIDER_KEY,
        "timeouts",
        Map.of("connect", "60s"),
        "pool",
        Map.of("max_connections", 1));
  }

  @AfterAll
  static void stop() {
    AUTO.close();
    NIO.close();
    BACKLOG.close();
  }

  @AfterEach
  void nothingIsHeld() {
    AUTO.admin().awaitIdle();
    NIO.admin().awaitIdle();
  }

  static Stream<Arguments> cases() {
    return Stream.of(Phase.values())
        .flatMap(phase -> Stream.of(true, false).flatMap(stream -> cases(phase, stream)));
  }

  private static Stream<Arguments> cases(Phase phase, boolean stream) {
    return Stream.of(Leave.values())
        .flatMap(
            leave ->
                Stream.of(Transport.values())
                    .map(transport -> Arguments.of(phase, stream, leave, transport)));
  }

  @ParameterizedTest(name = "{0}, streamed {1}, {2}, {3}")
  @MethodSource("cases")
  void nothingIsHeldForIt(Phase phase, boolean stream, Leave leave, Transport transport)
      throws Exception {
    GatewayProcess node = transport == Transport.AUTO ? AUTO : NIO;
    List<Duration> took = new ArrayList<>();
    try (RawClient inFront = ask(node, "scripted/narrow", true)) {
      inFront.readUntil("held");
      for (int i = 0; i < TIMES; i++) {
        took.add(leaveAndMeasure(node, phase, stream, leave));
      }
    }
    assertThat(took.stream().sorted().toList().get(TIMES / 2)).isLessThan(FREED);
  }

  /**
   * Scrapes are too slow to measure with: the access log has the duration of the request, and its
   * resources are released in the same task of the event loop. Only durations are compared: the
   * times in the log are those of the ledger store's clock, which may differ by some milliseconds.
   */
  private static Duration leaveAndMeasure(
      GatewayProcess node, Phase phase, boolean stream, Leave leave) throws InterruptedException {
    int linesBefore = node.err().count();
    Duration stayed;
    Duration seenHeld;
    try (RawClient client = ask(node, phase.model, stream)) {
      long askedNanos = System.nanoTime();
      awaitHeld(node, phase.held());
      long heldNanos = System.nanoTime();
      awaitHeld(node, phase.held());
      long leftNanos = System.nanoTime();
      stayed = Duration.ofNanos(leftNanos - askedNanos);
      seenHeld = Duration.ofNanos(leftNanos - heldNanos);
      leave.by(client);
    }
    awaitHeld(node, IN_FRONT);
    Duration inWork = inWork(node, phase.model, linesBefore);
    assertThat(inWork).as("not ended before it left").isGreaterThan(seenHeld);
    return inWork.minus(stayed);
  }

  private static Duration inWork(GatewayProcess node, String model, int linesBefore)
      throws InterruptedException {
    String line =
        node.err()
            .await(each -> isUnanswered(each, model), linesBefore, SOON)
            .orElseThrow(() -> new AssertionError("no access log: " + node.err().text()));
    JsonNode record = Json.tree(line.substring(line.indexOf('{')));
    return Duration.of(
        Math.round(record.path("total_ms").doubleValue() * 1_000), ChronoUnit.MICROS);
  }

  /** Not the request before it, which was answered. */
  private static boolean isUnanswered(String line, String model) {
    return line.contains("\"model\":\"" + model + "\"") && line.contains("\"response_bytes\":0");
  }

  private static void awaitHeld(GatewayProcess node, Held held) {
    node.admin().await(metrics -> Held.of(metrics).equals(held), held.toString());
  }

  private static RawClient ask(GatewayProcess node, String model, boolean stream) {
    String request =
        """
        {"model":"%s","stream":%b,"messages":[{"role":"user","content":"Hi."}]}\
        """
            .formatted(model, stream);
    return node.connect().post("/v1/chat/completions", request, SharedNode.authorization());
  }
}
