package dev.tollgate.server.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A gateway under measurement with one model of any modality and no limits. */
final class SingleModelGateway implements AutoCloseable {
  static final String NAME = "bench/model";

  private final MeasuredProcess process;
  private final InetSocketAddress address;
  private final String key;
  private final String adminUrl;

  private SingleModelGateway(MeasuredProcess process, String adminUrl) throws IOException {
    this.process = process;
    this.adminUrl = adminUrl;
    URI base = URI.create(process.awaitLine("Tollgate serves (\\S+)"));
    this.address = new InetSocketAddress(base.getHost(), base.getPort());
    this.key = process.awaitLine("(sk-llm-[A-Za-z0-9]+)");
  }

  /**
   * Starts it.
   *
   * @param upstream address of the mock provider
   * @param model two lines of the configuration: modality and price
   * @param route the mock provider's model
   */
  static SingleModelGateway start(Path home, String upstream, String model, String route)
      throws IOException {
    int adminPort = freePort();
    Path config = home.resolve("bench.yaml");
    Files.writeString(
        config,
        """
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
        bootstrap: { organization: bench, credit: "1000000.00" }
        models:
          %s:
            %s
            routes: [{ provider: bench, model: "%s" }]
        """
            .formatted(adminPort, upstream, PlainGateway.NO_LIMITS, NAME, model, route));
    List<String> flags = List.of("-Xms512m", "-Xmx512m");
    MeasuredProcess process =
        MeasuredProcess.start(
            home.resolve("gateway.log"), flags, "serve", "--config", config.toString());
    try {
      return new SingleModelGateway(process, "http://127.0.0.1:" + adminPort);
    } catch (IOException e) {
      process.close();
      throw e;
    }
  }

  MeasuredProcess process() {
    return process;
  }

  InetSocketAddress address() {
    return address;
  }

  String key() {
    return key;
  }

  /** The sum of a metric's samples whose line holds {@code label}. */
  double metric(String name, String label) throws IOException, InterruptedException {
    return process.metric(adminUrl, name, label);
  }

  @Override
  public void close() {
    process.close();
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
