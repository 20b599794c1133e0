package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Provider of the failover scenarios: its models fail in one way each, two are healthy. Every
 * complete reply is the same sixty words. It records the requests with their times.
 */
final class FailoverProvider implements AutoCloseable {
  /** Continues an assistant message at the end of the request. */
  static final String HEALTHY = "ok";

  /** Healthy, but refuses requests that end with an assistant message. */
  static final String NO_PREFILL = "ok-no-prefill";

  static final int PROMPT_TOKENS = 20;

  private static final List<String> WORDS =
      IntStream.range(0, 60)
          .mapToObj(i -> List.of("plain", "größer", "\"quoted\"", "四季", "🙂").get(i % 5) + i)
          .toList();

  /** The canonical reply. */
  static final String ANSWER = String.join(" ", WORDS);

  static final int ANSWER_TOKENS = WORDS.size();

  private final ScriptedModels models = new ScriptedModels();
  private final FailoverClocks clocks;
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile long outageBeganNanos;

  /**
   * A received request.
   *
   * @param answered whether it got a 200
   * @param prefill whether it ended with an assistant message
   */
  record Asked(String model, long atNanos, boolean answered, boolean prefill) {}

  FailoverProvider(FailoverClocks clocks) {
    this.clocks = clocks;
    models.model(HEALTHY, this::ok);
    models.model(NO_PREFILL, this::withoutPrefill);
    for (FailoverScenario scenario : FailoverScenario.values()) {
      models.model(scenario.id(), (request, to) -> scenario.fault().answer(this, request, to));
    }
  }

  /** Behaviour of a model on a request. */
  @FunctionalInterface
  interface Fault {
    void answer(FailoverProvider wall, JsonNode request, ScriptedConnection to) throws Exception;
  }

  String baseUrl() {
    return models.baseUrl();
  }

  FailoverClocks clocks() {
    return clocks;
  }

  List<Asked> asked(String model) {
    return asked.stream().filter(each -> each.model().equals(model)).toList();
  }

  /** Resets the state for a new scenario. */
  void reset() {
    asked.clear();
    outageBeganNanos = System.nanoTime();
  }

  long outageEndsNanos() {
    return outageBeganNanos + clocks.outage().toNanos();
  }

  /** True for the first request for its model since the reset. */
  boolean isFirst(JsonNode request) {
    return asked(model(request)).isEmpty();
  }

  // Replies

  /** Refuses with an error in OpenAI's format. */
  void refuse(JsonNode request, ScriptedConnection to, int status, String code, String... headers) {
    note(request, false);
    String body =
        """
        {"error":{"message":"refused by the script","type":"some_error","param":null,"code":"%s"}}\
        """
            .formatted(code);
    String lines = Stream.of(headers).map(line -> line + "\r\n").collect(Collectors.joining());
    to.send(
        "HTTP/1.1 %d Refused\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
            .formatted(status, lines, body.length(), body));
  }

  /** Resets the connection without a byte. */
  void reset(JsonNode request, ScriptedConnection to) {
    note(request, false);
    to.reset();
  }

  /** Sends nothing for a long time. */
  void noResponse(JsonNode request, ScriptedConnection to) throws InterruptedException {
    note(request, false);
    pause(clocks.silence());
    to.close();
  }

  /** Sends the whole reply, the first token late. */
  void slow(JsonNode request, ScriptedConnection to) throws InterruptedException {
    note(request, true);
    to.send(Sse.HEAD);
    pause(clocks.slowToken());
    to.send(Sse.role());
    words(to, WORDS, "", 0, WORDS.size());
    end(request, to, WORDS.size(), Sse.DONE);
  }

  /** Starts the reply; the connection ends after this many tokens, at once or after a pause. */
  void cut(JsonNode request, ScriptedConnection to, int tokens, Duration silence)
      throws InterruptedException {
    note(request, true);
    to.send(Sse.HEAD + Sse.role());
    words(to, WORDS, "", 0, tokens);
    if (!silence.isZero()) {
      pause(silence);
    }
    to.close();
  }

  /** Sends the whole reply with an event of invalid JSON in between. */
  void malformed(JsonNode request, ScriptedConnection to) throws InterruptedException {
    note(request, true);
    to.send(Sse.HEAD + Sse.role());
    words(to, WORDS, "", 0, 10);
    to.send(Sse.raw("data: {\"id\":\"c-1\",\"choices\":[{\"delta\":{\"content\":\n\n"));
    words(to, WORDS, "", 10, WORDS.size());
    end(request, to, WORDS.size(), Sse.DONE);
  }

  /** Answers a plain request or a stream completely. */
  void ok(JsonNode request, ScriptedConnection to) throws InterruptedException {
    ok(request, to, Sse.DONE);
  }

  /** Sends the whole reply and ends with {@code done}. */
  void ok(JsonNode request, ScriptedConnection to, String done) throws InterruptedException {
    note(request, true);
    String begun = prefill(request);
    boolean continues = !begun.isEmpty() && ANSWER.startsWith(begun);
    List<String> words =
        continues ? List.of(ANSWER.substring(begun.length()).strip().split(" ")) : WORDS;
    if (!request.path("stream").asBoolean()) {
      to.send(Sse.completion(Json.escaped((continues ? " " : "") + String.join(" ", words))));
      return;
    }
    to.send(Sse.HEAD + Sse.role());
    words(to, words, continues ? " " : "", 0, words.size());
    end(request, to, words.size(), done);
  }

  private void withoutPrefill(JsonNode request, ScriptedConnection to) throws InterruptedException {
    if (prefill(request).isEmpty()) {
      ok(request, to, Sse.DONE);
    } else {
      refuse(request, to, 400, "invalid_prefill");
    }
  }

  private void words(ScriptedConnection to, List<String> words, String before, int from, int end)
      throws InterruptedException {
    for (int i = from; i < end; i++) {
      to.send(Sse.text(Json.escaped((i == 0 ? before : " ") + words.get(i))));
      pause(clocks.tokenInterval());
    }
  }

  private static void end(JsonNode request, ScriptedConnection to, int tokens, String done) {
    boolean usage = request.path("stream_options").path("include_usage").asBoolean();
    to.send(Sse.finish() + (usage ? Sse.usage(PROMPT_TOKENS, tokens) : "") + done + Sse.END);
  }

  private static String prefill(JsonNode request) {
    JsonNode messages = request.path("messages");
    JsonNode last = messages.path(messages.size() - 1);
    return last.path("role").asText().equals("assistant")
        ? last.path("content").asText().strip()
        : "";
  }

  private static String model(JsonNode request) {
    return request.path("model").asText();
  }

  private void note(JsonNode request, boolean answered) {
    boolean prefill = !prefill(request).isEmpty();
    asked.add(new Asked(model(request), System.nanoTime(), answered, prefill));
  }

  /** Waits for this time; the end of the test interrupts it. */
  private void pause(Duration time) throws InterruptedException {
    var _ = closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    closed.countDown();
    models.close();
  }
}
