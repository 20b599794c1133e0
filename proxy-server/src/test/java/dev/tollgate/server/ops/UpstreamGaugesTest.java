package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.RoutingRules;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.ExtraAttempt;
import dev.tollgate.core.routing.Fleet;
import dev.tollgate.core.routing.Fleet.PlacementResult;
import dev.tollgate.core.routing.Placement;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.testkit.ScriptedConnector;
import dev.tollgate.core.testkit.TestCatalog;
import dev.tollgate.core.upstream.Upstreams;
import dev.tollgate.server.metrics.Metrics;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Health of providers in {@code GET /providers} and in the metrics. */
final class UpstreamGaugesTest {
  private static final Catalog CATALOG =
      TestCatalog.of(
          TestCatalog.withSensitiveBreaker("alpha"),
          TestCatalog.keyed("beta", "k-one", "k-two"),
          TestCatalog.keyed("gamma"));
  private static final List<Candidate> CANDIDATES = TestCatalog.plan(CATALOG).candidates();
  private static final Candidate ALPHA = CANDIDATES.get(0);
  private static final Candidate BETA = CANDIDATES.get(1);
  private static final Candidate GAMMA = CANDIDATES.get(2);

  private final MockTicker ticker = Ticker.newMockTicker();
  private final Random random = new Random(1);
  private final Fleet fleet = new Fleet();
  private final Metrics metrics = new Metrics();
  private final UpstreamGauges gauges =
      new UpstreamGauges(
          new Upstreams(new ScriptedConnector(UnpooledByteBufAllocator.DEFAULT)),
          () -> CATALOG,
          fleet,
          ticker,
          metrics);

  @Test
  void anUnusedProviderIsHealthy() throws IOException {
    JsonNode alpha = shown("alpha");
    assertThat(alpha.get("circuit").toString())
        .isEqualTo("{\"state\":\"closed\",\"generation\":0,\"openings\":0,\"wait_ms\":0}");
    assertThat(alpha.get("in_flight").asInt(-1)).isZero();
    assertThat(alpha.get("retries_refused").asInt(-1)).isZero();
    assertThat(alpha.get("keys")).hasSize(1);
    assertThat(alpha.at("/keys/0/state").asText()).isEqualTo("usable");
    assertThat(alpha.at("/keys/0/fingerprint").asText()).matches("[0-9a-f]{12}");
    assertThat(alpha.get("routes").toString())
        .isEqualTo(
            "[{\"model\":\"acme/one\",\"upstream_model\":\"one-at-alpha\",\"missing\":false,"
                + "\"circuit\":{\"state\":\"closed\",\"generation\":0,\"openings\":0,\"wait_ms\":0},"
                + "\"organizations_open\":0,\"organization_openings\":0}]");
    assertThat(shown("gamma").at("/keys/0/fingerprint").asText()).isEqualTo("none");
    assertThat(alpha.toString()).as("no key is shown").doesNotContain("sk-of-alpha");
    for (String name : List.of("circuit_state", "requests_in_flight", "keys_refused")) {
      assertThat(metric(name, "alpha")).isZero();
    }
  }

  @Test
  void theCircuitGaugeFollowsItsStates() throws IOException {
    place(ALPHA).failed(UpstreamFailure.of(Kind.UNREACHABLE, "test"), ticker.nanoTime());
    JsonNode open = shown("alpha").get("circuit");
    assertThat(open.get("state").asText()).isEqualTo("open");
    assertThat(open.get("generation").asLong()).isOne();
    assertThat(open.get("openings").asLong()).isOne();
    assertThat(open.get("wait_ms").asLong()).isBetween(1_600L, 2_000L);
    assertThat(metric("circuit_state", "alpha")).isEqualTo(2);
    assertThat(metric("circuit_state", "beta")).isZero();

    ticker.advanceMillis(2_000);
    Placement probe = place(ALPHA);
    assertThat(shown("alpha").at("/circuit/state").asText()).isEqualTo("half_open");
    assertThat(shown("alpha").at("/circuit/wait_ms").asLong()).isEqualTo(5_000);
    assertThat(shown("alpha").get("in_flight").asInt()).isOne();
    assertThat(metric("circuit_state", "alpha")).isOne();
    assertThat(metric("requests_in_flight", "alpha")).isOne();

    probe.answered(ticker.nanoTime());
    probe.succeeded(1, ticker.nanoTime());
    assertThat(shown("alpha").at("/circuit/state").asText()).isEqualTo("closed");
    assertThat(shown("alpha").at("/circuit/generation").asLong()).isEqualTo(2);
    assertThat(metric("circuit_state", "alpha")).isZero();
    assertThat(metric("requests_in_flight", "alpha")).isZero();
  }

