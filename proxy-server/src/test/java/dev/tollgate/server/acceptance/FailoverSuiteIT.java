package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.server.acceptance.FailoverObservation.ReceivedReply;
import dev.tollgate.server.acceptance.FailoverProvider.Asked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The scenarios of the public failoverbench against the real program: each request is rescued,
 * every check of the bench holds, and the ledger has one charge at the price of the provider that
 * served. Times are shorter than the bench's; the profile soak has the full ones.
 */
@Tag("chaos")
@Isolated
class FailoverSuiteIT {
  static final String FALLBACK = "suite/" + FailoverProvider.HEALTHY;

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final FailoverClocks CLOCKS = FailoverClocks.ofThisRun();
  private static final FailoverProvider WALL = new FailoverProvider(CLOCKS);
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final LedgerDatabase BOOKS = LedgerDatabase.of(SharedNode.node().home());

  private static ConfigBuilder setup() {
    ConfigBuilder setup =
        SharedNode.setup()
            .provider("fallback", provider("message"))
            .provider("fallback-without-prefill", provider("none"))
            .model(FALLBACK, model("fallback", FailoverProvider.HEALTHY, 400_000, "10", "20"))
            .model(
                "suite/" + FailoverProvider.NO_PREFILL,
                model(
                    "fallback-without-prefill", FailoverProvider.NO_PREFILL, 400_000, "10", "20"));
    for (FailoverScenario scenario : FailoverScenario.values()) {
      setup
          .provider(scenario.id(), provider("none"))
          .model("suite/" + scenario.id(), model(scenario.id(), scenario.id(), 8_192, "1", "2"));
    }
    return setup;
  }

  /** The default circuit. */
  private static Map<String, ?> provider(String prefill) {
    return Map.of(
        "type",
        "openai",
        "base_url",
        WALL.baseUrl(),
        "api_key",
        "any",
        "timeouts",
        CLOCKS.configured(),
        "quirks",
        Map.of("prefill", prefill),
        "circuit",
        Map.of("failures", 5));
  }

  private static Map<String, ?> model(
      String provider, String upstreamModel, int context, String input, String output) {
    return Map.of(
        "modality",
        "chat",
        "context_length",
        context,
        "price",
        Map.of("input", input, "output", output),
        "routes",
        List.of(Map.of("provider", provider, "model", upstreamModel)));
  }

  @AfterAll
  static void stop() {
    NODE.admin().awaitIdle();
    NODE.close();
    WALL.close();
  }

  /** A healthy request first, so that each scenario meets a used connection. */
  @BeforeEach
  void begin() {
    requireAlive();
    WALL.reset();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "S15")
  void isRescued(FailoverScenario scenario) throws Exception {
    ReceivedReply reply = ask(scenario);

    FailoverObservation seen =
        new FailoverObservation(
            reply, WALL.asked(scenario.id()), WALL.asked(scenario.fallback()), CLOCKS);
    assertThat(seen.reply()).is(scenario.isToBeAnswered() ? answered() : refused());
    for (FailoverScenario.Check check : scenario.checks()) {
      assertThat(check.holds().test(seen)).as("%s: %s", check.name(), seen).isTrue();
    }
    assertThat(tries(scenario, reply)).isEqualTo(scenario.tries());
    assertThat(sends(reply)).isEqualTo(seen.atPrimary().size() + seen.atFallback().size());
    assertThat(reply.reason())
        .startsWith("strategy=priority selected=" + selected(scenario, reply) + " priority=1 ");
    requireOneCharge(scenario, reply);
    requireAlive();
  }

  /** One provider is down for a while: no client sees it, and it is used again afterwards. */
  @Test
  void s15() throws Exception {
    FailoverScenario scenario = FailoverScenario.S15;
    List<ReceivedReply> all = askRegularly(scenario);

    assertThat(all).are(answered());
    List<Asked> atPrimary = WALL.asked(scenario.id());
    long recoveredNanos =
        atPrimary.stream().filter(Asked::answered).findFirst().orElseThrow().atNanos();
    assertThat(Duration.ofNanos(recoveredNanos - WALL.outageEndsNanos()))
        .isBetween(Duration.ZERO, Duration.ofSeconds(30));
    long duringOutage = CLOCKS.outage().dividedBy(CLOCKS.interval());
    assertThat(atPrimary.stream().filter(each -> !each.answered()).count())
        .as("tries at the primary while it was away")
        .isLessThanOrEqualTo(duringOutage);
    for (ReceivedReply reply : all) {
      requireOneCharge(scenario, reply);
    }
    requireAlive();
  }

