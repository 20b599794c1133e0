package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Row D12: clients that do not read demand twice the direct memory of the node. Those with the most
 * buffered bytes are reset and charged; clients that read are served, and the node survives.
 */
@Tag("chaos")
@Isolated
final class DirectMemoryIT {
  private static final int MEGABYTES = 256;

  /**
   * More than the kernel buffers for a client that does not read, in a buffer of 8 MiB. Two of them
   * are filled within a sample of the load monitor.
   */
  private static final int EVENT_BYTES = 6 << 20;

  private static final int STALLED = 2 * MEGABYTES / 8;
  private static final Duration PACE = Duration.ofMillis(100);
  private static final Duration ROUND = Duration.ofMinutes(1);
  private static final int SOAK_SECONDS = Integer.getInteger("tollgate.stalled.seconds", 0);
  private static final AtomicInteger ASKED = new AtomicInteger();
  private static final GatewayProcess NODE = node();

  private static GatewayProcess node() {
    String text = Sse.text("x".repeat(EVENT_BYTES));
    SharedNode.scripted()
        .model(
            "large",
            (_, connection) ->
                connection
                    .send(Sse.HEAD + Sse.text("small"))
                    .gate("large-" + ASKED.getAndIncrement())
                    .send(text)
                    .stall());
    ConfigBuilder setup =
        SharedNode.setup()
            .section(
                "server",
                Map.of(
                    "overload",
                    Map.of("direct_memory", 0.8),
                    "shutdown",
                    Map.of("delay", "0s", "timeout", "5s")))
            .model("memory/large", "scripted", "large")
            .model("memory/steady", "mock", "mock-chat?chunks=400&interval=20ms");
    return SharedNode.beside(
        setup, List.of("-Xmx1g", "-XX:MaxDirectMemorySize=" + MEGABYTES + "m"));
  }

  @AfterAll
  static void stop() {
    NODE.close();
  }

  @Test
  void theLargestStalledStreamsAreResetAndOthersAreServed() throws Exception {
    long ends = System.nanoTime() + TimeUnit.SECONDS.toNanos(SOAK_SECONDS);
    do {
      round();
    } while (System.nanoTime() < ends);
  }

  private static void round() throws Exception {
    int lines = NODE.err().count();
    double before = NODE.admin().total("tollgate_streams_reset_total");
    int first = ASKED.get();
    List<RawClient> stalled = new ArrayList<>();
    try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int n = 0; n < STALLED; n++) {
        RawClient client = RawClient.connectNarrow(NODE.port(), 4096);
        stalled.add(client);
        client.post(
            ChatRequests.PATH, ChatRequests.body("memory/large", true), SharedNode.authorization());
        client.readUntil("small");
      }
      List<Future<String>> others =
          IntStream.range(0, 10)
              .mapToObj(_ -> readers.submit(DirectMemoryIT::readSteadily))
              .toList();
      releaseSlowly(first);
      requireRunning(lines);

      NODE.admin()
          .await(
              now -> Admin.total(now, "tollgate_streams_reset_total") - before >= STALLED / 4,
              "half of what is too much to be reset");
      for (Future<String> other : others) {
        assertThat(other.get(ROUND.toSeconds(), TimeUnit.SECONDS)).endsWith("data: [DONE]\n\n");
      }
    } finally {
      stalled.forEach(RawClient::close);
    }
    requireRunning(lines);
    NODE.admin().awaitIdle();
    requireCharged(NODE.err().all().subList(lines, NODE.err().count()));
    assertThat(ChatRequests.ask(NODE, "test/chat").status()).isEqualTo(200);
  }

  private static void requireRunning(int lines) {
    assertThat(NODE.isRunning())
        .as(() -> NODE.out().text() + NODE.err().all().subList(lines, NODE.err().count()))
        .isTrue();
  }

  private static String readSteadily() {
    try (RawClient client = NODE.connect().within(ROUND)) {
      client.post(
          ChatRequests.PATH, ChatRequests.body("memory/steady", true), SharedNode.authorization());
      return client.readUntil("data: [DONE]\n\n");
    }
  }

  private static void releaseSlowly(int first) throws InterruptedException {
    var done = new CountDownLatch(STALLED);
    var next = new AtomicInteger(first);
    try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
      var ticks =
          clock.scheduleAtFixedRate(
              () -> {
                if (done.getCount() > 0) {
                  SharedNode.scripted().open("large-" + next.getAndIncrement());
                  done.countDown();
                }
              },
              0,
              PACE.toMillis(),
              TimeUnit.MILLISECONDS);
      assertThat(done.await(ROUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
      ticks.cancel(false);
    }
  }

  /** The delivered part is charged once, as an estimate, as after a disconnect. */
  private static void requireCharged(List<String> log) throws Exception {
    Map<String, Long> costs = new HashMap<>();
    for (String line : log) {
      if (line.contains("\"outcome\":\"shed\"")) {
        JsonNode tree = Json.tree(line.substring(line.indexOf('{')));
        assertThat(tree.path("status").intValue()).isEqualTo(200);
        assertThat(tree.path("estimated").booleanValue()).isTrue();
        costs.put(tree.path("request_id").asText(), tree.path("cost_micro").longValue());
      }
    }
    assertThat(costs.values()).hasSizeGreaterThan(STALLED / 8).allMatch(cost -> cost > 0);
    LedgerDatabase.of(SharedNode.node().home()).awaitAll(costs);
    RecordedFigures.keep(
        "direct-memory", costs.size() + " of " + STALLED + " stalled streams were reset");
  }
}