  @Test
  void circuitsOfModelsAndOrganizationsAreCounted() throws IOException {
    for (int n = 0; n < 3; n++) {
      place(new OrgId(new UUID(0, n)), ALPHA)
          .failed(UpstreamFailure.of(Kind.SERVER_ERROR, "test"), ticker.nanoTime());
    }
    JsonNode route = shown("alpha").at("/routes/0");
    assertThat(route.at("/circuit/state").asText()).isEqualTo("open");
    assertThat(route.get("organizations_open").asInt()).isEqualTo(3);
    assertThat(route.get("organization_openings").asInt()).isEqualTo(3);
    assertThat(shown("alpha").at("/circuit/state").asText()).isEqualTo("closed");
    assertThat(metric("model_circuits_open", "alpha")).isOne();
    assertThat(metric("org_circuits_open", "alpha")).isEqualTo(3);
    assertThat(metric("model_circuits_open", "beta")).isZero();
    assertThat(metric("org_circuits_open", "beta")).isZero();
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_org_circuits 3.0",
            "tollgate_org_circuits_evicted_total 0.0",
            "tollgate_circuit_openings_total{provider=\"alpha\",scope=\"endpoint\"} 0.0",
            "tollgate_circuit_openings_total{provider=\"alpha\",scope=\"model\"} 1.0",
            "tollgate_circuit_openings_total{provider=\"alpha\",scope=\"organization\"} 3.0");
  }

  @Test
  void coolingAndRefusedKeysAreCounted() throws IOException {
    place(BETA)
        .failed(new UpstreamFailure(Kind.RATE_LIMITED, 429, "", null, null, 30), ticker.nanoTime());
    place(BETA)
        .failed(
            new UpstreamFailure(Kind.CREDENTIAL_REFUSED, 401, "", null, null, 0),
            ticker.nanoTime());
    assertThat(shown("beta").get("keys").toString())
        .contains("\"state\":\"cooling\",\"wait_ms\":30000")
        .contains("\"state\":\"refused\",\"wait_ms\":60000");
    assertThat(metric("keys_cooling", "beta")).isOne();
    assertThat(metric("keys_refused", "beta")).isOne();

    ticker.advanceMillis(30_000);
    assertThat(shown("beta").get("keys").toString())
        .contains("\"state\":\"usable\",\"wait_ms\":0")
        .contains("\"state\":\"refused\",\"wait_ms\":30000");
    assertThat(metric("keys_cooling", "beta")).as("its wait is over").isZero();
    assertThat(metric("keys_refused", "beta")).isOne();
  }

  @Test
  void aRouteShowsItsLatencyAndMissingModels() {
    Placement stream = place(GAMMA);
    ticker.advanceMillis(200);
    stream.firstContent(ticker.nanoTime());
    ticker.advanceMillis(1_000);
    stream.succeeded(50, ticker.nanoTime());
    JsonNode route = shown("gamma").at("/routes/0");
    assertThat(route.get("first_content_p50_ms").asLong()).isBetween(200L, 240L);
    assertThat(route.get("first_content_p95_ms").asLong()).isBetween(200L, 240L);
    assertThat(route.get("tokens_per_second_p50").asLong()).isBetween(50L, 60L);
    assertThat(route.get("missing").asBoolean(true)).isFalse();

    place(GAMMA).failed(UpstreamFailure.of(Kind.MODEL_MISSING, "test"), ticker.nanoTime());
    assertThat(shown("gamma").at("/routes/0/missing").asBoolean(false)).isTrue();
  }

  @Test
  void retryBudgetRefusalsAreCountedByPurpose() throws IOException {
    for (int i = 0; i < 5; i++) {
      fleet.tryTakeFromBudget(ExtraAttempt.RETRY, GAMMA, RoutingRules.DEFAULT, ticker.nanoTime());
    }
    fleet.tryTakeFromBudget(ExtraAttempt.HEDGE, GAMMA, RoutingRules.DEFAULT, ticker.nanoTime());
    assertThat(shown("gamma").get("retries_refused").asLong()).isEqualTo(2);
    assertThat(shown("gamma").get("hedges_refused").asLong()).isEqualTo(1);
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_retry_budget_exhausted_total{provider=\"gamma\",purpose=\"retry\"} 2.0",
            "tollgate_retry_budget_exhausted_total{provider=\"gamma\",purpose=\"hedge\"} 1.0",
            "tollgate_retry_budget_exhausted_total{provider=\"alpha\",purpose=\"hedge\"} 0.0");
  }

  private Placement place(Candidate candidate) {
    return place(TestCatalog.ORG, candidate);
  }

  private Placement place(OrgId org, Candidate candidate) {
    if (fleet.place(
            org, candidate, RoutePlan.CredentialPolicy.HEALTHY_ONLY, ticker.nanoTime(), random)
        instanceof PlacementResult.Placed placed) {
      return placed.placement();
    }
    throw new AssertionError("excluded");
  }

  private JsonNode shown(String provider) {
    JsonNode all = new ObjectMapper().valueToTree(gauges.providers());
    for (JsonNode one : all.get("providers")) {
      if (one.get("provider").asText().equals(provider)) {
        return one;
      }
    }
    throw new AssertionError("no " + provider + " in " + all);
  }

  private double metric(String name, String provider) throws IOException {
    String series = "tollgate_provider_" + name + "{provider=\"" + provider + "\"} ";
    return metrics
        .scrape(null)
        .text()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + series));
  }
}
