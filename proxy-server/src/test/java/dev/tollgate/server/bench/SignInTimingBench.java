package dev.tollgate.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whether the time of a failed sign-in tells if the address has an account, and what a flood of
 * sign-ins costs the gateway in memory and the API's clients in time.
 */
class SignInTimingBench {
  private static final int TRIES = Integer.getInteger("bench.tries", 200);
  private static final int FLOOD = Integer.getInteger("bench.flood", 200);
  private static final Duration FLOODED =
      Duration.ofSeconds(Integer.getInteger("bench.seconds", 10));

  /** Of one account, fewer than what its owner is warned of. */
  private static final int TRIES_OF_ACCOUNT = 5;

  /** A part of what Retry-After asks for. */
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(200);

  private static final long SAMPLE_MILLIS = 5;
  private static final Results RESULTS = Results.of("sign-in");
  private static final String CONFIGURATION =
      """
      version: 1
      listeners:
        api: { address: "127.0.0.1:0" }
        control: { address: "127.0.0.1:0", trusted_proxies: [127.0.0.1/32] }
        admin: { address: "127.0.0.1:%d" }
      server: { shutdown: { delay: 0s } }
      telemetry: { access_log: { format: none } }
      store: { url: embedded, data_dir: ./data }
      control_plane: { signup: open }
      providers:
        mock: { type: openai, base_url: %s/v1, api_key: none }
      bootstrap: { organization: bench, credit: "1000000.00" }
      models:
        bench/chat:
          modality: chat
          price: free
          routes: [ { provider: mock, model: "mock-chat?ttft=50ms&interval=0ms&chunks=4" } ]
      """
          + PlainGateway.NO_LIMITS
          + "\n";

  @TempDir private Path folder = Path.of("");
  private MeasuredProcess mock;
  private MeasuredProcess gateway;
  private int apiPort;
  private int controlPort;
  private String key = "";
  private int calls;

  @BeforeEach
  void start() throws Exception {
    mock =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0");
    Path config =
        Files.writeString(
            folder.resolve("bench.yaml"),
            CONFIGURATION.formatted(AdminPort.PORT, mock.awaitLine("(http://[0-9.:]+)")));
    gateway =
        MeasuredProcess.start(
            folder.resolve("gateway.log"),
            List.of("-Xmx512m"),
            "serve",
            "--config",
            config.toString());
    apiPort = URI.create(gateway.awaitLine("Tollgate serves (\\S+)")).getPort();
    key = gateway.awaitLine("(sk-llm-[A-Za-z0-9]+)");
    controlPort = URI.create(gateway.awaitLine("dashboard\\s+(\\S+)")).getPort();
  }

  @AfterEach
  void stop() {
    gateway.close();
    mock.close();
  }

  @Test
  void theTimeDoesNotTellWhoHasAnAccount() throws Exception {
    int accounts = TRIES / TRIES_OF_ACCOUNT;
    for (int i = 0; i < accounts; i++) {
      String body =
          "{\"email\":\"%s\",\"password\":\"correct horse 9 battery\",\"name\":\"N\"}"
              .formatted(address("known", i));
      assertThat(post("/api/v1/auth/sign-up", body).status()).isEqualTo(202);
    }
    for (int i = 0; i < TRIES; i++) {
      signIn(address("warm-up", i));
    }
    List<Double> known = new ArrayList<>();
    List<Double> unknown = new ArrayList<>();
    List<String> bodies = new ArrayList<>();
    for (int i = 0; i < TRIES; i++) {
      // In turns, and each first as often as the other.
      for (boolean isKnown : i % 2 == 0 ? List.of(true, false) : List.of(false, true)) {
        String email = address(isKnown ? "known" : "other", i % accounts);
        long begunNanos = System.nanoTime();
        RawResponse response = signIn(email);
        (isKnown ? known : unknown).add((System.nanoTime() - begunNanos) / 1e6);
        assertThat(response.status()).as(response.text()).isEqualTo(401);
        bodies.add(response.text().replaceAll("req_[A-Za-z0-9_-]+", "req"));
      }
    }
    double ratio = Results.median(known) / Results.median(unknown);
    double slower = shareOfSlower(known, unknown);
    RESULTS.print("known accounts:    " + distribution(known));
    RESULTS.print("unknown addresses: " + distribution(unknown));
    RESULTS.print(
        String.format(
            Locale.ROOT,
            "ratio of the medians %.3f; a known one is slower in %.1f %% of all pairs",
            ratio,
            slower * 100));
    assertThat(bodies).containsOnly(bodies.getFirst());
    assertThat(ratio).isBetween(0.95, 1.05);
    assertThat(slower).isBetween(0.4, 0.6);
  }

  /** Returns how often one of the first is slower than one of the others; equal ones overlap. */
  private static double shareOfSlower(List<Double> first, List<Double> others) {
    long slower =
        first.stream()
            .mapToLong(each -> others.stream().filter(other -> each > other).count())
            .sum();
    return slower / (double) first.size() / others.size();
  }

