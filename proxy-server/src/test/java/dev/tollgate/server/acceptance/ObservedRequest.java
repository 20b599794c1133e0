package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tollgate.server.acceptance.FaultCase.Ask;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One request as all sides saw it: the client's reply, the row of the request log, and the charge
 * in the ledger.
 */
final class ObservedRequest {
  /** A request that takes longer hangs: no timeout of the tests is longer than 5 s. */
  private static final Duration BOUND = Duration.ofSeconds(20);

  private static final Duration BOOKED = Duration.ofSeconds(20);
  private static final String LONG = "x".repeat(256 << 10);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final HttpResponse.ResponseInfo response;
  private final String text;
  private final boolean truncated;
  private JsonNode log = MissingNode.getInstance();
  private long chargedMicro;

  private ObservedRequest(Received received, boolean truncated) {
    this.response = requireNonNull(received.head);
    this.text = received.body.toString(UTF_8);
    this.truncated = truncated;
  }

  /** Keeps what arrived of a reply, also of one that is cut. */
  private static final class Received implements HttpResponse.BodyHandler<Void> {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private HttpResponse.@Nullable ResponseInfo head;

    @Override
    public HttpResponse.BodySubscriber<Void> apply(HttpResponse.ResponseInfo info) {
      head = info;
      return HttpResponse.BodySubscribers.ofByteArrayConsumer(
          piece -> piece.ifPresent(body::writeBytes));
    }

    /** True for a stream that says that it is over; only such a one may be cut. */
    boolean isOver() {
      return head != null && body.toString(UTF_8).endsWith("data: [DONE]\n\n");
    }
  }

  /** A request to a model. */
  record Question(String model, Ask ask) {}

