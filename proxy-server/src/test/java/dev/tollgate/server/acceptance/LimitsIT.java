package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.RateLimitException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Limits of keys at the real program: with the official SDK, and with raw clients. */
@Tag("chaos")
@Isolated
class LimitsIT {
  private static final int ENDS = Integer.getInteger("tollgate.ends", 100);
  private static final int KILLS = Integer.getInteger("tollgate.ends.kills", 1);
  private static final Duration EVERYWHERE = Duration.ofSeconds(5);

  @Test
  void requestsAboveTheRateAreRateLimitErrorsWithARetryTime() throws Exception {
    try (Sdk sdk = new Sdk("--requests-per-minute", "2")) {
      sdk.ask(8);
      sdk.ask(8);
      RateLimitException limited = sdk.refused(8);
      assertThat(limited.code()).contains("rate_limited");
      assertThat(limited.headers().values("x-should-retry")).containsExactly("true");
      assertThat(limited.headers().values("x-ratelimit-limit-requests")).containsExactly("2");
      assertThat(limited.headers().values("x-ratelimit-remaining-requests")).containsExactly("0");
      int seconds = Integer.parseInt(limited.headers().values("retry-after").getFirst());
      assertThat(seconds).isBetween(1, 30);
    }
  }

  @Test
  void aRefusedKeyIsRefusedAgainBeforeItsBody() throws Exception {
    String key = Tenants.create("--name", "insisting", "--requests-per-minute", "1");
    double before = SharedNode.node().admin().total("tollgate_limit_refusals_total");
    awaitStatus(SharedNode.node(), key, 429);
    try (RawClient client = SharedNode.node().connect()) {
      client.send(
          "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + ChatRequests.authorization(key)
              + "\r\nContent-Length: 9000000\r\n\r\n");
      RawResponse refused = client.readResponse();
      assertThat(refused.status()).isEqualTo(429);
      assertThat(ChatRequests.code(refused)).isEqualTo("rate_limited");
      assertThat(refused.header("x-ratelimit-limit-requests")).isEqualTo("1");
      assertThat(refused.header("retry-after")).isIn("59", "60");
      assertThat(Json.tree(refused.text()).path("error").path("retry_after").asText())
          .isEqualTo(refused.header("retry-after"));
    }
    assertThat(SharedNode.node().admin().total("tollgate_limit_refusals_total"))
        .isGreaterThan(before + 1);
  }

  @Test
  void tokensThatNeverFitAreNotRetried() throws Exception {
    try (Sdk sdk = new Sdk("--tokens-per-minute", "5000")) {
      RateLimitException never = sdk.refused(5_000);
      assertThat(never.code()).contains("tokens_per_minute_exceeded");
      assertThat(never.headers().values("x-should-retry")).containsExactly("false");
      assertThat(never.headers().values("retry-after"))
          .as("every 429 has it")
          .containsExactly("60");
      sdk.ask(4_900);
      sdk.ask(4_900); // the estimate of the first request was corrected
    }
  }

  @Test
  void aSecondRequestWaitsForTheOnlySlot() throws Exception {
    String key = Tenants.create("--name", "single", "--concurrency", "1");
    try (RawClient stream = SharedNode.node().connect();
        Sdk sdk = new Sdk(key)) {
      stream.post(
          ChatRequests.PATH, ChatRequests.body("test/long", true), ChatRequests.authorization(key));
      stream.readUntil("data: ");
      RateLimitException limited = sdk.refused(8);
      assertThat(limited.code()).contains("concurrency_exceeded");
      assertThat(limited.headers().values("retry-after")).containsExactly("1");
    }
    awaitStatus(SharedNode.node(), key, 200);
  }

  @Test
  void theOnlySlotIsFreeAfterAnyEnd() throws Exception {
    String key = Tenants.create("--name", "random", "--concurrency", "1");
    ConfigBuilder setup = RandomOutcomes.models(SharedNode.setup());
    try (var ends =
        new RandomOutcomes(
            key, List.of(), () -> SharedNode.beside(setup, List.of("-XX:+UseSerialGC")))) {
      ends.play(ENDS, KILLS);
      ends.requireTheSlotIsFree(key);
      RecordedFigures.keep("ends-local", ends.toString());
    }
  }

