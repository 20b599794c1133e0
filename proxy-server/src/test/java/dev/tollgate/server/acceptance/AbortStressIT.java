package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Many clients disconnect at random moments, with plain and streamed requests, by FIN and by RST:
 * no buffer leaks, everything is released, and the node continues to serve. {@code
 * -Dtollgate.aborts=10000} is the full form, run by the profile soak.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class AbortStressIT {
  private static final int ABORTS = Integer.getInteger("tollgate.aborts", 400);
  private static final int AT_ONCE = 16;
  private static final String ENDLESS = "test/long";
  private static final List<String> MODELS =
      List.of("test/chat", ENDLESS, "test/tool", "test/error-midway", "test/cut", "test/broken");

  @Test
  void noBufferLeaksAndAllIsReleased() throws Exception {
    long seed = Long.getLong("tollgate.seed", new Random().nextLong());
    List<String> flags =
        List.of("-Dio.netty.leakDetection.level=paranoid", "-Xmx192m", "-XX:+UseSerialGC");
    try (GatewayProcess node = SharedNode.beside(SharedNode.setup(), flags)) {
      abort(node, seed);

      node.admin().awaitIdle();
      node.collectGarbage();
      // A leak is reported with the next allocation of a buffer.
      for (String model : List.of("test/chat", "test/tool", "test/chat")) {
        assertThat(ChatRequests.ask(node, model).status()).isEqualTo(200);
        ChatRequests.stream(node, model).readUntil("[DONE]");
      }
      assertThat(node.err().traces()).as("seed %s", seed).isEmpty();
      assertThat(node.err().text()).as("seed %s", seed).doesNotContain("LEAK");
      assertThat(node.isRunning()).isTrue();
    }
  }

  private static void abort(GatewayProcess node, long seed) throws Exception {
    Semaphore places = new Semaphore(AT_ONCE);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<? extends Future<?>> aborts =
          IntStream.range(0, ABORTS)
              .mapToObj(
                  i ->
                      clients.submit(
                          () -> {
                            places.acquire();
                            try {
                              abortOne(node, new Random(seed + i));
                            } finally {
                              places.release();
                            }
                            return i;
                          }))
              .toList();
      for (Future<?> abort : aborts) {
        abort.get();
      }
    }
  }

  /** One client: it disconnects while it sends, before the response, or within it. */
  private static void abortOne(GatewayProcess node, Random random) {
    String model = MODELS.get(random.nextInt(MODELS.size()));
    String body = ChatRequests.body(model, model.equals(ENDLESS) || random.nextBoolean());
    RawClient client = node.connect().within(Duration.ofSeconds(60));
    switch (random.nextInt(4)) {
      case 0 -> client.post(ChatRequests.PATH, body.substring(10), SharedNode.authorization());
      case 1 -> client.send(head(body.length()) + body.substring(0, random.nextInt(body.length())));
      case 2 -> client.post(ChatRequests.PATH, body, SharedNode.authorization());
      default -> {
        client.post(ChatRequests.PATH, body, SharedNode.authorization());
        // No response is shorter; a long stream is left between its events.
        client.peekAtLeast(1 + random.nextInt(body.contains(ENDLESS) ? 4_000 : 300));
      }
    }
    if (random.nextBoolean()) {
      client.reset();
    } else {
      client.close();
    }
  }

  private static String head(int bytes) {
    return """
    POST /v1/chat/completions HTTP/1.1\r
    Host: localhost\r
    %s\r
    Content-Type: application/json\r
    Content-Length: %d\r
    \r
    """
        .formatted(SharedNode.authorization(), bytes);
  }
}