  /** Sends all requests, this many at once, and waits until they are settled; by model. */
  static Map<String, ObservedRequest> all(GatewayProcess node, List<Question> questions, int atOnce)
      throws Exception {
    Map<String, Future<ObservedRequest>> asked = new HashMap<>();
    Semaphore places = new Semaphore(atOnce);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Question question : questions) {
        places.acquire();
        asked.put(question.model(), clients.submit(() -> ask(node, question, places)));
      }
    }
    Map<String, ObservedRequest> all = new HashMap<>();
    for (var each : asked.entrySet()) {
      all.put(each.getKey(), each.getValue().get());
    }
    lookUp(all);
    return all;
  }

  /** Sends a request, and waits until it is settled. */
  static ObservedRequest one(GatewayProcess node, Question question) throws Exception {
    ObservedRequest seen = unbooked(node, question);
    lookUp(Map.of(question.model(), seen));
    return seen;
  }

  /** Posts a body, and waits until the request is settled. */
  static ObservedRequest ofBody(GatewayProcess node, String body) throws Exception {
    try (HttpClient own = HttpClient.newHttpClient()) { // closes its connection too
      ObservedRequest seen = posted(own, node, body);
      lookUp(Map.of("it", seen));
      return seen;
    }
  }

  /** Sends a request without looking up log and ledger. */
  static ObservedRequest unbooked(GatewayProcess node, Question question)
      throws IOException, InterruptedException {
    return ask(node, question, new Semaphore(1));
  }

  private static ObservedRequest ask(GatewayProcess node, Question question, Semaphore places)
      throws IOException, InterruptedException {
    String prompt = question.ask() == Ask.LONG_PROMPT ? LONG : "Hi.";
    return posted(
        node, ChatRequests.body(question.model(), question.ask() != Ask.PLAIN, prompt), places);
  }

  /** Posts a body and releases its slot; a reply that is cut, or hangs, is an exception. */
  static ObservedRequest posted(GatewayProcess node, String body, Semaphore places)
      throws IOException, InterruptedException {
    try {
      return posted(HTTP, node, body);
    } finally {
      places.release();
    }
  }

  private static ObservedRequest posted(HttpClient http, GatewayProcess node, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.baseUrl() + "/chat/completions"))
            .header("Authorization", "Bearer " + SharedNode.key())
            .header("Content-Type", "application/json")
            .timeout(BOUND)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    var received = new Received();
    try {
      http.send(request, received);
      return new ObservedRequest(received, false);
    } catch (IOException e) {
      if (received.isOver()) {
        return new ObservedRequest(received, true);
      }
      throw new IOException(body.substring(0, Math.min(body.length(), 100)) + ": " + e, e);
    }
  }

  private static void lookUp(Map<String, ObservedRequest> all) throws Exception {
    Map<String, ObservedRequest> byRequest = new HashMap<>();
    all.values().forEach(seen -> byRequest.put(seen.header("x-request-id"), seen));
    LedgerDatabase ledgerDatabase = LedgerDatabase.of(SharedNode.node().home());
    long began = System.nanoTime();
    while (byRequest.values().stream().anyMatch(seen -> seen.log.isMissingNode())) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).as("logged").isLessThan(BOOKED);
      ledgerDatabase.query(
          """
          SELECT request_id, row::text, coalesce(cost_micro, 0)
          FROM request_log LEFT JOIN settlement USING (day, request_id)
          """,
          row -> {
            ObservedRequest seen = byRequest.get(row.getString(1));
            if (seen != null) {
              seen.log = Json.tree(row.getString(2));
              seen.chargedMicro = row.getLong(3);
            }
          });
    }
  }

  String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  String text() {
    return text;
  }

  JsonNode log() {
    return log;
  }

  long chargedMicro() {
    return chargedMicro;
  }

  /** Returns the outcome of each attempt, from the log. */
  List<String> attempts() {
    return log.path("attempts").findValuesAsText("outcome");
  }

  /** Returns the usage that the client received; missing in an error. */
  JsonNode usage() {
    if (response.statusCode() != 200) {
      return MissingNode.getInstance();
    }
    return isStream() ? usageChunk().path("usage") : Json.tree(text()).path("usage");
  }

  private JsonNode usageChunk() {
    return events().stream()
        .filter(event -> event.contains("\"x_llm_cost_micro\""))
        .map(ObservedRequest::json)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no usage chunk: " + this));
  }

  long costMicro() {
    return usage().path("x_llm_cost_micro").longValue();
  }

  void requireRefused(int status, String code) {
    assertThat(response.statusCode() + " " + error().path("code").asText())
        .as(toString())
        .isEqualTo(status + " " + code);
    requireEnvelope(error());
    if (status == 429) {
      int retryAfter = error().path("retry_after").intValue();
      assertThat(retryAfter).isBetween(1, 60);
      assertThat(header("retry-after")).isEqualTo("" + retryAfter);
      assertThat(header("x-should-retry")).isEqualTo("true");
    }
    assertThat(header("x-llm-routing-reason")).contains("selected=");
  }

  private void requireEnvelope(JsonNode error) {
    assertThat(error.path("type").asText()).isNotBlank();
    assertThat(error.path("message").asText()).isNotBlank();
    assertThat(error.path("request_id").asText()).isEqualTo(header("x-request-id"));
    assertThat(error.path("details").path("attempts")).as(toString()).isNotEmpty();
  }

  private JsonNode error() {
    return Json.tree(text()).path("error");
  }

  /** Asserts content, the usage so far, the error and the terminator, and no sign of success. */
  void requireBroken(String code, int contents) {
    requireStream(contents);
    assertThat(truncated).as(toString()).isTrue();
    assertThat(text()).doesNotContain("\"finish_reason\":\"stop\"");
    List<String> events = events();
    JsonNode error = json(events.get(events.size() - 2)).path("error");
    assertThat(error.path("code").asText()).as(toString()).isEqualTo(code);
    assertThat(error.path("type").asText()).isEqualTo("provider_error");
    assertThat(error.path("request_id").asText()).isEqualTo(header("x-request-id"));
    JsonNode last = json(events.get(events.size() - 3));
    assertThat(last.path("choices").isEmpty()).as(toString()).isTrue();
    assertThat(last.path("usage").path("x_llm_usage_estimated").booleanValue()).isTrue();
    assertThat(last.path("usage").path("completion_tokens").intValue())
        .isGreaterThanOrEqualTo(contents);
    assertThat(last.path("usage").path("prompt_tokens").intValue()).isPositive();
    assertThat(costMicro()).isPositive();
  }

  void requireServed(boolean stream, int contents) {
    assertThat(response.statusCode()).as(toString()).isEqualTo(200);
    if (!stream) {
      assertThat(Json.tree(text()).path("choices").path(0).path("message").path("content").asText())
          .isNotBlank();
      return;
    }
    requireStream(contents);
    assertThat(truncated).as(toString()).isFalse();
    List<JsonNode> chunks =
        events().stream().limit(events().size() - 1).map(ObservedRequest::json).toList();
    assertThat(StreamTraits.rejected(chunks, true)).as(toString()).isEmpty();
    assertThat(StreamTraits.refusedBySdk(chunks)).as(toString()).isEmpty();
    assertThat(chunks.getLast().path("choices").isEmpty()).isTrue();
  }

  private void requireStream(int contents) {
    assertThat(response.statusCode()).as(toString()).isEqualTo(200);
    assertThat(events()).as(toString()).allMatch(event -> event.startsWith("data: "));
    assertThat(events().getLast()).isEqualTo("data: [DONE]");
    assertThat(events().stream().filter(event -> event.contains("\"usage\":"))).hasSize(1);
    assertThat(contents()).as(toString()).isEqualTo(contents);
  }

  /** Returns the number of events with content. */
  int contents() {
    return deltas().size();
  }

  /** Returns the content of all events. */
  String content() {
    return String.join("", deltas());
  }

  private List<String> deltas() {
    return events().stream()
        .filter(event -> event.startsWith("data: {"))
        .map(event -> json(event).path("choices").path(0).path("delta").path("content").asText())
        .filter(content -> !content.isEmpty())
        .toList();
  }

  /** Returns the error code, in the stream or instead of it; empty if there is none. */
  String errorCode() {
    JsonNode last = isStream() ? json(events().get(events().size() - 2)) : Json.tree(text());
    return last.path("error").path("code").asText();
  }

  private boolean isStream() {
    return header("content-type").startsWith("text/event-stream");
  }

  private List<String> events() {
    return Arrays.stream(text().split("\n\n", -1)).filter(block -> !block.isEmpty()).toList();
  }

  private static JsonNode json(String event) {
    return Json.tree(event.substring("data: ".length()));
  }

  @Override
  public String toString() {
    String shown = text.length() > 4000 ? text.substring(0, 4000) + "…" : text;
    return response.statusCode() + " " + response.headers().map() + "\n" + shown + "\n" + log;
  }
}
