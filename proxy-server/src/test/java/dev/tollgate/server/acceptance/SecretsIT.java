package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, passwords and prompts do not appear in logs, metrics and errors. */
class SecretsIT {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final String PROMPT = "canary-prompt-4417";
  private static final String REPLY = "canary-reply-8840";

  @ParameterizedTest
  @ValueSource(ints = {200, 400, 401, 429, 500})
  void noSecretLeavesWithAnyProviderError(int status) throws Exception {
    SharedNode.scripted()
        .model(
            "canary", (_, to) -> to.send(status == 200 ? Sse.completion(REPLY) : refusal(status)));
    GatewayProcess node = SharedNode.node();
    int linesBefore = node.err().count();
    RawResponse response;
    try (RawClient client = node.connect().within(SOON)) {
      String body = ChatRequests.body("scripted/canary", false, PROMPT);
      response = client.post(ChatRequests.PATH, body, SharedNode.authorization()).readResponse();
    }

    String id = String.valueOf(response.header("x-request-id"));
    assertThat(node.err().await(line -> line.contains(id), linesBefore, SOON)).isPresent();
    assertThat(response.rawText()).doesNotContain(SharedNode.PROVIDER_KEY);
    String password = Files.readString(node.home().dataDir().resolve("postgres/password")).strip();
    for (String seen :
        new String[] {
          node.err().text(),
          node.admin().get("/metrics").body(),
          node.admin().get("/config").body(),
          node.admin().get("/providers").body()
        }) {
      assertThat(seen)
          .doesNotContain(SharedNode.PROVIDER_KEY, SharedNode.key(), PROMPT, REPLY, password);
    }
  }

  /** Providers repeat what they were sent in every place of an error. */
  @ParameterizedTest
  @ValueSource(strings = {"400", "422", "404", "500", "event", "event behind content"})
  void aCredentialThatAProviderRepeatsGoesNoFurther(String how) throws Exception {
    String key = SharedNode.PROVIDER_KEY;
    String error =
        """
        {"error":{"message":"cannot read Authorization: Bearer %1$s","param":"%1$s","code":"%1$s"}}\
        """
            .formatted(key);
    String reply =
        switch (how) {
          case "event" -> Sse.HEAD + Sse.raw("data: " + error + "\n\n") + Sse.END;
          case "event behind content" ->
              Sse.HEAD + Sse.text("Hello") + Sse.raw("data: " + error + "\n\n") + Sse.END;
          default ->
              "HTTP/1.1 %s %s\r\nX-Echo: %2$s\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(how, key, error.length(), error);
        };
    SharedNode.scripted().model("echo", (_, to) -> to.send(reply));
    GatewayProcess node = SharedNode.node();
    int linesBefore = node.err().count();
    RawResponse response;
    try (RawClient client = node.connect().within(SOON)) {
      String body = ChatRequests.body("scripted/echo", how.startsWith("event"), PROMPT);
      response = client.post(ChatRequests.PATH, body, SharedNode.authorization()).readResponse();
    }
    String id = String.valueOf(response.header("x-request-id"));
    assertThat(node.err().await(line -> line.contains(id), linesBefore, SOON)).isPresent();
    assertThat(response.rawText() + node.err().text()).doesNotContain(key);
    LedgerDatabase database = LedgerDatabase.of(node.home());
    String row = "SELECT count(*) FROM request_log WHERE request_id = '" + id + "'";
    long began = System.nanoTime();
    while (database.number(row) == 0) {
      assertThat(System.nanoTime() - began).as("the row of " + id).isLessThan(SOON.toNanos());
    }
    assertThat(database.number(row + " AND row::text LIKE '%" + key + "%'")).isZero();
  }

  @Test
  void anInvalidKeyIsNotRepeated() throws Exception {
    String guess = "sk-llm-" + "Guess".repeat(9) + "1";
    RawResponse response = ChatRequests.ask(SharedNode.node(), "test/chat", guess);
    String id = String.valueOf(response.header("x-request-id"));

    assertThat(response.status()).isEqualTo(401);
    String line = SharedNode.node().err().await(each -> each.contains(id), SOON).orElseThrow();
    assertThat(line + response.rawText()).doesNotContain(guess);
  }

  @Test
  void everyRequestIsOneLogLine() throws Exception {
    RawResponse response = ChatRequests.ask(SharedNode.node(), "test/chat");
    String id = String.valueOf(response.header("x-request-id"));
    String line = SharedNode.node().err().await(each -> each.contains(id), SOON).orElseThrow();

    JsonNode record = Json.tree(line.substring(line.indexOf('{')));
    assertThat(record.path("request_id").asText()).isEqualTo(id);
    assertThat(record.path("route").asText()).isEqualTo(ChatRequests.PATH);
    assertThat(record.path("status").intValue()).isEqualTo(200);
    assertThat(record.path("outcome").asText()).isEqualTo("ok");
    assertThat(record.path("client_ip").asText()).isEqualTo("127.0.0.1");
    assertThat(record.path("model").asText()).isEqualTo("test/chat");
    assertThat(record.path("provider").asText()).isEqualTo("mock");
    assertThat(SharedNode.key()).endsWith(record.path("key_last4").asText("none"));
    assertThat(SharedNode.key()).contains(record.path("key_id").asText("none"));
    JsonNode usage = Json.tree(response.text()).path("usage");
    assertThat(record.path("prompt_tokens")).isEqualTo(usage.path("prompt_tokens"));
    assertThat(record.path("completion_tokens")).isEqualTo(usage.path("completion_tokens"));
    assertThat(record.path("cost_micro")).isEqualTo(usage.path("x_llm_cost_micro"));
    assertThat(record.path("response_bytes").intValue()).isEqualTo(response.body().length);
    assertThat(record.path("attempts")).hasSize(1);
    assertThat(SharedNode.node().err().all()).filteredOn(each -> each.contains(id)).hasSize(1);
  }

  @Test
  void healthAndMetricsAreServed() {
    Admin admin = SharedNode.node().admin();
    assertThat(admin.get("/livez").statusCode()).isEqualTo(200);
    assertThat(admin.get("/readyz").statusCode()).isEqualTo(200);

    String model = "model=\"test/chat\"";
    double before = sum(admin, "tollgate_requests_total{", model);
    try (RawClient client = ChatRequests.stream(SharedNode.node(), "test/chat")) {
      client.readUntil("[DONE]");
    }
    admin.await(
        _ -> sum(admin, "tollgate_requests_total{", model) == before + 1, "one more request");
    assertThat(sum(admin, "tollgate_request_duration_seconds_bucket{", model)).isPositive();
    assertThat(sum(admin, "tollgate_first_token_seconds_count{", model)).isPositive();
    assertThat(sum(admin, "tollgate_overhead_seconds_count", "")).isPositive();
  }

  private static double sum(Admin admin, String prefix, String label) {
    return admin.metrics().entrySet().stream()
        .filter(each -> each.getKey().startsWith(prefix) && each.getKey().contains(label))
        .mapToDouble(each -> each.getValue())
        .sum();
  }

  /** A provider that repeats the operator's key in its errors, as some do. */
  private static String refusal(int status) {
    String body =
        """
        {"error":{"message":"Incorrect API key provided: %s","type":"x","code":"y"}}\
        """
            .formatted(SharedNode.PROVIDER_KEY);
    return "HTTP/1.1 %d No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        .formatted(status, body.length(), body);
  }
}
