package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The request log as an operator sees it: one row for each request, of any outcome. */
class RequestLogIT {
  private static final Duration APART = Duration.ofMillis(5);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final AtomicInteger ORGS = new AtomicInteger();

  @Test
  void everyRequestOfAKnownKeyHasOneRow() throws Exception {
    String org = "logged-" + ORGS.incrementAndGet();
    run("orgs", "create", org);
    String key = newKey(org);
    RawResponse refused = ChatRequests.ask(SharedNode.node(), "test/chat", key);
    assertThat(refused.status()).isEqualTo(402);
    run("credits", "grant", "--org", org, "--usd", "1.00");
    List<String> asked = new ArrayList<>(List.of(refused.header("x-request-id")));
    RawResponse failed = askFunded("test/unauthorized", key, asked);
    assertThat(failed.status()).isGreaterThanOrEqualTo(400);
    RawResponse served = askLater("test/chat", key);
    assertThat(served.status()).as(served.text()).isEqualTo(200);

    asked.add(served.header("x-request-id"));

    JsonNode rows = awaitRows(asked.size(), org);
    assertThat(rows.findValuesAsText("request_id")).containsExactlyElementsOf(asked);
    assertThat(rows.path(0).path("code").asText()).isEqualTo("insufficient_credits");
    assertThat(rows.path(0).path("settled").isNull()).isTrue();
    JsonNode free = rows.path(asked.size() - 2);
    assertThat(free.path("cost_micro").asLong()).isZero();
    assertThat(free.path("attempts")).isNotEmpty();
    JsonNode usage = Json.tree(served.text()).path("usage");
    JsonNode charged = rows.path(asked.size() - 1);
    assertThat(charged.path("outcome").asText()).isEqualTo("ok");
    assertThat(charged.path("settled").asText()).isEqualTo("completed");
    assertThat(charged.path("cost_micro")).isEqualTo(usage.path("x_llm_cost_micro"));
    assertThat(charged.path("routing").asText()).isEqualTo(served.header("x-llm-routing-reason"));
    assertThat(free.path("routing").asText()).isEqualTo(failed.header("x-llm-routing-reason"));
    assertThat(charged.path("cached_tokens").isIntegralNumber()).isTrue();
    assertThat(charged.path("reasoning_tokens").isIntegralNumber()).isTrue();
    assertThat(charged.path("response_bytes").asInt())
        .isEqualTo(served.text().getBytes(UTF_8).length);
    assertThat(rows.toString()).doesNotContain("Hi.");

    assertThat(rows("--org", org, "--outcome", "ok")).hasSize(1);
    assertThat(rows("--org", org, "--limit", "1").path(0)).isEqualTo(charged);
    JsonNode sums = Json.tree(run("usage", "--org", org, "--by", "model"));
    assertThat(sums.findValuesAsText("model")).containsExactly("test/chat", "test/unauthorized");
    assertThat(sums.path(0).path("requests").asLong()).isEqualTo(2);
    assertThat(sums.path(0).path("cost_micro")).isEqualTo(usage.path("x_llm_cost_micro"));
    assertThat(sums.path(0).path("completion_tokens")).isEqualTo(usage.path("completion_tokens"));
    for (String tokens : List.of("cached_tokens", "reasoning_tokens")) {
      assertThat(sums.path(0).path(tokens)).isEqualTo(charged.path(tokens));
    }
  }

  @Test
  void tailShowsEndedRequestsAndExitsWithZeroOnSigint() throws Exception {
    String org = "followed-" + ORGS.incrementAndGet();
    run("orgs", "create", org);
    String key = newKey(org);
    String config = SharedNode.node().home().config().toString();
    List<String> verb = List.of("requests", "tail", "--org", org, "--config", config);
    Process tail = LauncherProcess.process(List.of(), verb).start();
    try {
      ProcessOutput out = ProcessOutput.of(tail.getInputStream());
      assertThat(out.await(line -> line.startsWith("TS"), SOON)).isPresent();
      String first = ChatRequests.ask(SharedNode.node(), "test/chat", key).header("x-request-id");
      assertThat(out.await(line -> line.contains(first), SOON)).isPresent();
      String second = ChatRequests.ask(SharedNode.node(), "test/chat", key).header("x-request-id");
      assertThat(out.await(line -> line.contains(second), SOON)).isPresent();
      new ProcessBuilder("kill", "-INT", "" + tail.pid()).start().waitFor();
      assertThat(tail.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(tail.exitValue()).isZero();
      assertThat(out.whole().lines().filter(line -> line.contains(first)))
          .singleElement(STRING)
          .endsWith(" fallbacks=none");
    } finally {
      tail.destroyForcibly();
    }
  }

  /** Sends requests until the node knows of the credit, and adds each to the sent ones. */
  private static RawResponse askFunded(String model, String key, List<String> asked) {
    long began = System.nanoTime();
    while (true) {
      RawResponse answer = askLater(model, key);
      asked.add(answer.header("x-request-id"));
      if (answer.status() != 402) {
        return answer;
      }
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    }
  }

  /**
   * Sends a request in another millisecond than the one before: rows of the same millisecond have
   * no order. The times are those of the ledger store's clock, which may be set back by one or two.
   */
  private static RawResponse askLater(String model, String key) {
    long before = System.nanoTime();
    while (System.nanoTime() - before < APART.toNanos()) {
      Thread.onSpinWait();
    }
    return ChatRequests.ask(SharedNode.node(), model, key);
  }

  private static String newKey(String org) throws Exception {
    return Json.tree(run("keys", "create", "--org", org, "--name", "k")).path("key").asText();
  }

  private static JsonNode awaitRows(int count, String org) throws Exception {
    long began = System.nanoTime();
    JsonNode rows = rows("--org", org);
    while (rows.size() < count) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).as("%s", rows).isLessThan(SOON);
      rows = rows("--org", org);
    }
    return rows;
  }

  private static JsonNode rows(String... filter) throws Exception {
    List<String> verb = new ArrayList<>(List.of("requests", "list"));
    verb.addAll(List.of(filter));
    return Json.tree(run(verb.toArray(String[]::new)));
  }

  private static String run(String... verb) throws Exception {
    return LauncherProcess.ask(SharedNode.node().home(), verb);
  }
}
