package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Balances, limits and budgets as clients see them, with credit granted by an operator. */
class BalanceLimitsIT {
  private static final Duration EVERYWHERE = Duration.ofSeconds(5);
  private static final AtomicInteger ORGS = new AtomicInteger();

  /** Shared by all endpoints, because nothing is ever charged to it. */
  private static final class Penniless {
    static final String KEY = keyOf(org());
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource
  void withoutABalanceEveryBillableRouteAnswers402(Endpoint endpoint) throws Exception {
    String key = Penniless.KEY;
    switch (endpoint) {
      case CHAT_COMPLETIONS -> {
        requireRefused(
            ChatRequests.ask(SharedNode.node(), "test/chat", key), "insufficient_credits");
        try (RawClient client = SharedNode.node().connect()) {
          client.post(
              ChatRequests.PATH,
              ChatRequests.body("test/chat", true),
              ChatRequests.authorization(key));
          requireRefused(client.readResponse(), "insufficient_credits");
        }
      }
      case COMPLETIONS -> requireRefused(complete("test/completion", key), "insufficient_credits");
      case RESPONSES -> requireRefused(respond("test/chat", key), "insufficient_credits");
      case EMBEDDINGS ->
          requireRefused(EmbeddingRequests.ask("test/embedding", key), "insufficient_credits");
      case SPEECH ->
          requireRefused(AudioRequests.speech("test/speech", key), "insufficient_credits");
      case TRANSCRIPTIONS ->
          requireRefused(AudioRequests.transcribe("test/hearing", key), "insufficient_credits");
      case IMAGE_GENERATIONS ->
          requireRefused(ImageRequests.generate("test/image", "", key), "insufficient_credits");
      case IMAGE_EDITS ->
          requireRefused(ImageRequests.edit("test/image", key), "insufficient_credits");
      case VIDEO_GENERATIONS, MUSIC_GENERATIONS ->
          assertThat(submit(endpoint, SharedNode.key()).status()).isEqualTo(501); // nor with credit
      case VIDEO_JOB, MUSIC_JOB, JOB -> {
        String path = endpoint.path().replace("{id}", UUID.randomUUID().toString());
        assertThat(get(path, key).status()).isEqualTo(404);
      }
      case VIDEO_JOB_DELETION, MUSIC_JOB_DELETION -> {} // as free as a query
      case MODELS -> assertThat(get("/v1/models", key).status()).isEqualTo(200);
      case MODEL -> assertThat(get("/v1/models/test/chat", key).status()).isEqualTo(200);
      case KEY -> assertThat(get("/v1/key", key).status()).isEqualTo(200);
      case CREDITS -> assertThat(get("/v1/credits", key).status()).isEqualTo(200);
      case ARTIFACT -> assertThat(get("/artifacts/none", key).status()).isEqualTo(404);
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aFundedOrganizationPaysTheReportedCost() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    RawResponse reply = ChatRequests.ask(SharedNode.node(), "test/chat", keyOf(org));
    assertThat(reply.status()).isEqualTo(200);
    long cost = Json.tree(reply.text()).path("usage").path("x_llm_cost_micro").asLong();
    assertThat(cost).isPositive();
    awaitBalance(org, 1_000_000 - cost);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void anExhaustedDailyBudgetIsReportedWithItsFigures() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String key = keyOf(org, "--daily-budget", "0.000100");
    RawResponse refused = ChatRequests.ask(SharedNode.node(), "test/chat", key);
    JsonNode details = requireRefused(refused, "budget_exceeded");
    assertThat(details.path("scope").asText()).isEqualTo("key_day");
    assertThat(details.path("limit_micro").asLong()).isEqualTo(100);
    assertThat(details.path("spent_micro").asLong()).isZero();
    assertThat(details.path("required_micro").asLong()).isGreaterThan(100);
    Instant resets = Instant.parse(details.path("resets_at").asText());
    assertThat(Duration.between(Instant.now(), resets))
        .isBetween(Duration.ZERO, Duration.ofDays(1));
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aRefusalTellsWithWhichBoundTheRequestFits() {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String key = keyOf(org, "--daily-budget", "0.000500");
    JsonNode details = requireRefused(bounded(key, 4096), "budget_exceeded");
    assertThat(details.path("available_micro").asLong()).isEqualTo(500);
    assertThat(details.path("required_micro").asLong()).isGreaterThan(2_000);
    int fitting = details.path("fitting_max_tokens").asInt();
    assertThat(fitting).isBetween(100, 833);
    requireRefused(bounded(key, fitting + 1), "budget_exceeded");
    assertThat(bounded(key, fitting).status()).isEqualTo(200);
  }

  private static RawResponse bounded(String key, int tokens) {
    String body =
        ChatRequests.body("test/chat", false).replace("{\"m", "{\"max_tokens\":" + tokens + ",\"m");
    try (RawClient client = SharedNode.node().connect()) {
      return client.post(ChatRequests.PATH, body, ChatRequests.authorization(key)).readResponse();
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aKeyTellsWhatItsRunningRequestsReserve() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String key = keyOf(org, "--daily-budget", "0.50");
    try (RawClient client = SharedNode.node().connect()) {
      String body = ChatRequests.body("test/long", true);
      client.post(ChatRequests.PATH, body, ChatRequests.authorization(key));
      client.readUntil("data: ");
      JsonNode during = daily(key);
      assertThat(during.path("running_micro").asLong()).isGreaterThan(2_000);
      assertThat(during.path("settling_micro").asLong()).isZero();
      assertThat(during.path("reserved_micro").asLong())
          .isGreaterThanOrEqualTo(during.path("running_micro").asLong());
    }
    JsonNode after = daily(key);
    long began = System.nanoTime();
    while (after.path("running_micro").asLong() + after.path("settling_micro").asLong() > 0
        || after.path("spent_micro").asLong() == 0) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
      after = daily(key);
    }
    assertThat(after.path("reserved_micro").asLong()).isPositive(); // for the next requests
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aKeyCanQueryItsLimitsAndRemainingBudgets() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String key = keyOf(org, "--daily-budget", "0.50", "--concurrency", "7");
    JsonNode before = Json.tree(get("/v1/key", key).text());
    assertThat(before.path("object").asText()).isEqualTo("key");
    assertThat(before.path("org").path("name").asText()).isEqualTo(org);
    assertThat(before.path("limits").path("concurrency").asInt()).isEqualTo(7);
    assertThat(before.path("budgets").path("daily").path("remaining_micro").asLong())
        .isEqualTo(500_000);

    RawResponse reply = ChatRequests.ask(SharedNode.node(), "test/chat", key);
    long cost = Json.tree(reply.text()).path("usage").path("x_llm_cost_micro").asLong();
    awaitBalance(org, 1_000_000 - cost);
    JsonNode daily = Json.tree(get("/v1/key", key).text()).path("budgets").path("daily");
    assertThat(daily.path("spent_micro").asLong()).isEqualTo(cost);
    assertThat(daily.path("limit_micro").asLong()).isEqualTo(500_000);
    assertThat(daily.path("remaining_micro").asLong())
        .isEqualTo(500_000 - cost - daily.path("reserved_micro").asLong());
    JsonNode credits = Json.tree(get("/v1/credits", key).text());
    assertThat(credits.path("balance_micro").asLong()).isEqualTo(1_000_000 - cost);
    assertThat(credits.path("monthly_spent_micro").asLong()).isEqualTo(cost);
    assertThat(credits.path("monthly_limit_micro").isNull()).isTrue();
    assertThat(credits.path("reserved_micro").isIntegralNumber()).isTrue();
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @ValueSource(strings = {"/v1/key", "/v1/credits"})
  void withoutAKeyNoAmountIsReported(String path) {
    try (RawClient client = SharedNode.node().connect()) {
      RawResponse refused = client.get(path).readResponse();
      assertThat(refused.status()).isEqualTo(401);
      assertThat(ChatRequests.code(refused)).isEqualTo("invalid_api_key");
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aMonthlyLimitActsWithinFiveSecondsOfBeingSet() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String key = keyOf(org);
    assertThat(ChatRequests.ask(SharedNode.node(), "test/chat", key).status()).isEqualTo(200);

    run("orgs", "set", org, "--monthly-limit", "0.000010");
    awaitCode(key, "spending_limit_exceeded");
    run("orgs", "set", org, "--monthly-limit", "1.00");
    awaitCode(key, "");
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aBudgetActsWithinFiveSecondsOfBeingSet() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String key = rotated(keyOf(org, "--daily-budget", "0.50"));
    String id = key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
    assertThat(ChatRequests.ask(SharedNode.node(), "test/chat", key).status()).isEqualTo(200);

    run("keys", "set", id, "--daily-budget", "0.000010");
    awaitCode(key, "budget_exceeded");
    run("keys", "set", id, "--daily-budget", "none");
    awaitCode(key, "");
  }

  private static JsonNode requireRefused(RawResponse response, String code) {
    assertThat(response.status()).as(response.text()).isEqualTo(402);
    assertThat(ChatRequests.code(response)).isEqualTo(code);
    assertThat(response.header("x-should-retry")).isEqualTo("false");
    return Json.tree(response.text()).path("error").path("details");
  }

  private static RawResponse complete(String model, String key) {
    String body = "{\"model\":\"%s\",\"prompt\":\"Once upon a time\"}".formatted(model);
    try (RawClient client = SharedNode.node().connect()) {
      return client.post("/v1/completions", body, ChatRequests.authorization(key)).readResponse();
    }
  }

  private static RawResponse respond(String model, String key) {
    String body = "{\"model\":\"%s\",\"input\":\"Once upon a time\"}".formatted(model);
    try (RawClient client = SharedNode.node().connect()) {
      return client.post("/v1/responses", body, ChatRequests.authorization(key)).readResponse();
    }
  }

  /** No provider in this test makes videos or music. */
  private static RawResponse submit(Endpoint endpoint, String key) {
    String[] fields = {"Authorization: Bearer " + key, "Idempotency-Key: k"};
    try (RawClient client = SharedNode.node().connect()) {
      return client.post(endpoint.path(), "{}", fields).readResponse();
    }
  }

  private static RawResponse get(String path, String key) {
    try (RawClient client = SharedNode.node().connect()) {
      return client.get(path, ChatRequests.authorization(key)).readResponse();
    }
  }

  private static String org() {
    String name = "money-" + ORGS.incrementAndGet();
    run("orgs", "create", name);
    return name;
  }

  private static String keyOf(String org, String... options) {
    List<String> arguments =
        new ArrayList<>(List.of("keys", "create", "--org", org, "--name", "k"));
    arguments.addAll(List.of(options));
    return Json.tree(run(arguments.toArray(String[]::new))).path("key").asText();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void aRotatedKeyContinuesItsBudget() throws Exception {
    String org = org();
    run("credits", "grant", "--org", org, "--usd", "1.00");
    String first = keyOf(org, "--daily-budget", "0.50");
    long cost = costOfAChat(first);
    awaitBalance(org, 1_000_000 - cost);

    String second = rotated(first);
    assertThat(daily(second).path("spent_micro").asLong()).isEqualTo(cost);
    long more = costOfAChat(second);
    awaitBalance(org, 1_000_000 - cost - more);
    JsonNode daily = daily(rotated(second));
    assertThat(daily.path("spent_micro").asLong()).isEqualTo(cost + more);
    assertThat(daily.path("limit_micro").asLong()).isEqualTo(500_000);
  }

  private static long costOfAChat(String key) throws Exception {
    RawResponse reply = ChatRequests.ask(SharedNode.node(), "test/chat", key);
    return Json.tree(reply.text()).path("usage").path("x_llm_cost_micro").asLong();
  }

  private static JsonNode daily(String key) throws Exception {
    return Json.tree(get("/v1/key", key).text()).path("budgets").path("daily");
  }

  private static String rotated(String key) {
    String id = key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
    return Json.tree(run("keys", "rotate", id)).path("key").asText();
  }

  private static void awaitCode(String key, String code) {
    long changedNanos = System.nanoTime();
    String got;
    do {
      got = ChatRequests.code(ChatRequests.ask(SharedNode.node(), "test/chat", key));
      assertThat(Duration.ofNanos(System.nanoTime() - changedNanos))
          .as("%s is still %s", code, got)
          .isLessThan(EVERYWHERE);
    } while (!got.equals(code));
  }

  private static void awaitBalance(String org, long micro) {
    long balance;
    long began = System.nanoTime();
    do {
      balance = Json.tree(run("orgs", "show", org)).path("balance_micro").asLong();
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("balance is %d", balance)
          .isLessThan(Duration.ofSeconds(20));
    } while (balance != micro);
  }

  private static String run(String... arguments) {
    return LauncherProcess.ask(SharedNode.node().home(), arguments);
  }
}
