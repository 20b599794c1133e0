package dev.tollgate.server.wiring;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.postgres.ReadyCluster;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.SettingsLoader;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The whole gateway in this process, started from a file, with clients of both listeners. */
public final class TestGateway implements AutoCloseable {
  public static final String CHAT_MODEL =
      """
      providers:
        mock: { type: mock, ttft: 0ms, chunk_interval: 0ms, chunks: 4 }
      models:
        test/chat:
          modality: chat
          price: free
          routes: [ { provider: mock, model: chat } ]
      """;

  static final String CONFIGURATION =
      """
      version: 1
      listeners:
        api: { address: "127.0.0.1:0" }
        control: { address: null }
        admin: { address: "127.0.0.1:0" }
      server: { event_loops: 1, shutdown: { delay: 0s, timeout: 2s } }
      store: { url: embedded, data_dir: ./data }
      """
          + CHAT_MODEL;

  private final Path file;
  private final Server server;
  private final StartupInfo greeting;

  private TestGateway(Path file, Server server, StartupInfo greeting) {
    this.file = file;
    this.server = server;
    this.greeting = greeting;
  }

  public static TestGateway start(Path folder, String yaml) throws Exception {
    Path file = Files.writeString(folder.resolve("tollgate.yaml"), yaml);
    if (!(load(file) instanceof LoadResult.Valid(var settings, var _))) {
      throw new AssertionError(load(file));
    }
    ReadyCluster.putInto(folder.resolve("data"));
    var server = new Server(settings, () -> load(file));
    try {
      if (!(server.start() instanceof Server.Start.Ready(StartupInfo greeting))) {
        throw new AssertionError("stopped unexpectedly");
      }
      return new TestGateway(file, server, greeting);
    } catch (StartException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private static LoadResult load(Path file) {
    var nothing = new ProcessEnvironment(Map.of(), ProcessEnvironment.current().files());
    return new SettingsLoader(nothing).load(file, List.of());
  }

  public Server server() {
    return server;
  }

  StartupInfo greeting() {
    return greeting;
  }

  public String key() {
    return Objects.requireNonNull(greeting.bootstrapKey());
  }

  void rewrite(String yaml) throws IOException {
    Files.writeString(file, yaml);
  }

  /** Opens a new connection to the API listener. */
  public RawClient connect() {
    return RawClient.connect(URI.create(greeting.baseUrl()).getPort());
  }

  /** Returns the port of the control plane's listener. */
  public int controlPort() {
    return URI.create(Objects.requireNonNull(greeting.controlUrl())).getPort();
  }

  RawResponse models() {
    try (var client = connect()) {
      return client.get("/v1/models", "Authorization: Bearer " + key()).readResponse();
    }
  }

  public RawResponse chat(String model) {
    try (var client = connect()) {
      return chat(client, model, false).readResponse();
    }
  }

  /** Sends a chat request; the caller reads the reply. */
  public RawClient chat(RawClient client, String model, boolean stream) {
    String body =
        """
        {"model":"%s","stream":%s,"messages":[{"role":"user","content":"Hello"}]}"""
            .formatted(model, stream);
    return client.post("/v1/chat/completions", body, "Authorization: Bearer " + key());
  }

  RawResponse adminGet(String path) {
    try (var client = RawClient.connect(server.adminAddress().getPort())) {
      return client.get(path).readResponse();
    }
  }

  RawResponse adminPost(String path) {
    try (var client = RawClient.connect(server.adminAddress().getPort())) {
      return client.post(path, "").readResponse();
    }
  }

  /** Returns a metric's value by its name with labels; null if there is no such line. */
  @Nullable
  public String metric(String name) {
    return adminGet("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .findFirst()
        .orElse(null);
  }

  @Override
  public void close() {
    server.close();
  }
}
