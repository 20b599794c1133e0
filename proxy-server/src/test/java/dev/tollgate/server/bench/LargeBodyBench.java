package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What relaying a 10 MiB body costs the gateway's memory: the heap that its event loops allocate
 * for each, as the JVM counts it by thread, and the most that its buffers ever held, asked for all
 * the while. Gateway, provider and clients are three processes.
 */
class LargeBodyBench {
  private static final int BODIES = Integer.getInteger("bench.bodies", 100);
  private static final int AT_ONCE = 4;
  private static final int MIB = 1024 * 1024;
  private static final int BODY_BYTES = 10 * MIB;
  private static final double BODY_SIZES_MAX = 1.2;
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final Results RESULTS = Results.of("large-body");

  @TempDir private Path folder = Path.of("");

  @Test
  void relayedBodies() throws Exception {
    Path mockLog = folder.resolve("mock.log");
    try (MeasuredProcess provider =
        MeasuredProcess.start(mockLog, List.of("-Xmx512m"), "mock", "--port", "0")) {
      String upstream = provider.awaitLine("(http://[0-9.:]+)");
      Path config = folder.resolve("bench.yaml");
      Files.writeString(config, config(upstream.endsWith("/v1") ? upstream : upstream + "/v1"));
      try (MeasuredProcess gateway =
              MeasuredProcess.start(
                  folder.resolve("gateway.log"),
                  List.of("-Xmx512m"),
                  "serve",
                  "--config",
                  config.toString());
          HttpClient client =
              HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
        measure(gateway, client);
      }
    }
  }

  private static String config(String upstream) {
    return """
    version: 1
    listeners:
      api: { address: 127.0.0.1:0 }
      control: { address: null }
      admin: { address: 127.0.0.1:%d }
    store: { url: embedded, data_dir: ./data }
    providers:
      bench: { type: openai, base_url: %s, api_key: none }
    limits: { global: { requests_per_second: 0 }, org: { requests_per_second: 0, requests_per_minute: 0 }, key: { requests_per_second: 0, requests_per_minute: 0, concurrency: 0 } }
    bootstrap: { organization: bench, credit: "1000.00" }
    models:
      bench/large:
        modality: chat
        price: { input: "0.15", output: "0.60" }
        routes: [{ provider: bench, model: "mock-chat?ttft=0ms&interval=0ms&chunks=4" }]
    """
        .formatted(AdminPort.PORT, upstream);
  }

  private static void measure(MeasuredProcess gateway, HttpClient client) throws Exception {
    URI base = URI.create(gateway.awaitLine("Tollgate serves (\\S+)"));
    String key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + "/chat/completions"))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .timeout(SOON)
            .POST(BodyPublishers.ofByteArray(body()))
            .build();
    relay(client, request, gateway, 3 * AT_ONCE);

    long allocatedBefore = gateway.allocatedBytes("loop-");
    double highWater = relay(client, request, gateway, BODIES);
    long allocated = gateway.allocatedBytes("loop-") - allocatedBefore;

    double bodySizes = (double) allocated / BODIES / BODY_BYTES;
    report(bodySizes, highWater);
    assertThat(bodySizes).as("body sizes of heap per body").isLessThan(BODY_SIZES_MAX);
  }

  /** Sends so many bodies, some at once; the most that the gateway's direct buffers held. */
  private static double relay(
      HttpClient client, HttpRequest request, MeasuredProcess gateway, int bodies)
      throws Exception {
    double highWater = 0;
    for (int sent = 0; sent < bodies; sent += AT_ONCE) {
      List<CompletableFuture<HttpResponse<String>>> replies = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        replies.add(client.sendAsync(request, BodyHandlers.ofString()));
      }
      var all = CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new));
      do {
        highWater = Math.max(highWater, directBytes(gateway));
      } while (!all.isDone());
      for (CompletableFuture<HttpResponse<String>> reply : replies) {
        assertThat(reply.get().statusCode()).as(reply.get().body()).isEqualTo(200);
      }
    }
    return highWater;
  }

  private static double directBytes(MeasuredProcess gateway)
      throws IOException, InterruptedException {
    return gateway.metric(AdminPort.URL, "tollgate_buffer_bytes", "direct");
  }

  private static void report(double bodySizes, double highWater) throws IOException {
    String line =
        String.format(
            Locale.ROOT,
            "%d bodies of 10 MiB, %d at once: %.3f body sizes of heap each by the event loops,"
                + " direct buffers at most %.1f MiB",
            BODIES,
            AT_ONCE,
            bodySizes,
            highWater / MIB);
    RESULTS.print(line);
  }

  /** A valid request of exactly 10 MiB, one long text. */
  private static byte[] body() {
    String head = "{\"model\":\"bench/large\",\"messages\":[{\"role\":\"user\",\"content\":\"";
    byte[] start = head.getBytes(StandardCharsets.US_ASCII);
    byte[] end = "\"}]}".getBytes(StandardCharsets.US_ASCII);
    byte[] body = new byte[BODY_BYTES];
    Arrays.fill(body, (byte) 'a');
    System.arraycopy(start, 0, body, 0, start.length);
    System.arraycopy(end, 0, body, BODY_BYTES - end.length, end.length);
    return body;
  }
}
