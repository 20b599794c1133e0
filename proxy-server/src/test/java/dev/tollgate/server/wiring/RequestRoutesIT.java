package dev.tollgate.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.wiring.TestControlPlane.Client;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests of the API as the control plane of the same gateway shows them. */
final class RequestRoutesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SOON = Duration.ofSeconds(3);
  private static final String PRICED =
      "price: { input: \"0.15\", cached_input: \"0.075\", output: \"0.60\" }";
  private static final String MODELS =
      """
        test/priced:
          modality: chat
          %1$s
          routes: [ { provider: mock, model: chat } ]
        test/no-usage:
          modality: chat
          %1$s
          routes: [ { provider: mock, model: fault/no-usage } ]
        test/image:
          modality: image
          price: { image: "0.04" }
          routes: [ { provider: mock, model: mock-image } ]
      """
          .formatted(PRICED);

  @TempDir static Path folder;

  private static TestControlPlane control;
  private static TestGateway gateway;
  private static OrgId org;
  private static Client viewer;
  private static Client operator;

  @BeforeAll
  static void start() throws Exception {
    control = TestControlPlane.start(folder, MODELS);
    gateway = control.gateway();
    org = new OrgId(UUID.fromString(control.rows("SELECT org_id FROM api_key LIMIT 1").getFirst()));
    Client maker = control.person("maker", false);
    viewer = control.token(org, maker, Role.VIEWER);
    operator = control.token(null, maker);
  }

  @AfterAll
  static void stop() {
    control.close();
  }

  private static RawResponse get(String path) throws Exception {
    return viewer.get("/orgs/" + org + "/requests" + path).raw();
  }

  private static JsonNode json(String path) throws Exception {
    RawResponse reply = get(path);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return JSON.readTree(reply.text());
  }

  private static RawResponse chat(String model, boolean isStream) {
    try (RawClient client = gateway.connect()) {
      return gateway.chat(client, model, isStream).readResponse();
    }
  }

  private static RawResponse image() {
    String body = "{\"model\":\"test/image\",\"prompt\":\"A gate.\",\"n\":2}";
    try (RawClient client = gateway.connect()) {
      return client
          .post("/v1/images/generations", body, "Authorization: Bearer " + gateway.key())
          .readResponse();
    }
  }

  /** Waits until a path shows something; returns it. */
  private static JsonNode await(String path, String pointer) throws Exception {
    long beganNanos = System.nanoTime();
    JsonNode found = JSON.readTree(get(path).text());
    while (found.at(pointer).isMissingNode() || found.at(pointer).isNull()) {
      assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).as("%s", found).isLessThan(SOON);
      found = JSON.readTree(get(path).text());
    }
    return found;
  }

  /** Waits until a request is listed; returns its row. */
  private static JsonNode listed(String id) throws Exception {
    return await("?request_id=" + id, "/data/0").at("/data/0");
  }

  private static String id(RawResponse reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return Objects.requireNonNull(reply.header("x-request-id"));
  }

  @Test
  void aRequestIsListedWithinThreeSeconds() throws Exception {
    String id = id(chat("test/priced", true));
    JsonNode row = listed(id);
    assertThat(row.path("request_id").asText()).isEqualTo(id);
    assertThat(row.path("model").asText()).isEqualTo("test/priced");
    assertThat(row.path("provider").asText()).isEqualTo("mock");
    assertThat(row.path("endpoint").asText()).isEqualTo("/v1/chat/completions");
    assertThat(row.path("status").asInt()).isEqualTo(200);
    assertThat(row.path("outcome").asText()).isEqualTo("ok");
    assertThat(row.path("stream").asBoolean()).isTrue();
    assertThat(row.path("attempts").asInt()).isEqualTo(1);
    assertThat(row.path("key").path("name").asText())
        .isEqualTo(control.rows("SELECT name FROM api_key LIMIT 1").getFirst());
    assertThat(row.path("prompt_tokens").asLong()).isPositive();
    assertThat(row.path("overhead_ms").asDouble()).isPositive();
    assertThat(row.path("at").asText()).matches("[-0-9]{10}T[:0-9]{8}\\.[0-9]{3}Z");
  }

  @Test
  void theArithmeticIsTheCostThatTheClientSaw() throws Exception {
    assertArithmetic(chat("test/priced", false), "prompt_token", "completion_token");
    assertArithmetic(image(), "image");
    RawResponse stream = chat("test/priced", true);
    JsonNode report = report(id(stream));
    assertMatches(report);
    assertThat(stream.text())
        .contains("\"x_llm_cost_micro\":" + report.at("/arithmetic/rounded_micro").asLong());
  }

  private static void assertArithmetic(RawResponse reply, String... units) throws Exception {
    JsonNode report = report(id(reply));
    assertMatches(report);
    assertThat(reply.header("x-llm-cost-micro"))
        .isEqualTo(report.at("/arithmetic/rounded_micro").asText());
    assertThat(report.at("/arithmetic/lines").findValuesAsText("unit")).contains(units);
    assertThat(report.at("/arithmetic/note").isNull()).as("%s", report).isTrue();
  }

  private static JsonNode report(String id) throws Exception {
    return await("/" + id, "/charge");
  }

  private static void assertMatches(JsonNode report) {
    JsonNode arithmetic = report.path("arithmetic");
    BigInteger sum = BigInteger.ZERO;
    for (JsonNode line : arithmetic.path("lines")) {
      BigInteger pico =
          BigInteger.valueOf(line.path("quantity").asLong())
              .multiply(BigInteger.valueOf(line.path("price_pico").asLong()));
      assertThat(line.path("pico").bigIntegerValue()).isEqualTo(pico);
      sum = sum.add(pico);
    }
    assertThat(arithmetic.path("total_pico").bigIntegerValue()).isEqualTo(sum);
    assertThat(arithmetic.path("matches").asBoolean()).as("%s", report).isTrue();
    assertThat(arithmetic.path("priced_as")).hasSize(1);
    long cost = report.path("cost_micro").asLong();
    assertThat(cost).isPositive();
    assertThat(arithmetic.path("rounded_micro").asLong()).isEqualTo(cost);
    assertThat(report.at("/charge/cost_micro").asLong()).isEqualTo(cost);
    assertThat(report.at("/charge/how").asText()).isEqualTo("completed");
    assertThat(report.path("attempts")).hasSize(1);
    JsonNode attempt = report.at("/attempts/0");
    assertThat(attempt.path("at_ms").isNumber()).as("%s", report).isTrue();
    assertThat(attempt.path("at_ms").asDouble() + attempt.path("ms").asDouble())
        .isBetween(0.0, report.path("total_ms").asDouble() + 1);
    assertThat(report.at("/routing/selected").asText()).isEqualTo("mock");
    assertThat(report.path("phases")).isNotEmpty();
    assertThat(report.at("/bytes/response").asLong()).isPositive();
    assertThat(report.path("error").isNull()).isTrue();
    assertThat(report.path("job").isNull()).isTrue();
  }

  @Test
  void anEstimateIsNamed() throws Exception {
    JsonNode report = report(id(chat("test/no-usage", true)));
    assertMatches(report);
    assertThat(report.at("/arithmetic/note").asText()).isEqualTo("estimate");
    assertThat(report.at("/arithmetic/notes/0").asText()).contains("the gateway counted");
    assertThat(report.path("estimated").asBoolean()).isTrue();
  }

  @Test
  void theOperatorsCostIsForOperatorsOnly() throws Exception {
    String id = id(chat("test/priced", false));
    JsonNode theirs = report(id);
    assertThat(theirs.path("operator_cost_micro").isNull()).isTrue();
    JsonNode shown = operator.get("/orgs/" + org + "/requests/" + id).json();
    assertThat(shown.path("operator_cost_micro").asLong())
        .isEqualTo(theirs.path("cost_micro").asLong());
  }

  @Test
  void aRefusalHasItsErrorAndNothingToCompute() throws Exception {
    RawResponse refused = chat("test/absent", false);
    assertThat(refused.status()).isEqualTo(404);
    JsonNode report = await("/" + refused.header("x-request-id"), "/request_id");
    assertThat(report.at("/error/code").asText()).isEqualTo("model_not_found");
    assertThat(report.at("/error/type").asText()).isNotEmpty();
    assertThat(report.at("/error/param").asText()).isEqualTo("model");
    assertThat(report.path("charge").isNull()).as("%s", report).isTrue();
    assertThat(report.path("arithmetic").isNull()).as("%s", report).isTrue();
    assertThat(report.path("cost_micro").asLong()).isZero();
  }

  /** This gateway is the only node, so its own buckets tell. */
  @Test
  void whatIsUsedOfTheLimitsIsShown() throws Exception {
    for (int n = 0; n < 3; n++) {
      id(chat("test/chat", false));
    }
    JsonNode limits = viewer.get("/orgs/" + org + "/limits").json();
    assertThat(limits.at("/used/requests_per_second").isInt()).as("%s", limits).isTrue();
    assertThat(limits.at("/used/requests_per_minute").isInt()).as("%s", limits).isTrue();
    assertThat(limits.at("/used/concurrency").isNull()).isTrue();
  }

  @Test
  void filtersHistogramAndFacetsAgree() throws Exception {
    listed(id(chat("test/chat", false)));
    listed(id(chat("test/priced", false)));
    JsonNode page = json("?model=test/chat&status=2xx&stream=false&limit=200");
    assertThat(page.path("data").findValuesAsText("model")).isNotEmpty().containsOnly("test/chat");
    assertThat(page.path("next_cursor").isNull()).isTrue();
    assertThat(json("?model=test/chat&model=test/priced&limit=200").path("data").size())
        .isGreaterThan(page.path("data").size());
    assertThat(json("?model=test/chat&min_cost_micro=1").path("data")).isEmpty();
    assertThat(json("?code=rate_limited").path("refused").isObject()).isTrue();
    String time = "from=" + Instant.now().minus(Duration.ofHours(2)) + "&to=" + Instant.now();
    JsonNode histogram = json("/histogram?model=test/chat&" + time);
    assertThat(histogram.path("interval").asText()).matches("[1-9][0-9]*[smhd]");
    assertThat(histogram.path("slots").size()).isBetween(60, 120);
    long ok = 0;
    for (JsonNode slot : histogram.path("slots")) {
      ok += slot.path("ok").asLong();
    }
    long listed = json("?model=test/chat&limit=200").path("data").size();
    assertThat(ok).isEqualTo(listed);
    JsonNode facets = json("/facets?status=200&" + time);
    assertThat(facets.path("models").findValuesAsText("name")).contains("test/chat", "test/priced");
    assertThat(facets.path("ignored").get(0).asText()).isEqualTo("status");
  }

  @Test
  void aCursorIsBoundToItsFilters() throws Exception {
    listed(id(chat("test/chat", false)));
    listed(id(chat("test/chat", false)));
    JsonNode first = json("?model=test/chat&limit=1");
    String cursor = first.path("next_cursor").asText();
    JsonNode second = json("?model=test/chat&limit=1&cursor=" + cursor);
    assertThat(second.at("/data/0/request_id").asText())
        .isNotEmpty()
        .isLessThan(first.at("/data/0/request_id").asText());
    byte[] bytes = Base64.getUrlDecoder().decode(cursor);
    bytes[bytes.length - 1] ^= 1;
    String damaged = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    for (String query :
        List.of(
            "?model=test/priced&cursor=" + cursor,
            "?cursor=" + cursor,
            "?model=test/chat&cursor=" + damaged,
            "?model=test/chat&cursor=x")) {
      assertInvalid(query, "cursor");
    }
  }

  private static void assertInvalid(String query, String param) throws Exception {
    RawResponse refused = get(query);
    assertThat(refused.status()).as(query).isEqualTo(400);
    assertThat(JSON.readTree(refused.text()).at("/error/param").asText()).isEqualTo(param);
  }

  @Test
  void oddFiltersAreRefusedOrMatchNothing() throws Exception {
    assertInvalid("?status=2x", "status");
    assertInvalid("?from=yesterday", "from");
    assertInvalid("?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from");
    assertInvalid("?modle=x", "modle");
    assertInvalid("?limit=0", "limit");
    assertInvalid("/histogram?limit=1", "limit");
    String odd = URLEncoder.encode("~' OR 1=1 --é", StandardCharsets.UTF_8);
    for (String filter : List.of("request_id", "model", "outcome", "client_ip", "key")) {
      assertThat(json("?" + filter + "=" + odd).path("data")).as(filter).isEmpty();
    }
    String past = "from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z";
    assertThat(json("?" + past).path("data")).isEmpty();
    assertThat(json("/histogram?from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z").path("slots"))
        .isNotEmpty();
    assertThat(json("/facets?" + past).path("models")).isEmpty();
  }

  @Test
  void anotherOrganizationsRequestIsTheSame404AsNone() throws Exception {
    String id = id(chat("test/chat", false));
    listed(id);
    OrgId other = control.org();
    Client theirs = control.member(other, Role.ADMIN);
    String base = "/orgs/" + other + "/requests/";
    RawResponse foreign = theirs.get(base + id).raw();
    RawResponse unknown = theirs.get(base + RequestId.at(System.currentTimeMillis()).value()).raw();
    assertThat(foreign.status()).isEqualTo(404);
    assertThat(withoutId(foreign)).isEqualTo(withoutId(unknown));
    assertThat(theirs.get("/orgs/" + org + "/requests").status()).isEqualTo(404);
    assertThat(theirs.get("/orgs/" + other + "/requests").json().path("data")).isEmpty();
    assertThat(operator.get(base + id).status()).isEqualTo(404);
  }

  @Test
  void modelsHaveTheirRoutesAndTheirUse() throws Exception {
    listed(id(chat("test/chat", true)));
    String path = "/orgs/" + org + "/models";
    JsonNode models = viewer.get(path + "?q=CHAT").json().path("data");
    assertThat(models.findValuesAsText("id")).containsExactly("test/chat");
    JsonNode model = models.get(0);
    assertThat(model.path("object").asText()).isEqualTo("model");
    assertThat(model.at("/routes/0/provider").asText()).isEqualTo("mock");
    assertThat(model.at("/routes/0/state").asText()).isEqualTo("up");
    assertThat(model.path("requests_24h").asLong()).isPositive();
    assertThat(model.path("error_rate_24h").asDouble(-1)).isZero();
    assertThat(model.path("ttft_p50_ms_24h").asDouble()).isPositive();
    assertThat(model.path("keys_allowed").asInt()).isOne();
    JsonNode first = viewer.get(path + "?limit=1").json();
    String cursor = first.path("next_cursor").asText();
    JsonNode second = viewer.get(path + "?limit=1&cursor=" + cursor).json();
    assertThat(second.at("/data/0/id").asText()).isGreaterThan(first.at("/data/0/id").asText());
    assertThat(viewer.get(path + "?modality=smell").status()).isEqualTo(400);
    JsonNode images = viewer.get(path + "?modality=image&provider=mock").json();
    assertThat(images.path("data").findValuesAsText("id")).containsExactly("test/image");
    assertThat(images.at("/data/0/error_rate_24h").isMissingNode()).isFalse();
  }

  private static String withoutId(RawResponse reply) {
    return reply.text().replace(Objects.requireNonNull(reply.header("x-request-id")), "ID");
  }
}
