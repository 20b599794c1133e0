package dev.tollgate.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The built gateway and, as a process of its own, the bundled mock provider, on free loopback ports
 * and in a temporary folder. Both end before this JVM.
 */
final class OwnGateway implements Subject {
  private static final Path CONFIG = Path.of("gateway.yaml").toAbsolutePath();
  private static final Duration ANSWER = Duration.ofSeconds(20);
  private static final Pattern MOCK = Pattern.compile("(http://\\S+)");
  private static final Pattern SERVES = Pattern.compile("Tollgate serves (\\S+)");
  private static final Pattern KEY = Pattern.compile("(sk-llm-[0-9A-Za-z]+)");

  private final Path folder;
  private final Map<String, String> environment;
  private final List<String> settings;
  private final Child mock;
  private final Child gateway;
  private final String adminUrl;
  private final String url;
  private final String key;

  private OwnGateway(Path folder, List<String> settings) {
    this.folder = folder;
    this.settings = settings;
    int adminPort = freePort();
    this.adminUrl = "http://127.0.0.1:" + adminPort;
    this.mock = Child.start(folder.resolve("mock.log"), Map.of(), List.of("mock", "--port", "0"));
    this.environment =
        Map.of(
            "LOADTEST_MOCK",
            mock.await(MOCK),
            "LOADTEST_ADMIN_PORT",
            Integer.toString(adminPort),
            "LOADTEST_DATA",
            folder.resolve("data").toString());
    this.gateway = Child.start(folder.resolve("gateway.log"), environment, verb("serve"));
    this.url = gateway.await(SERVES);
    this.key = gateway.await(KEY);
  }

  static OwnGateway start(List<String> settings) {
    try {
      return new OwnGateway(Files.createTempDirectory("tollgate-loadtest"), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String url() {
    return url;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public Optional<String> adminUrl() {
    return Optional.of(adminUrl);
  }

  @Override
  public boolean ledgerAddsUp() {
    try (Child audit =
        Child.start(folder.resolve("audit.log"), environment, verb("ledger", "audit"))) {
      return audit.awaitExit() == 0;
    }
  }

  @Override
  public OptionalDouble liveHeapBytes() {
    gateway.collectGarbage();
    // Without a timeout such a query once blocked a soak from its first quarter to its end.
    try (HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER).build()) {
      String metrics =
          http.send(
                  HttpRequest.newBuilder(URI.create(adminUrl + "/metrics")).timeout(ANSWER).build(),
                  BodyHandlers.ofString())
              .body();
      return OptionalDouble.of(Metrics.sum(metrics, "jvm_memory_pool_collection_used_bytes\\{.*}"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns a command with this configuration. */
  private List<String> verb(String... words) {
    List<String> arguments = new ArrayList<>(List.of(words));
    arguments.addAll(List.of("--config", CONFIG.toString()));
    settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
    return arguments;
  }

  @Override
  public void close() {
    gateway.close();
    mock.close();
    killPostmaster();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A gateway that had to be killed leaves its PostgreSQL running. */
  private void killPostmaster() {
    Path file = folder.resolve("data/postgres/cluster/postmaster.pid");
    try {
      if (Files.exists(file)) {
        long pid = Long.parseLong(Files.readAllLines(file).getFirst().strip());
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