  private static String distribution(List<Double> millis) {
    return String.format(
        Locale.ROOT,
        "min %.2f, p10 %.2f, p25 %.2f, median %.2f, p75 %.2f, p90 %.2f, p99 %.2f ms (%d)",
        Results.percentile(millis, 0),
        Results.percentile(millis, 10),
        Results.percentile(millis, 25),
        Results.median(millis),
        Results.percentile(millis, 75),
        Results.percentile(millis, 90),
        Results.percentile(millis, 99),
        millis.size());
  }

  @Test
  void aFloodOfSignInsCostsLittle() throws Exception {
    for (int i = 0; i < FLOOD; i++) {
      signIn(address("warm-up", i));
    }
    try (var probes = new LatencyProbes(apiPort, key, "bench/chat", 200)) {
      pause(FLOODED);
      probes.take();
      pause(FLOODED);
      List<Double> quiet = millis(probes.take());
      long before = gateway.residentKib();
      var memory = new MemorySampler();
      Map<Integer, Integer> answers = flood();
      List<Double> flooded = millis(probes.take());
      long more = memory.most() - before;
      double ratio = Results.median(flooded) / Results.median(quiet);
      RESULTS.print("/v1 alone:   " + distribution(quiet));
      RESULTS.print("/v1 flooded: " + distribution(flooded));
      RESULTS.print(
          String.format(
              Locale.ROOT,
              "%d sign-ins at once for %d s, by status %s: resident memory %d MiB, %d MiB more at"
                  + " most, ratio of /v1's medians %.3f",
              FLOOD,
              FLOODED.toSeconds(),
              answers,
              before / 1024,
              more / 1024,
              ratio));
      assertThat(answers.keySet()).isSubsetOf(401, 429, 503);
      assertThat(probes.broken()).isZero();
      assertThat(more).as("KiB").isLessThanOrEqualTo(150 * 1024);
      assertThat(ratio).isLessThanOrEqualTo(1.1);
    }
  }

  private static void pause(Duration length) throws InterruptedException {
    var _ = new CountDownLatch(1).await(length.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static List<Double> millis(List<Long> nanos) {
    return nanos.stream().map(each -> each / 1e6).toList();
  }

  /** Signs in with as many clients at once, again and again; returns the answers by status. */
  private Map<Integer, Integer> flood() throws Exception {
    long endNanos = System.nanoTime() + FLOODED.toNanos();
    Map<Integer, Integer> answers = new TreeMap<>();
    List<Future<Map<Integer, Integer>>> clients = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < FLOOD; i++) {
        int client = i;
        clients.add(threads.submit(() -> signInUntil(endNanos, client)));
      }
      for (Future<Map<Integer, Integer>> each : clients) {
        each.get().forEach((status, count) -> answers.merge(status, count, Integer::sum));
      }
    }
    return answers;
  }

  /** A client of its own network for each try, so that no limit of addresses spares the hashing. */
  private Map<Integer, Integer> signInUntil(long endNanos, int client) throws Exception {
    Map<Integer, Integer> answers = new TreeMap<>();
    for (int n = 0; System.nanoTime() < endNanos; n++) {
      RawResponse response =
          send(
              "/api/v1/auth/sign-in",
              body(address("flood" + client, n)),
              "10.%d.%d.%d".formatted(client + 1, n / 250 % 250, n % 250 + 1));
      answers.merge(response.status(), 1, Integer::sum);
      if (response.status() != 401) {
        pause(BETWEEN_TRIES);
      }
    }
    return answers;
  }

  private static String address(String name, int number) {
    return name + number + "@example.com";
  }

  private static String body(String email) {
    return "{\"email\":\"%s\",\"password\":\"wrong horse 9 battery\"}".formatted(email);
  }

  private RawResponse signIn(String email) {
    return post("/api/v1/auth/sign-in", body(email));
  }

  /** Each call comes from another network. */
  private RawResponse post(String path, String body) {
    calls++;
    return send(path, body, "172.%d.%d.1".formatted(16 + calls / 250, calls % 250));
  }

  private RawResponse send(String path, String body, String client) {
    String request =
        """
        POST %s HTTP/1.1\r
        Host: localhost\r
        X-Requested-With: bench\r
        X-Forwarded-For: %s\r
        Content-Type: application/json\r
        Content-Length: %d\r
        \r
        %s"""
            .formatted(path, client, body.length(), body);
    try (RawClient to = RawClient.connect(controlPort).within(Duration.ofSeconds(30))) {
      return to.send(request).readResponse();
    }
  }

  /** Resident memory of the gateway while it is flooded. */
  private final class MemorySampler {
    private final CountDownLatch ending = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().daemon().start(this::sample);
    private volatile long mostKib;

    private void sample() {
      try {
        while (!ending.await(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
          mostKib = Math.max(mostKib, gateway.residentKib());
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    long most() throws InterruptedException {
      ending.countDown();
      thread.join();
      return mostKib;
    }
  }
}
