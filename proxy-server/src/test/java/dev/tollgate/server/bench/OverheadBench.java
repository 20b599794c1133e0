package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CPU time of the gateway's process for a plain chat request, beside another build of it whose jars
 * are in {@code bench.baseline}: both run at once, loaded in turn, so that what else the machine
 * does falls on both. Without a baseline the present build is measured twice, which shows the
 * noise.
 */
class OverheadBench {
  private static final int ROUNDS = Integer.getInteger("bench.rounds", 12);
  private static final int REQUESTS = Integer.getInteger("bench.requests", 20_000);
  private static final int WARM_UP = Integer.getInteger("bench.warmup", 4);
  private static final int CLIENTS = Integer.getInteger("bench.clients", 16);
  private static final Path RESULTS = Path.of("target/bench/overhead.txt");

  @TempDir private Path folder = Path.of("");

  @Test
  void microsecondsPerRequest() throws Exception {
    Path baseline = Path.of(System.getProperty("bench.baseline", Subject.LIB.toString()));
    try (Subject mock =
            Subject.start(folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
        Gateway before = new Gateway(baseline, "before", mock);
        Gateway now = new Gateway(Subject.LIB, "now", new Upstream(before.upstream))) {
      List<Double> differences = new ArrayList<>();
      for (int round = 0; round < WARM_UP; round++) {
        before.round();
        now.round();
      }
      before.mark();
      now.mark();
      for (int round = 0; round < ROUNDS; round++) {
        double a = before.round();
        double b = now.round();
        differences.add(b - a);
        print(String.format(Locale.ROOT, "round %d: before %.1f us, now %.1f us", round, a, b));
      }
      print("before, by thread: " + before.share());
      print("now, by thread: " + now.share());
      differences.sort(null);
      double median = differences.get(differences.size() / 2);
      print(
          String.format(
              Locale.ROOT,
              "now needs %.1f us of CPU more per plain request than before (median of %d rounds of %d"
                  + " requests)",
              median,
              ROUNDS,
              REQUESTS));
      assertThat(before.refused() + now.refused()).as("requests that were refused").isZero();
    }
  }

  private record Upstream(String address) {}

  /** One build of the gateway with its clients. */
  private final class Gateway implements AutoCloseable {
    private final String upstream;
    private final Subject subject;
    private final InetSocketAddress address;
    private final String key;
    private int refused;
    private Map<String, Double> marked = Map.of();

    Gateway(Path lib, String name, Subject mock) throws Exception {
      this(lib, name, new Upstream(mock.awaitLine("(http://[0-9.:]+)")));
    }

    Gateway(Path lib, String name, Upstream mock) throws Exception {
      upstream = mock.address();
      Path home = Files.createDirectory(folder.resolve(name));
      Path config = home.resolve("bench.yaml");
      Files.writeString(config, config(upstream, freePort()));
      subject =
          Subject.start(
              lib,
              home.resolve("gateway.log"),
              List.of("-Xms512m", "-Xmx512m"),
              "serve",
              "--config",
              config.toString());
      URI base = URI.create(subject.awaitLine("Tollgate serves (\\S+)"));
      address = new InetSocketAddress(base.getHost(), base.getPort());
      key = subject.awaitLine("(sk-llm-[A-Za-z0-9]+)");
    }

    /** Microseconds of CPU for each request of a round. */
    double round() throws InterruptedException {
      try (var clients = new PlainClients(address, key, "bench/plain", CLIENTS)) {
        Duration start = subject.cpu();
        clients.ask(REQUESTS);
        refused += clients.refused();
        return subject.cpu().minus(start).toNanos() / 1e3 / REQUESTS;
      }
    }

    /** The rounds that count begin. */
    void mark() throws Exception {
      marked = subject.cpuByThread();
    }

    /** Microseconds a request of the threads that used most since then. */
    String share() throws Exception {
      Map<String, Double> spent = subject.cpuByThread();
      marked.forEach((thread, millis) -> spent.merge(thread, -millis, Double::sum));
      return spent.entrySet().stream()
          .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
          .limit(8)
          .map(
              each ->
                  String.format(
                      Locale.ROOT,
                      "%s %.1f us",
                      each.getKey(),
                      each.getValue() * 1e3 / ROUNDS / REQUESTS))
          .collect(Collectors.joining(", "));
    }

    int refused() {
      return refused;
    }

    @Override
    public void close() {
      subject.close();
    }
  }

  private static String config(String upstream, int adminPort) {
    return """
    version: 1
    listeners:
      api: { address: 127.0.0.1:0 }
      control: { address: null }
      admin: { address: 127.0.0.1:%d }
    server: { shutdown: { delay: 0s } }
    telemetry: { access_log: { format: none } }
    store: { url: embedded, data_dir: ./data }
    providers:
      bench: { type: openai, base_url: %s/v1, api_key: none }
    limits: { global: { requests_per_second: 0 }, org: { requests_per_second: 0, requests_per_minute: 0 }, key: { requests_per_second: 0, requests_per_minute: 0, concurrency: 0 } }
    bootstrap: { organization: bench, credit: "1000000.00" }
    models:
      bench/plain:
        modality: chat
        price: { input: "0.15", output: "0.60" }
        routes: [{ provider: bench, model: "mock-chat?ttft=0ms&interval=0ms&chunks=32" }]
    """
        .formatted(adminPort, upstream);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void print(String line) throws IOException {
    Files.createDirectories(RESULTS.getParent());
    Files.writeString(RESULTS, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
