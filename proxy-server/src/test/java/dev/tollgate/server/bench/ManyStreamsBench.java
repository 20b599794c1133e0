package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of streams from one address, with the defaults of {@code listeners.api} and {@code
 * providers} and the limits of key and organization switched off. Gateway, provider and clients are
 * three processes with at most 20,000 open files each. The clients open 200 connections at a time,
 * and send on none of them before all are open.
 */
class ManyStreamsBench {
  private static final int STREAMS = Integer.getInteger("bench.streams", 9_500);
  private static final int TOGETHER = Integer.getInteger("bench.streams.together", 200);
  private static final int SECONDS = Integer.getInteger("bench.streams.seconds", 30);
  private static final int FILES = 20_000;
  private static final Results RESULTS = Results.of("many-streams");

  @TempDir private Path folder = Path.of("");

  @Test
  void ofOneAddress() throws Exception {
    try (MeasuredProcess provider =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx1g"), "mock", "--port", "0")) {
      provider.limitFiles(FILES);
      Path config = folder.resolve("bench.yaml");
      Files.writeString(config, config(provider.awaitLine("(http://[0-9.:]+)")));
      try (MeasuredProcess gateway =
          MeasuredProcess.start(
              folder.resolve("gateway.log"),
              List.of("-Xms1g", "-Xmx1g"),
              "serve",
              "--config",
              config.toString())) {
        gateway.limitFiles(FILES);
        measure(gateway);
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
        telemetry: { access_log: { format: none } }
        store: { url: embedded, data_dir: ./data }
        providers:
          bench: { type: openai, base_url: %s/v1, api_key: none }
        %s
        bootstrap: { organization: bench, credit: "1000.00" }
        models:
          bench/live:
            modality: chat
            price: { input: "0.15", output: "0.60" }
            routes: [{ provider: bench, model: "mock-chat?ttft=100ms&interval=2000ms&chunks=100000" }]
        """
        .formatted(AdminPort.PORT, upstream, PlainGateway.NO_LIMITS);
  }

  private static void measure(MeasuredProcess gateway) throws Exception {
    URI base = URI.create(gateway.awaitLine("Tollgate serves (\\S+)"));
    String key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
    var address = new InetSocketAddress(base.getHost(), base.getPort());
    try (var clients = new StreamClients(address, key, "bench/live")) {
      long start = System.nanoTime();
      clients.openInWindows(STREAMS, TOGETHER);
      long opened = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      new CountDownLatch(1).await(SECONDS, TimeUnit.SECONDS);
      double inFlight = gateway.metric(AdminPort.URL, "tollgate_requests_in_flight", "");
      double evicted = gateway.metric(AdminPort.URL, "tollgate_connections_evicted_total", "");
      double refused = gateway.metric(AdminPort.URL, "tollgate_connections_refused_total", "");
      report(gateway, clients, opened, inFlight);
      assertThat(clients.ended()).as("streams that ended").isZero();
      assertThat(inFlight).isEqualTo(STREAMS);
      assertThat(evicted + refused).as("connections closed for a bound").isZero();
    }
  }

  private static void report(
      MeasuredProcess gateway, StreamClients clients, long openedMillis, double inFlight)
      throws IOException {
    RESULTS.print(
        "%d streams of one address, %d connections at a time: open within %d ms, %.0f in flight after %d s, %d ended, %d MiB resident"
            .formatted(
                STREAMS,
                TOGETHER,
                openedMillis,
                inFlight,
                SECONDS,
                clients.ended(),
                gateway.residentKib() / 1024));
  }
}
