package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Routes with costs unlike the price of their model, at the real program. */
class OperatorCostIT {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int POLL_MILLIS = 50;
  private static final String MODEL = "cost/chat";

  private static NodeFolder folder;
  private static GatewayProcess node;

  @BeforeAll
  static void start() throws Exception {
    folder =
        NodeFolder.with(
            ConfigBuilder.empty()
                .mock("dear")
                .mock("cheap")
                .model(
                    MODEL,
                    Map.of(
                        "modality",
                        "chat",
                        "price",
                        ConfigBuilder.PRICE,
                        "routes",
                        List.of(
                            route("dear", 1, Map.of("input", "1.50", "output", "6.00")),
                            route("cheap", 2, Map.of("input", "0.03", "output", "0.12")))))
                .control());
    node = GatewayProcess.start(folder);
  }

  private static Map<String, ?> route(String provider, int priority, Map<String, String> cost) {
    return Map.of("provider", provider, "model", "mock-chat", "priority", priority, "cost", cost);
  }

  @AfterAll
  static void stop() {
    node.close();
    folder.close();
  }

  /** What a request cost: the organization, and the operator. */
  private record Costs(long charge, long operators) {
    Costs plus(Costs other) {
      return new Costs(charge + other.charge, operators + other.operators);
    }
  }

  @Test
  void theRecordTheUsageAndTheOrganizationsShowCostAndMargin() throws Exception {
    Costs dear = asked("priority", "dear", false);
    assertThat(dear.operators).isGreaterThan(dear.charge);
    Costs cheap = asked("cost", "cheap", true);
    assertThat(cheap.operators).isLessThan(cheap.charge);
    Costs both = dear.plus(cheap);
    JsonNode usage = Json.tree(LauncherProcess.ask(folder, "usage", "--by", "model")).path(0);
    assertThat(usage.path("model").asText()).isEqualTo(MODEL);
    assertThat(usage.path("cost_micro").asLong()).isEqualTo(both.charge);
    assertThat(usage.path("operator_cost_micro").asLong()).isEqualTo(both.operators);
    assertThat(usage.path("margin_micro").asLong()).isEqualTo(both.charge - both.operators);
    requireShownToOperators(both);
  }

  /** Returns the costs of a request, whose record must have them. */
  private static Costs asked(String strategy, String provider, boolean isStream) throws Exception {
    String body =
        ChatRequests.body(MODEL, isStream)
            .replaceFirst("\\{", "{\"routing\":\"" + strategy + "\",");
    RawResponse reply;
    try (RawClient client = node.connect()) {
      String key = ChatRequests.authorization(node.bootstrapKey());
      reply = client.post(ChatRequests.PATH, body, key).readResponse();
    }
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.header("x-llm-routing-reason")).contains("selected=" + provider + " ");
    JsonNode line = line(Objects.requireNonNull(reply.header("x-request-id")));
    long prompt = line.path("prompt_tokens").asLong();
    long completion = line.path("completion_tokens").asLong();
    boolean isDear = provider.equals("dear");
    Costs costs =
        new Costs(
            rounded(150_000 * prompt + 600_000 * completion),
            isDear
                ? rounded(1_500_000 * prompt + 6_000_000 * completion)
                : rounded(30_000 * prompt + 120_000 * completion));
    assertThat(line.path("cost_micro").asLong()).isEqualTo(costs.charge);
    assertThat(line.path("operator_cost_micro").asLong()).isEqualTo(costs.operators);
    assertThat(line.path("below_cost").asBoolean()).isEqualTo(isDear);
    assertThat(reply.headerLines().toString() + reply.text())
        .doesNotContain("operator")
        .doesNotContain("margin");
    return costs;
  }

  private static long rounded(long pico) {
    return Math.max(1, (pico + 500_000) / 1_000_000);
  }

  /** Returns a request's line, when it and its charge are in the store. */
  private static JsonNode line(String request) throws Exception {
    LedgerDatabase database = LedgerDatabase.of(folder);
    String where = " WHERE request_id = '" + request + "'";
    await(
        () ->
            database.number("SELECT count(*) FROM request_log" + where) == 1
                && database.number("SELECT count(*) FROM settlement" + where) == 1);
    String[] line = {""};
    database.query(
        "SELECT row, operator_cost_micro FROM request_log" + where,
        row -> {
          line[0] = row.getString(1);
          assertThat(row.getLong(2))
              .isEqualTo(Json.tree(line[0]).path("operator_cost_micro").asLong());
        });
    return Json.tree(line[0]);
  }

  private static void requireShownToOperators(Costs month) throws Exception {
    URI control = node.dashboard();
    var operator = new ControlClient();
    assertThat(operator.setUp(control, control.toString(), "op@example.com").status())
        .isEqualTo(201);
    await(
        () ->
            organization(operator, control).path("month_margin_micro").asLong()
                == month.charge - month.operators);
    JsonNode shown = organization(operator, control);
    assertThat(shown.path("month_micro").asLong()).isEqualTo(month.charge);
    assertThat(shown.path("month_operator_cost_micro").asLong()).isEqualTo(month.operators);
  }

  private static JsonNode organization(ControlClient operator, URI control) throws Exception {
    return operator.get(control, "/operator/orgs").json().at("/data/0");
  }

  private interface Condition {
    boolean isMet() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long began = System.nanoTime();
    while (!condition.isMet()) {
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
      CrashingNodes.pause(POLL_MILLIS);
    }
  }
}
