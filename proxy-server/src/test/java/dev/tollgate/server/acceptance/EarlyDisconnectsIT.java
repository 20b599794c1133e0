package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Clients that reset a stream once they have read enough of it pay for what was used. The provider
 * reports usage only with the last chunk, as OpenAI does, and has no other tests' streams.
 */
class EarlyDisconnectsIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String MODEL = "doubtful/chat";
  private static final int FILE_BASE64_BYTES = 4_000_000;
  private static final int FILE_TOKENS = 100_000;
  private static final String DIGITS = "7 3 1 9 5 2 ".repeat(10_000);
  private static final int DIGIT_TOKENS = 60_000;
  private static final int WRITTEN = 77;
  private static final String WORDS = "\"It was the best of times. \"";
  private static final AtomicInteger IDS = new AtomicInteger();
  private static final GatewayProcess NODE = SharedNode.node();
  private static final Map<String, CompletableFuture<ScriptedConnection>> REACHED =
      new ConcurrentHashMap<>();

  @BeforeAll
  static void script() {
    SharedNode.scripted()
        .model("doubtful-chat", EarlyDisconnectsIT::answer)
        .model("doubtful-digits", EarlyDisconnectsIT::answer);
  }

  @AfterEach
  void nothingIsHeld() {
    NODE.admin().awaitIdle();
  }

  /** Sends a plain reply, or a word of a stream, whose rest waits for a gate. */
  private static void answer(JsonNode request, ScriptedConnection to) throws Exception {
    int tokens = request.path("x_tokens").intValue();
    String id = request.path("x_id").textValue();
    switch (request.path("x_reply").textValue()) {
      case "plain" -> to.send(plain(tokens));
      case "silence" -> {
        reached(id).complete(to);
        to.stall();
      }
      default -> {
        to.send(Sse.HEAD + Sse.role() + Sse.text("word"));
        reached(id).complete(to);
        to.gate(id).send(Sse.finish() + Sse.usage(tokens, WRITTEN) + Sse.DONE + Sse.END);
      }
    }
  }

  private static String plain(int tokens) {
    String[] reply = Sse.completion("fine").split("\r\n\r\n", 2);
    String body = reply[1].replace("\"prompt_tokens\":5", "\"prompt_tokens\":" + tokens);
    String head = reply[0].replaceFirst("Length: \\d+", "Length: " + body.getBytes(UTF_8).length);
    return head + "\r\n\r\n" + body;
  }

  private static CompletableFuture<ScriptedConnection> reached(String id) {
    return REACHED.computeIfAbsent(id, _ -> new CompletableFuture<>());
  }

  /** One request of a client, by its name at the provider. */
  private record Asked(String id, RawClient client, ScriptedConnection provider) {
    /** Reads the first word and resets the connection; returns the id of the request. */
    String readAndLeave() {
      String head = client.readUntil("\r\n\r\n");
      client.readUntil("word");
      client.reset();
      return head.lines()
          .filter(line -> line.regionMatches(true, 0, "x-request-id:", 0, 13))
          .map(line -> line.substring(13).strip())
          .findFirst()
          .orElseThrow();
    }
  }

  private static Asked ask(String key, String model, String reply, int tokens, String content)
      throws Exception {
    String id = "doubtful-" + IDS.incrementAndGet();
    RawClient client = NODE.connect().within(SOON);
    client.post(
        ChatRequests.PATH,
        body(model, reply, id, tokens, content),
        ChatRequests.authorization(key));
    return new Asked(id, client, reached(id).get(SOON.toSeconds(), TimeUnit.SECONDS));
  }

  private static String body(String model, String reply, String id, int tokens, String content) {
    return """
    {"model":"%s","stream":%b,"x_reply":"%s","x_id":"%s","x_tokens":%d,"max_tokens":10,\
    "messages":[{"role":"user","content":%s}]}\
    """
        .formatted(model, !reply.equals("plain"), reply, id, tokens, content);
  }

  private static RawResponse askPlain(String key, String model, int tokens, String content) {
    try (RawClient client = NODE.connect().within(SOON)) {
      RawResponse response =
          client
              .post(
                  ChatRequests.PATH,
                  body(model, "plain", "", tokens, content),
                  ChatRequests.authorization(key))
              .readResponse();
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      return response;
    }
  }

  private static String file() {
    return """
    [{"type":"text","text":"Sum up."},{"type":"file","file":{"filename":"a.pdf",\
    "file_data":"data:application/pdf;base64,%s"}}]\
    """
        .formatted("JVBE".repeat(FILE_BASE64_BYTES / 4));
  }

  private static JsonNode line(String requestId) throws InterruptedException {
    return new AccessLines(NODE, SOON).next(0, requestId);
  }

  private static void awaitDraining() {
    String draining = "tollgate_draining_streams{provider=\"doubtful\"}";
    NODE.admin().await(numbers -> numbers.getOrDefault(draining, 0.0) == 1, draining);
  }

  /** Micro-USD of the usual price: 0.15 USD for a million tokens of input, 0.60 of output. */
  private static long cost(long prompt, long completion) {
    return Math.round(prompt * 0.15 + completion * 0.60);
  }

  private static void requireReported(JsonNode line, int prompt) {
    assertThat(line.path("outcome").textValue()).isEqualTo("client_abort");
    assertThat(line.path("estimated").booleanValue()).isFalse();
    assertThat(line.path("prompt_tokens").intValue()).isEqualTo(prompt);
    assertThat(line.path("completion_tokens").intValue()).isEqualTo(WRITTEN);
    assertThat(line.path("cost_micro").longValue()).isEqualTo(cost(prompt, WRITTEN));
  }

  @Test
  void aFileIsChargedByItsUsageAndWithoutRoomToReadOnByItsSize() throws Exception {
    String key = Tenants.keyOf(Tenants.payingOrg());
    Asked first = ask(key, MODEL, "stream", FILE_TOKENS, file());
    Asked second = ask(key, MODEL, "stream", FILE_TOKENS, file());
    String read = first.readAndLeave();
    awaitDraining();
    String cut = second.readAndLeave();

    JsonNode estimated = line(cut);
    assertThat(estimated.path("estimated").booleanValue()).isTrue();
    double share = (double) estimated.path("cost_micro").longValue() / cost(FILE_TOKENS, WRITTEN);
    RecordedFigures.keep(
        "aborts-file", "%.1f %% of the whole reply's cost when cut".formatted(100 * share));
    assertThat(share).isBetween(0.6, 1.0);

    SharedNode.scripted().open(first.id());
    requireReported(line(read), FILE_TOKENS);
  }

  @Test
  void digitsAreChargedByTheRatioOfFiftySettledRequests() throws Exception {
    String key = Tenants.keyOf(Tenants.payingOrg());
    String content = "\"" + DIGITS + "\"";
    for (int n = 0; n < 50; n++) {
      askPlain(key, "doubtful/digits", DIGIT_TOKENS, content);
    }
    Asked stream = ask(key, "doubtful/digits", "stream", DIGIT_TOKENS, content);
    JsonNode line = line(stream.readAndLeave());
    assertThat(line.path("estimated").booleanValue()).isTrue();
    int tokens = line.path("prompt_tokens").intValue();
    RecordedFigures.keep("aborts-digits", tokens + " of " + DIGIT_TOKENS + " tokens charged");
    assertThat(tokens).isBetween(DIGIT_TOKENS - 600, DIGIT_TOKENS + 600);
  }

  @Test
  void whoLeavesHabituallyPaysExactlyTheUsage() throws Exception {
    String key = Tenants.keyOf(Tenants.payingOrg());
    for (int n = 0; n < 11; n++) {
      Asked left = ask(key, MODEL, "stream", 4_321, WORDS);
      JsonNode line = line(left.readAndLeave());
      assertThat(line.path("estimated").booleanValue()).isTrue();
      left.provider().awaitClosed(SOON);
    }
    Asked left = ask(key, MODEL, "stream", 4_321, WORDS);
    String id = left.readAndLeave();
    awaitDraining();
    SharedNode.scripted().open(left.id());
    requireReported(line(id), 4_321);
  }

  @Test
  void whoLeavesBeforeTheFirstEventPaysNothingAndUsesTokens() throws Exception {
    String org = Tenants.payingOrg();
    String key =
        Json.tree(
                Tenants.run(
                    "keys", "create", "--org", org, "--name", "k", "--tokens-per-minute", "50000"))
            .path("key")
            .asText();
    Asked silent = ask(key, MODEL, "silence", 0, "\"" + "word ".repeat(24_000) + "\"");
    silent.client().reset();
    silent.provider().awaitClosed(SOON);

    RawResponse next = askPlain(key, MODEL, 10, WORDS);
    long left = Long.parseLong(Objects.requireNonNull(next.header("x-ratelimit-remaining-tokens")));
    assertThat(left).as("of 50,000 after a prompt of 30,000 and a refill").isLessThan(40_000);
    awaitUsage(org);
  }

  /** Waits for the request log, which is written behind the requests. */
  private static void awaitUsage(String org) throws Exception {
    long deadlineNanos = System.nanoTime() + SOON.toNanos();
    JsonNode row;
    do {
      row = Json.tree(Tenants.run("usage", "--by", "key", "--org", org)).path(0);
    } while (row.path("requests").intValue() < 2 && System.nanoTime() < deadlineNanos);
    assertThat(row.path("requests").intValue()).isEqualTo(2);
    assertThat(row.path("aborted").intValue()).isOne();
    assertThat(row.path("cost_micro").longValue()).isEqualTo(cost(10, 7));
  }
}