  private static ReceivedReply ask(FailoverScenario scenario) {
    String body =
        """
        {"model":"suite/%s","stream":true,"stream_options":{"include_usage":true},\
        "messages":[{"role":"user","content":"Say sixty words."}],\
        "routing":{"models":["suite/%s"],"resume":"auto"}}\
        """
            .formatted(scenario.id(), scenario.fallback());
    return ReceivedReply.ask(NODE, body, CLOCKS.silence());
  }

  private static List<ReceivedReply> askRegularly(FailoverScenario scenario) throws Exception {
    List<ScheduledFuture<ReceivedReply>> asking = new ArrayList<>();
    try (ScheduledExecutorService clock = Executors.newScheduledThreadPool(1)) {
      for (int i = 0; i < CLOCKS.requests(); i++) {
        long atMillis = CLOCKS.interval().multipliedBy(i).toMillis();
        asking.add(clock.schedule(() -> ask(scenario), atMillis, TimeUnit.MILLISECONDS));
      }
      List<ReceivedReply> all = new ArrayList<>();
      for (ScheduledFuture<ReceivedReply> each : asking) {
        all.add(each.get());
      }
      return all;
    }
  }

  private static Condition<ReceivedReply> answered() {
    return new Condition<>(ReceivedReply::isWholeAnswer, "the whole answer");
  }

  private static Condition<ReceivedReply> refused() {
    return new Condition<>(
        reply -> reply.status() == 400 && reply.error().equals("validation_failed"), "a clean 400");
  }

  /** A healthy request through the same program, as the bench sends one after each scenario. */
  private static void requireAlive() {
    assertThat(ChatRequests.ask(NODE, FALLBACK).text())
        .contains(Json.escaped(FailoverProvider.ANSWER));
  }

  // Recorded values

  private static List<String> tries(FailoverScenario scenario, ReceivedReply reply)
      throws Exception {
    JsonNode row = awaitRow(reply.requestId());
    assertThat(row.path("outcome").asText())
        .isIn(
            scenario.isToBeAnswered()
                ? List.of("ok", "ok_estimated")
                : List.of("provider_rejected"));
    return StreamSupport.stream(row.path("attempts").spliterator(), false)
        .map(
            each ->
                (each.path("provider").asText().equals(scenario.id()) ? "primary " : "fallback ")
                    + each.path("outcome").asText()
                    + (each.has("resume") ? " by " + each.path("resume").asText() : ""))
        .toList();
  }

  /** Returns how often the log says that a provider was sent the request. */
  private static int sends(ReceivedReply reply) throws Exception {
    return StreamSupport.stream(awaitRow(reply.requestId()).path("attempts").spliterator(), false)
        .mapToInt(each -> 1 + each.path("resent").asInt())
        .sum();
  }

  private static JsonNode awaitRow(String requestId) throws Exception {
    long began = System.nanoTime();
    List<String> rows = new ArrayList<>();
    while (rows.isEmpty()) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).as(requestId).isLessThan(SOON);
      BOOKS.query(
          "SELECT row FROM request_log WHERE request_id = '" + requestId + "'",
          row -> rows.add(row.getString(1)));
    }
    return Json.tree(rows.getFirst());
  }

  /**
   * The provider at the time of the response head: at the first content, or at a ping before it.
   */
  private static String selected(FailoverScenario scenario, ReceivedReply reply) {
    boolean headLeftBefore = scenario.isResumed() || reply.reason().contains(" committed=early");
    boolean fallback = scenario.tries().getLast().startsWith("fallback") && !headLeftBefore;
    return fallback ? "fallback" : scenario.id();
  }

  /** A failed attempt is free; one that delivered content and the one that served are charged. */
  private static void requireOneCharge(FailoverScenario scenario, ReceivedReply reply)
      throws Exception {
    if (!scenario.isToBeAnswered()) {
      return;
    }
    awaitRow(reply.requestId());
    List<Long> charges = new ArrayList<>();
    BOOKS.query(
        "SELECT cost_micro FROM settlement WHERE request_id = '" + reply.requestId() + "'",
        row -> charges.add(row.getLong(1)));
    assertThat(charges).containsExactly(reply.costMicro());
    boolean byFallback = reply.model().equals("suite/" + scenario.fallback());
    long own = FailoverProvider.PROMPT_TOKENS + 2L * FailoverProvider.ANSWER_TOKENS;
    if (!scenario.isResumed()) {
      assertThat(reply.costMicro()).isEqualTo(byFallback ? 10 * own : own);
    }
  }
}
