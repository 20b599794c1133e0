package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.mock.MockProfile;
import dev.tollgate.mock.MockProvider;
import dev.tollgate.server.acceptance.ConfigBuilder.Route;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stream of ten events over real sockets, cut after every byte of the provider's reply: no client
 * takes a part for the whole, none waits forever, and the ledger has the amount that the client
 * received. One cut in ten is tried at random; {@code -Dtollgate.cuts.one.in=1} tries all.
 */
@Tag("chaos")
@Execution(ExecutionMode.CONCURRENT)
class EverySocketCutIT {
  private static final int AT_ONCE = 96;
  private static final int ONE_IN = Integer.getInteger("tollgate.cuts.one.in", 10);
  private static final long SEED = Long.getLong("tollgate.seed", System.nanoTime());

  /** Ten events, with the role, the finish, the usage and the terminator. */
  private static final int CONTENTS = 6;

  private static final Duration STALL = Duration.ofMillis(400);
  private static final MockProvider MOCK =
      MockProvider.start(new MockProfile(Duration.ZERO, Duration.ZERO, CONTENTS, 1), 0);
  private static final String WHOLE = whole();
  private static final String USAGE = "\"stream_options\":{\"include_usage\":true},\"x_mock";
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final Map<String, Long> REPORTED = new ConcurrentHashMap<>();

  /**
   * Way in which a provider cuts the stream, and the error for a client that has content already.
   */
  enum Break {
    FIN("fault/cut-byte", "provider_disconnect"),
    RST("fault/cut-byte-rst", "stream_interrupted"),
    STALL("fault/stall-byte", "stream_interrupted");

    private final String fault;
    private final String code;

    Break(String fault, String code) {
      this.fault = fault;
      this.code = code;
    }
  }

  private static String whole() {
    String body = "{\"model\":\"mock-chat\",\"messages\":[]}";
    try (RawClient client = RawClient.connect(MOCK.port())) {
      String reply = client.post("/v1/chat/completions", body).readResponse().text();
      return Json.tree(reply).path("choices").path(0).path("message").path("content").asText();
    }
  }

  private static ConfigBuilder setup() {
    String stall = STALL.toMillis() + "ms";
    Map<String, String> clocks =
        Map.of("response_header", stall, "first_token", stall, "idle", stall);
    return SharedNode.setup()
        .openAi("healthy", MOCK.baseUrl(), "k")
        .provider("cuts", provider(Map.of()))
        .provider("stalls", provider(clocks))
        .model("cut/FIN", new Route("cuts", "asked"), new Route("healthy", "mock-chat"))
        .model("cut/RST", new Route("cuts", "asked"), new Route("healthy", "mock-chat"))
        .model("cut/STALL", new Route("stalls", "asked"), new Route("healthy", "mock-chat"));
  }

  private static Map<String, ?> provider(Map<String, String> clocks) {
    Map<String, Object> settings = new HashMap<>();
    settings.put("type", "openai");
    settings.put("base_url", MOCK.baseUrl());
    settings.put("api_key", "k");
    settings.put("circuit", Map.of("failures", 1_000, "window", "1s"));
    settings.put("timeouts", clocks);
    return settings;
  }

  @AfterAll
  static void theLedgerHasWhatClientsReceived() throws Exception {
    NODE.admin().awaitNoRequests();
    LedgerDatabase.of(SharedNode.node().home()).awaitAll(REPORTED);
    NODE.close();
    MOCK.close();
  }

  /** Results of the cuts. */
  private static final class Tally {
    private int whole;
    private int rescued;
    private int failed;

    @Override
    public String toString() {
      return whole + " whole, " + rescued + " by the other provider, " + failed + " with an error";
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPartIsNeverTakenForTheWhole(Break how) throws Exception {
    int bytes = replyBytes(body(how, Integer.MAX_VALUE / 10_000));
    Map<Integer, Future<ObservedRequest>> replies = new TreeMap<>();
    Semaphore places = new Semaphore(AT_ONCE);
    long beganNanos = System.nanoTime();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int cut : cuts(bytes)) {
        String body = body(how, cut);
        places.acquire();
        replies.put(cut, clients.submit(() -> ObservedRequest.posted(NODE, body, places)));
      }
    }
    Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
    Tally tally = new Tally();
    for (var each : replies.entrySet()) {
      try {
        judge(how, each.getValue().get(), tally);
      } catch (AssertionError | ExecutionException e) {
        throw new AssertionError(
            "cut at %d by %s, -Dtollgate.seed=%d: %s".formatted(each.getKey(), how, SEED, e), e);
      }
    }
    assertThat(tally.whole).as(tally.toString()).isPositive();
    assertThat(tally.rescued).as(tally.toString()).isPositive();
    assertThat(tally.failed).as(tally.toString()).isGreaterThan(replies.size() / 3);
    RecordedFigures.keep(
        "every-socket-cut-" + how,
        "%d cuts, seed %d: %s, in %s".formatted(replies.size(), SEED, tally, took));
  }

  private static List<Integer> cuts(int bytes) {
    Random random = new Random(SEED);
    return IntStream.range(0, bytes).filter(cut -> random.nextInt(ONE_IN) == 0).boxed().toList();
  }

  private static void judge(Break how, ObservedRequest seen, Tally tally) {
    if (seen.errorCode().isEmpty()) {
      seen.requireServed(true, CONTENTS);
      assertThat(seen.content()).isEqualTo(WHOLE);
      boolean rescued = seen.header("x-llm-provider").equals("healthy");
      tally.rescued += rescued ? 1 : 0;
      tally.whole += rescued ? 0 : 1;
    } else {
      assertThat(WHOLE).startsWith(seen.content());
      seen.requireBroken(how.code, seen.contents());
      tally.failed++;
    }
    if (seen.costMicro() > 0) {
      REPORTED.put(seen.header("x-request-id"), seen.costMicro());
    }
  }

  private static String body(Break how, int cut) {
    return """
    {"model":"cut/%s","stream":true,"x_mock":"%s:%d","messages":[{"role":"user","content":"Hi."}]}\
    """
        .formatted(how, how.fault, cut);
  }

  /** Returns the size of the whole reply, requested from the provider as the gateway would. */
  private static int replyBytes(String body) {
    String asked = body.replaceFirst("cut/[A-Z]+", "asked").replaceFirst("\"x_mock", USAGE);
    try (RawClient client = RawClient.connect(MOCK.port())) {
      return client.post("/v1/chat/completions", asked).readResponse().rawText().length();
    }
  }
}
