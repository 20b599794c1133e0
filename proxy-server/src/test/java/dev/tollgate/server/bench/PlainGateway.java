package dev.tollgate.server.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A gateway under measurement that is asked for plain replies, or with {@code bench.events} for
 * streams of so many events, one each 5 ms, with its clients.
 */
final class PlainGateway implements AutoCloseable {
  /** The section of the configuration that switches the limits off. */
  static final String NO_LIMITS =
      "limits: { global: { requests_per_second: 0 },"
          + " org: { requests_per_second: 0, requests_per_minute: 0 },"
          + " key: { requests_per_second: 0, requests_per_minute: 0, concurrency: 0 } }";

  /** Events of a stream; 0 for plain replies. */
  static final int EVENTS = Integer.getInteger("bench.events", 0);

  private static final String MODEL =
      EVENTS == 0
          ? "mock-chat?ttft=0ms&interval=0ms&chunks=32"
          : "mock-chat?ttft=0ms&interval=5ms&chunks=" + EVENTS;

  private final String upstream;
  private final MeasuredProcess process;
  private final InetSocketAddress address;
  private final String key;
  private final int clients;
  private int refused;
  private Map<String, Double> marked = Map.of();
  private Duration markedCpu = Duration.ZERO;

  private PlainGateway(String upstream, MeasuredProcess process, int clients) throws IOException {
    this.upstream = upstream;
    this.process = process;
    this.clients = clients;
    URI base = URI.create(process.awaitLine("Tollgate serves (\\S+)"));
    this.address = new InetSocketAddress(base.getHost(), base.getPort());
    this.key = process.awaitLine("(sk-llm-[A-Za-z0-9]+)");
  }

  /**
   * Starts a build.
   *
   * @param upstream address of the mock provider
   * @param limits a section of the configuration
   */
  static PlainGateway start(Path lib, Path home, String upstream, String limits, int clients)
      throws IOException {
    return started(lib, home, upstream, config(upstream, freePort(), limits, 1), clients);
  }

  /** Starts the present build without limits, with so many providers for its model. */
  static PlainGateway start(Path home, String upstream, int candidates, int clients)
      throws IOException {
    String config = config(upstream, freePort(), NO_LIMITS, candidates);
    return started(MeasuredProcess.LIB, home, upstream, config, clients);
  }

  private static PlainGateway started(
      Path lib, Path home, String upstream, String text, int clients) throws IOException {
    Path config = home.resolve("bench.yaml");
    Files.writeString(config, text);
    List<String> flags = List.of("-Xms512m", "-Xmx512m");
    Path log = home.resolve("gateway.log");
    MeasuredProcess process =
        MeasuredProcess.start(lib, log, flags, "serve", "--config", config.toString());
    try {
      return new PlainGateway(upstream, process, clients);
    } catch (IOException e) {
      process.close();
      throw e;
    }
  }

  /** The address of its provider. */
  String upstream() {
    return upstream;
  }

  /** Microseconds of CPU for each request of a round. */
  double round(int requests) throws InterruptedException {
    try (var asking = new PlainClients(address, key, "bench/plain", EVENTS > 0, clients)) {
      Duration start = process.cpu();
      asking.ask(requests);
      refused += asking.refused();
      return process.cpu().minus(start).toNanos() / 1e3 / requests;
    }
  }

  /** The rounds that count begin. */
  void mark() throws IOException, InterruptedException {
    marked = process.cpuByThread();
    markedCpu = process.cpu();
  }

  /**
   * Microseconds of CPU a request since then, with what the process does behind its replies and
   * between its rounds.
   */
  double whole(int requests) {
    return process.cpu().minus(markedCpu).toNanos() / 1e3 / requests;
  }

  /** Microseconds a request of the threads that used most since then. */
  String share(int requests) throws IOException, InterruptedException {
    Map<String, Double> spent = process.cpuByThread();
    marked.forEach((thread, millis) -> spent.merge(thread, -millis, Double::sum));
    return spent.entrySet().stream()
        .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .limit(8)
        .map(
            each ->
                String.format(
                    Locale.ROOT, "%s %.1f us", each.getKey(), each.getValue() * 1e3 / requests))
        .collect(Collectors.joining(", "));
  }

  int refused() {
    return refused;
  }

  @Override
  public void close() {
    process.close();
  }

  private static String config(String upstream, int adminPort, String limits, int candidates) {
    StringBuilder providers = new StringBuilder();
    StringBuilder routes = new StringBuilder();
    for (int i = 1; i <= candidates; i++) {
      providers.append(
          "\n  bench%d: { type: openai, base_url: %s/v1, api_key: none }".formatted(i, upstream));
      routes.append(
          "\n      - { provider: bench%d, priority: %d, model: \"%s\" }".formatted(i, i, MODEL));
    }
    return """
    version: 1
    listeners:
      api: { address: 127.0.0.1:0 }
      control: { address: null }
      admin: { address: 127.0.0.1:%d }
    server: { shutdown: { delay: 0s } }
    telemetry: { access_log: { format: none } }
    store: { url: embedded, data_dir: ./data }
    providers:%s
    %s
    bootstrap: { organization: bench, credit: "1000000.00" }
    models:
      bench/plain:
        modality: chat
        price: { input: "0.15", output: "0.60" }
        routes:%s
    """
        .formatted(adminPort, providers, limits, routes);
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
