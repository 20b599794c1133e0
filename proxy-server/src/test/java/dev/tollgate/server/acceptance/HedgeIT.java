package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.PeerClose;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A hedged attempt beside a provider with a late first token: results for client, log and ledger.
 */
@Isolated
class HedgeIT {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final String SERVED_BY_SECOND = "tollgate_hedges_total{served_by=\"second\"}";
  private static final AtomicInteger IDS = new AtomicInteger();

  /** By request id: the connection to the late provider. */
  private static final Map<String, CompletableFuture<ScriptedConnection>> LATE =
      new ConcurrentHashMap<>();

  @BeforeAll
  static void script() {
    SharedNode.scripted()
        .model("late", HedgeIT::late)
        .model("prompt", (_, connection) -> connection.send(whole("prompt")));
  }

  /** Sends the head at once and no event until the test releases it. */
  private static void late(JsonNode request, ScriptedConnection connection) throws Exception {
    String id = request.path("x_id").asText();
    connection.send(Sse.HEAD + Sse.role());
    asked(id).complete(connection);
    connection.gate(id).send(Sse.text("late") + end());
  }

  private static CompletableFuture<ScriptedConnection> asked(String id) {
    return LATE.computeIfAbsent(id, _ -> new CompletableFuture<>());
  }

  private static String whole(String text) {
    return Sse.HEAD + Sse.role() + Sse.text(text) + end();
  }

  private static String end() {
    return Sse.finish() + Sse.usage(5, 1) + Sse.DONE + Sse.END;
  }

  @AfterEach
  void nothingIsHeld() {
    SharedNode.node().admin().awaitIdle();
  }

  @Test
  void hedgingByRequest() throws Exception {
    secondServes(SharedNode.node(), "{\"hedge_after_ms\":200}");
  }

  @Test
  void hedgingByConfiguration() throws Exception {
    try (GatewayProcess node =
        SharedNode.beside(
            SharedNode.setup().section("routing", Map.of("hedge_after", "200ms")), List.of())) {
      secondServes(node, "{}");
      firstServesAlone(node, "{\"hedge_after_ms\":0}");
    }
  }

  @Test
  void byDefaultNoHedgeIsSent() throws Exception {
    firstServesAlone(SharedNode.node(), "{}");
  }

  private static void secondServes(GatewayProcess node, String routing) throws Exception {
    String id = "hedged-" + IDS.incrementAndGet();
    double before = servedBySecond(node);
    ObservedRequest seen = ObservedRequest.ofBody(node, body(id, routing));
    seen.requireServed(true, 1);
    assertThat(seen.content()).isEqualTo("prompt");
    assertThat(seen.header("x-llm-provider")).isEqualTo("scripted-two");
    JsonNode log = seen.log();
    assertThat(log.path("provider").asText()).isEqualTo("scripted-two");
    assertThat(log.path("attempts").findValuesAsText("provider"))
        .containsExactly("scripted", "scripted-two");
    assertThat(seen.attempts()).containsExactly("cancelled", "ok");
    assertThat(seen.chargedMicro()).isPositive().isEqualTo(seen.costMicro());
    assertThat(rows("settlement", seen)).isOne();
    assertThat(rows("request_log", seen)).isOne();
    assertThat(servedBySecond(node) - before).isEqualTo(1);
    assertThat(asked(id).get(SOON.toSeconds(), TimeUnit.SECONDS).awaitClosed(SOON))
        .isInstanceOf(PeerClose.class);
  }

  private static double servedBySecond(GatewayProcess node) {
    return node.admin().metrics().getOrDefault(SERVED_BY_SECOND, 0.0);
  }

  private static void firstServesAlone(GatewayProcess node, String routing) throws Exception {
    String id = "alone-" + IDS.incrementAndGet();
    CompletableFuture.delayedExecutor(600, TimeUnit.MILLISECONDS)
        .execute(() -> SharedNode.scripted().open(id));
    ObservedRequest seen = ObservedRequest.ofBody(node, body(id, routing));
    seen.requireServed(true, 1);
    assertThat(seen.content()).isEqualTo("late");
    assertThat(seen.log().path("attempts").findValuesAsText("provider"))
        .containsExactly("scripted");
    assertThat(seen.attempts()).containsExactly("ok");
  }

  private static long rows(String table, ObservedRequest seen) throws Exception {
    return LedgerDatabase.of(SharedNode.node().home())
        .number(
            "SELECT count(*) FROM "
                + table
                + " WHERE request_id = '"
                + seen.header("x-request-id")
                + "'");
  }

  private static String body(String id, String routing) {
    return """
    {"model":"scripted/late","stream":true,"x_id":"%s","routing":%s,\
    "messages":[{"role":"user","content":"Hi."}]}\
    """
        .formatted(id, routing);
  }
}