  @Test
  void aChangedLimitOfAKeyActsOnRunningGateways() throws Exception {
    String key = Tenants.create("--name", "changed", "--requests-per-minute", "1");
    String id = key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
    awaitStatus(SharedNode.node(), key, 429);
    Tenants.keys("set", id, "--requests-per-minute", "0");
    awaitStatus(SharedNode.node(), key, 200);
    var shown = Json.tree(Tenants.keys("set", id, "--requests-per-minute", "default").out());
    assertThat(shown.path("requests_per_minute").isNull()).isTrue();
  }

  @Test
  void aReloadChangesLimitsAndKeepsTheCounts() throws Exception {
    String key = Tenants.create("--name", "reloaded");
    try (GatewayProcess node = SharedNode.beside(perMinute(100), List.of())) {
      for (int n = 0; n < 5; n++) {
        assertThat(ChatRequests.ask(node, "test/chat", key).status()).isEqualTo(200);
      }
      node.home().write(perMinute(2));
      assertThat(node.admin().post("/-/reload").statusCode()).isEqualTo(200);
      assertThat(remaining(node, key)).as("cut to the new capacity").isEqualTo(1);
      assertThat(remaining(node, key)).isZero();
      RawResponse refused = ChatRequests.ask(node, "test/chat", key);
      assertThat(refused.status()).isEqualTo(429);
      assertThat(Json.tree(refused.text()).path("error").path("details").path("limit").asInt())
          .isEqualTo(2);

      node.home().write(perMinute(60));
      assertThat(node.admin().post("/-/reload").statusCode()).isEqualTo(200);
      assertThat(remaining(node, key)).as("no full bucket is handed out").isLessThan(30);
      assertThat(node.admin().total("tollgate_limit_refusals_total")).isPositive();
    }
  }

  /** Returns what is left after one more admitted request. */
  private static int remaining(GatewayProcess node, String key) {
    long begunNanos = System.nanoTime();
    while (true) {
      RawResponse reply = ChatRequests.ask(node, "test/chat", key);
      if (reply.status() == 200) {
        return Integer.parseInt(String.valueOf(reply.header("x-ratelimit-remaining-requests")));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begunNanos)).isLessThan(EVERYWHERE);
    }
  }

  private static ConfigBuilder perMinute(int requests) {
    return SharedNode.setup()
        .section("limits", Map.of("key", Map.of("requests_per_minute", requests)));
  }

  private static void awaitStatus(GatewayProcess node, String key, int status) {
    long begunNanos = System.nanoTime();
    while (ChatRequests.ask(node, "test/chat", key).status() != status) {
      assertThat(Duration.ofNanos(System.nanoTime() - begunNanos))
          .as("waits for " + status)
          .isLessThan(EVERYWHERE);
    }
  }

  /** The official client with a key of its own. */
  private static final class Sdk implements AutoCloseable {
    private final OpenAIClient client;

    Sdk(String option, String value) throws Exception {
      this(Tenants.create("--name", "sdk", option, value));
    }

    Sdk(String key) {
      client =
          OpenAIOkHttpClient.builder()
              .baseUrl(SharedNode.node().baseUrl().toString())
              .apiKey(key)
              .maxRetries(0)
              .build();
    }

    void ask(int tokensMost) {
      var params =
          ChatCompletionCreateParams.builder()
              .model("test/chat")
              .addUserMessage("Hi.")
              .maxCompletionTokens(tokensMost);
      client.chat().completions().create(params.build()).validate();
    }

    RateLimitException refused(int tokensMost) {
      var error = catchThrowableOfType(RateLimitException.class, () -> ask(tokensMost));
      assertThat(error).as("a refusal").isNotNull();
      assertThat(error.statusCode()).isEqualTo(429);
      return error;
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /** Runs a command on keys. */
  private static final class Tenants {
    static String create(String... options) throws Exception {
      List<String> arguments = new ArrayList<>(List.of("create", "--org", "acceptance"));
      arguments.addAll(List.of(options));
      return Json.tree(keys(arguments.toArray(String[]::new)).out()).path("key").asText();
    }

    static LauncherProcess.CommandResult keys(String... arguments) throws Exception {
      List<String> all = new ArrayList<>(List.of("keys"));
      all.addAll(List.of(arguments));
      all.addAll(List.of("-o", "json", "--config", SharedNode.node().home().config().toString()));
      LauncherProcess.CommandResult result = LauncherProcess.run(all.toArray(String[]::new));
      assertThat(result.exitCode()).as(result.err()).isZero();
      return result;
    }
  }
}
