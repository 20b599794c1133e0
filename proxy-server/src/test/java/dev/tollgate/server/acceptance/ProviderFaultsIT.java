package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.CapturedRequest;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.core.testkit.ScriptedConnection;
import dev.tollgate.core.testkit.ScriptedUpstream;
import dev.tollgate.server.acceptance.ProviderFault.Expected;
import dev.tollgate.server.acceptance.ProviderFault.Seen;
import dev.tollgate.server.acceptance.ScriptedTurn.Play;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults of providers over raw sockets against the real program, all at once: what the client gets,
 * that no stream ends as if it were whole with less text than the provider sent, and that the log
 * counts as many requests as the provider got.
 */
@Tag("chaos")
class ProviderFaultsIT {
  private static final int AT_ONCE = 16;
  private static final Duration BOUND = Duration.ofSeconds(20);

  private static final CountDownLatch ENDED = new CountDownLatch(1);
  private static final Map<String, List<CapturedRequest>> RECEIVED = new ConcurrentHashMap<>();
  private static final ServerSocket SILENT = silent();
  private static final ScriptedUpstream ELSEWHERE =
      ScriptedUpstream.start().onConnection(ScriptedConnection::stall);
  private static final List<ProviderFault> ROWS =
      ProviderFaults.all("https://127.0.0.1:" + SILENT.getLocalPort() + "/v1", ELSEWHERE.baseUrl());
  private static final ScriptedModels PROVIDER = provider();
  private static final GatewayProcess NODE = SharedNode.beside(setup(), List.of());
  private static final Map<String, List<Seen>> SEEN = new HashMap<>();

  static Stream<ProviderFault> rows() {
    return ROWS.stream();
  }

  private static ServerSocket silent() {
    try {
      return new ServerSocket(
          0, 50, InetAddress.getLoopbackAddress()); // connections stay in its backlog
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // The provider

  private static ScriptedModels provider() {
    ScriptedModels models = new ScriptedModels();
    Map<String, Play> plays = new HashMap<>();
    for (ProviderFault row : ROWS) {
      plays.put(row.row() + "-first", row.first());
      row.second().ifPresent(second -> plays.put(row.row() + "-second", second));
    }
    plays.forEach(
        (model, play) -> models.model(model, (request, to) -> play(model, play, request, to)));
    models.model("", (request, to) -> inTarget(plays, request, to)); // Gemini
    return models;
  }

  private static void inTarget(Map<String, Play> plays, JsonNode request, ScriptedConnection to)
      throws Exception {
    String model = to.request().target().replaceAll(".*/models/([^:]*):.*", "$1");
    play(model, Objects.requireNonNull(plays.get(model), model), request, to);
  }

  private static void play(String model, Play play, JsonNode request, ScriptedConnection to)
      throws Exception {
    List<CapturedRequest> received = received(model.substring(0, model.indexOf('-')));
    received.add(to.request());
    play.answer(new ScriptedTurn(received.size() - 1, request, to, ENDED));
  }

  private static List<CapturedRequest> received(String row) {
    return RECEIVED.computeIfAbsent(row, _ -> new CopyOnWriteArrayList<>());
  }

  // The node

  private static ConfigBuilder setup() {
    ConfigBuilder setup = SharedNode.setup();
    for (ProviderFault row : ROWS) {
      boolean other = row.fields().contains("\"row/" + row.row() + "-other\"");
      setup.provider(row.row() + "-first", settings(row.settings()));
      List<Map<String, ?>> routes = new ArrayList<>();
      routes.add(route(row, "first", 1));
      if (row.second().isPresent()) {
        Map<String, ?> own = other ? Map.of("quirks", Map.of("prefill", "message")) : Map.of();
        setup.provider(row.row() + "-second", settings(own));
        if (!other) {
          routes.add(route(row, "second", 2));
        } else {
          setup.model("row/" + row.row() + "-other", model(List.of(route(row, "second", 1))));
        }
      }
      setup.model("row/" + row.row(), model(routes));
    }
    return setup;
  }

  private static Map<String, ?> settings(Map<String, ?> own) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("type", "openai");
    all.put("base_url", baseUrl(own));
    all.put("api_key", "k");
    all.putAll(own);
    all.values().removeIf(""::equals);
    return all;
  }

  private static String baseUrl(Map<String, ?> own) {
    boolean bare = "ollama".equals(own.get("type"));
    return bare ? PROVIDER.baseUrl().replaceFirst("/v1$", "") : PROVIDER.baseUrl();
  }

  /** The first route has a smaller context, which matters to one row. */
  private static Map<String, ?> route(ProviderFault row, String which, int priority) {
    return Map.of(
        "provider",
        row.row() + "-" + which,
        "model",
        row.row() + "-" + which,
        "priority",
        priority,
        "context_length",
        8_192 * priority);
  }

  private static Map<String, ?> model(List<Map<String, ?>> routes) {
    return Map.of(
        "modality",
        "chat",
        "context_length",
        8_192,
        "price",
        ConfigBuilder.PRICE,
        "routes",
        routes);
  }

  // The clients

  @BeforeAll
  static void askAll() throws Exception {
    Semaphore places = new Semaphore(AT_ONCE);
    Map<String, Future<List<Seen>>> asked = new LinkedHashMap<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (ProviderFault row : ROWS) {
        places.acquire();
        asked.put(row.row(), clients.submit(() -> ask(row, places)));
      }
    }
    Map<String, JsonNode> log = new HashMap<>();
    for (Map.Entry<String, Future<List<Seen>>> each : asked.entrySet()) {
      SEEN.put(each.getKey(), each.getValue().get());
      SEEN.get(each.getKey()).forEach(seen -> log.put(seen.requestId(), Json.tree("null")));
    }
    awaitRows(log);
    SEEN.replaceAll((_, all) -> all.stream().map(one -> logged(one, log)).toList());
  }

