package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * SIGTERM: running requests are finished, those that cannot finish get an error, and the exit code
 * is 0: D09.
 */
@Tag("chaos")
class GracefulShutdownIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int STREAMS = 20;
  private static final int RESTART_RATE = Integer.getInteger("tollgate.restart.rate", 100);
  private static final String GATE = "draining";

  @Test
  void noLiveStreamIsTruncated() throws Exception {
    SharedNode.scripted().model("stop-gated", GracefulShutdownIT::answerInTwoParts);
    ConfigBuilder setup = SharedNode.setup().model("stop/gated", "scripted", "stop-gated");
    try (GatewayProcess node = SharedNode.beside(setup, List.of(), "server.shutdown.delay=300ms")) {
      List<RawClient> streams = new ArrayList<>();
      for (int i = 0; i < STREAMS; i++) {
        streams.add(ChatRequests.stream(node, "stop/gated").within(SOON));
      }
      RawClient plain = node.connect().within(SOON);
      plain.post(
          ChatRequests.PATH, ChatRequests.body("stop/gated", false), SharedNode.authorization());
      node.admin()
          .await(
              numbers -> numbers.getOrDefault("tollgate_requests_in_flight", 0.0) == STREAMS + 1,
              "all requests in flight");

      node.terminate();
      node.err().await(line -> line.contains("draining"), SOON);
      assertThat(node.admin().get("/readyz").statusCode()).isEqualTo(503);
      assertThat(node.admin().get("/livez").statusCode()).isEqualTo(200);
      SharedNode.scripted().open(GATE);

      for (RawClient stream : streams) {
        String rest = new String(stream.readToEnd(), UTF_8);
        assertThat(rest).contains("\"finish_reason\":\"stop\"", "\"x_llm_cost_micro\"");
        assertThat(rest).doesNotContain("\"error\"").endsWith("data: [DONE]\n\n\r\n0\r\n\r\n");
      }
      assertThat(plain.readResponse().status()).isEqualTo(200);
      assertThat(node.awaitExit()).isZero();
      assertThatThrownBy(node::connect).hasMessageContaining("refused");
    }
  }

  /** A load balancer routes elsewhere once the node is not ready; the node serves until then. */
  @Test
  void aRollingReplacementFailsNoRequest() throws Exception {
    var ready = new AtomicReference<GatewayProcess>();
    long began = System.nanoTime();
    try (GatewayProcess node =
        SharedNode.beside(SharedNode.setup(), List.of(), "server.shutdown.delay=1s")) {
      ready.set(node);
      try (SteadyLoad load = SteadyLoad.on(ready::get, "test/chat", RESTART_RATE)) {
        load.runFor(Duration.ofMillis(500));
        node.terminate();
        node.err().await(line -> line.contains("draining"), SOON);
        ready.set(SharedNode.node());
        assertThat(node.awaitExit()).isZero();
        load.runFor(Duration.ofMillis(200));
        load.end();
        assertThat(load.since(began))
            .hasSizeGreaterThan(RESTART_RATE / 2)
            .allMatch(answer -> answer.status() == 200);
      }
    }
  }

  /** The second part of the reply is sent after the drain has begun. */
  private static void answerInTwoParts(JsonNode request, ScriptedConnection to) throws Exception {
    if (request.path("stream").booleanValue()) {
      to.send(Sse.HEAD + Sse.role() + Sse.text("one")).gate(GATE);
      to.send(Sse.text("two") + Sse.finish() + Sse.usage(3, 2) + Sse.DONE + Sse.END);
    } else {
      to.gate(GATE).send(Sse.completion("whole"));
    }
  }

  @Test
  void aNodeDeclaredLostDuringADrainFinishesItsRequests() throws Exception {
    String gate = "given up";
    SharedNode.scripted()
        .model(
            "stop-given-up",
            (_, to) -> {
              to.send(Sse.HEAD + Sse.role() + Sse.text("one")).gate(gate);
              to.send(Sse.text("two") + Sse.finish() + Sse.usage(3, 2) + Sse.DONE + Sse.END);
            });
    ConfigBuilder setup = SharedNode.setup().model("stop/given-up", "scripted", "stop-given-up");
    try (OwnDatabase database = OwnDatabase.create("draining");
        NodeFolder folder = NodeFolder.with(setup);
        GatewayProcess node =
            GatewayProcess.start(folder, database.settings().toArray(String[]::new))) {
      RawClient stream = node.connect().within(SOON);
      stream.post(
          ChatRequests.PATH,
          ChatRequests.body("stop/given-up", true),
          ChatRequests.authorization(node.bootstrapKey()));
      assertThat(stream.readUntil("one")).contains("200 OK");

      node.terminate();
      node.err().await(line -> line.contains("draining"), SOON);
      declareLost(database);
      assertThat(node.err().await(line -> line.contains("leases were released"), SOON)).isPresent();
      SharedNode.scripted().open(gate);

      assertThat(new String(stream.readToEnd(), UTF_8))
          .contains("\"finish_reason\":\"stop\"")
          .doesNotContain("\"error\"");
      assertThat(node.awaitExit()).isZero();
    }
  }

  /** Repeats while the node's own heartbeat holds the row, which the function then skips. */
  private static void declareLost(OwnDatabase database) throws Exception {
    long began = System.nanoTime();
    while (database.number("SELECT count(*) FROM ledger_lose(interval '-1 hour')") == 0) {
      assertThat(System.nanoTime() - began).isLessThan(SOON.toNanos());
    }
  }

  @Test
  void unfinishedRequestsGetAnErrorAndTheExitCodeIsZero() throws Exception {
    SharedNode.scripted()
        .model(
            "stop-stall",
            (_, connection) -> connection.send(Sse.HEAD + Sse.role() + Sse.text("x")).stall());
    ConfigBuilder setup = SharedNode.setup().model("stop/stall", "scripted", "stop-stall");
    try (GatewayProcess node =
        SharedNode.beside(setup, List.of(), "server.shutdown.timeout=500ms")) {
      RawClient stream = ChatRequests.stream(node, "stop/stall").within(SOON);

      node.terminate();

      String rest = new String(stream.readToEnd(), UTF_8);
      assertThat(rest).contains("\"error\":{", "\"x_llm_cost_micro\"");
      assertThat(rest).endsWith("data: [DONE]\n\n\r\n");
      assertThat(node.awaitExit()).isZero();
    }
  }
}