  private static Seen logged(Seen one, Map<String, JsonNode> log) {
    return one.logged(Objects.requireNonNull(log.get(one.requestId())));
  }

  private static void awaitRows(Map<String, JsonNode> log) throws Exception {
    LedgerDatabase books = LedgerDatabase.of(SharedNode.node().home());
    long began = System.nanoTime();
    while (log.values().stream().anyMatch(JsonNode::isNull)) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).as("logged").isLessThan(BOUND);
      books.query(
          "SELECT request_id, row::text FROM request_log",
          row -> log.computeIfPresent(row.getString(1), (_, _) -> tree(row)));
    }
  }

  private static JsonNode tree(ResultSet row) {
    try {
      return Json.tree(row.getString(2));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** All requests of a row on one connection, so that they meet the same loop and pool. */
  private static List<Seen> ask(ProviderFault row, Semaphore places) {
    List<Seen> all = new ArrayList<>();
    String mode = row.isStream() ? ",\"stream\":true" : "";
    String body =
        """
        {"model":"row/%s","messages":[{"role":"user","content":"Say it."}],"max_tokens":99%s%s}\
        """
            .formatted(row.row(), mode, row.fields());
    try (RawClient client = NODE.connect().within(BOUND)) {
      for (int n = 0; n < row.asks(); n++) {
        if (n > 0) {
          awaitNoLease(row); // else this request could open a connection of its own
        }
        long began = System.nanoTime();
        RawResponse reply =
            client.post(ChatRequests.PATH, body, SharedNode.authorization()).readResponse();
        all.add(Seen.of(reply, Duration.ofNanos(System.nanoTime() - began)));
      }
      return all;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(row + ": " + e.getMessage(), e);
    } finally {
      places.release();
    }
  }

  private static void awaitNoLease(ProviderFault row) {
    String leases = "tollgate_upstream_leases{provider=\"" + row.row() + "-first\"}";
    NODE.admin().await(numbers -> numbers.getOrDefault(leases, 0.0) == 0, leases);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDED.countDown();
    NODE.admin().awaitIdle();
    NODE.close();
    PROVIDER.close();
    ELSEWHERE.close();
    SILENT.close();
  }

  // What they saw

  @ParameterizedTest
  @MethodSource("rows")
  void theClientGetsWhatIsPromised(ProviderFault row) {
    List<Seen> all = seen(row);
    Seen last = all.getLast();
    for (Seen seen : all) {
      requireHonest(row, seen);
    }
    switch (row.expected()) {
      case Expected.Whole whole -> {
        assertThat(all).allSatisfy(one -> assertThat(one.error()).as(text(one)).isEmpty());
        assertThat(last.text()).as(text(last)).isEqualTo(whole.text());
        assertThat(last.finish()).as(text(last)).isNotEmpty();
      }
      case Expected.Broken broken -> {
        assertThat(last.error()).as(text(last)).isEqualTo(broken.code());
        assertThat(last.finish()).as(text(last)).isEmpty();
        assertThat(last.text()).as(text(last)).isNotEmpty();
      }
      case Expected.Refused refused ->
          assertThat(last.reply().status() + " " + last.error())
              .as(text(last))
              .isEqualTo(refused.status() + " " + refused.code());
    }
    if (!row.attempts().isEmpty() && !isNoticedLate(row, last)) {
      assertThat(last.attempts()).as(text(last)).isEqualTo(row.attempts());
    }
    assertThat(row.more().test(last)).as(text(last)).isTrue();
  }

  /** A busy machine may notice the end of a connection too late to send the request again. */
  private static boolean isNoticedLate(ProviderFault row, Seen seen) {
    return row.attempts().equals(List.of("first ok resent 1"))
        && seen.attempts().equals(List.of(seen.attempts().getFirst(), "first ok"))
        && seen.log().at("/attempts/0/ms").asLong() >= 200;
  }

  /** No stream ends with a finish reason unless its text is all that the provider sent. */
  private static void requireHonest(ProviderFault row, Seen seen) {
    assertThat(seen.surplus()).as(text(seen)).isZero();
    boolean finished = !seen.finish().isEmpty();
    if (finished && row.expected() instanceof Expected.Whole whole) {
      assertThat(seen.text()).as(text(seen)).isEqualTo(whole.text());
    }
    assertThat(finished && !seen.error().isEmpty()).as(text(seen)).isFalse();
    if (!finished && row.settings().get("type") == null) {
      assertThat(ScriptedTurn.ANSWER).as(text(seen)).startsWith(seen.text());
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theLogCountsWhatTheProviderGot(ProviderFault row) {
    int sends = seen(row).stream().mapToInt(Seen::sends).sum();
    assertThat(sends - row.neverSent())
        .as(() -> String.join("\n", seen(row).stream().map(ProviderFaultsIT::text).toList()))
        .isEqualTo(received(row.row()).size());
  }

  @Test
  void noRedirectIsFollowed() {
    assertThat(ELSEWHERE.connections()).isZero();
  }

  @Test
  void resendsAreCounted() {
    double resent = NODE.admin().total("tollgate_requests_resent_total");
    int logged =
        SEEN.values().stream()
            .flatMap(List::stream)
            .mapToInt(one -> one.sends() - one.attempts().size())
            .sum();
    assertThat(resent).isEqualTo(logged);
  }

  private static List<Seen> seen(ProviderFault row) {
    List<String> credentials =
        received(row.row()).stream().map(each -> "" + each.header("authorization")).toList();
    return Objects.requireNonNull(SEEN.get(row.row())).stream()
        .map(one -> one.by(credentials))
        .toList();
  }

  private static String text(Seen seen) {
    return seen.log().path("attempts")
        + "\n"
        + seen.reply().startLine()
        + "\n"
        + seen.reply().text();
  }
}
