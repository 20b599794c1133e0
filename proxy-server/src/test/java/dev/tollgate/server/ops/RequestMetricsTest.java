package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Cause;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.testkit.Seeds;
import dev.tollgate.server.metrics.Metrics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RequestMetricsTest {
  private final Metrics metrics = new Metrics();
  private final RequestMetrics requests = new RequestMetrics(metrics);

  @BeforeEach
  void configure() {
    requests.configured(RequestRecords.catalog());
  }

  @Test
  void aStreamThatEndedWellIsCountedOnceEverywhere() throws IOException {
    requests.ended(RequestRecords.streamed());

    assertThat(scrape())
        .contains(
            "tollgate_requests_total{code=\"none\",model=\"mock/chat\",outcome=\"ok\","
                + "provider=\"mock\",route=\"/v1/chat/completions\"} 1.0",
            "tollgate_request_duration_seconds_count{model=\"mock/chat\","
                + "route=\"/v1/chat/completions\",stream=\"true\"} 1",
            "tollgate_first_token_seconds_bucket{model=\"mock/chat\",provider=\"mock\",le=\"0.1\"}"
                + " 1",
            "tollgate_first_token_seconds_bucket{model=\"mock/chat\",provider=\"mock\",le=\"0.05\"}"
                + " 0",
            "tollgate_overhead_seconds_bucket{le=\"2.0E-4\"} 0",
            "tollgate_overhead_seconds_bucket{le=\"3.0E-4\"} 1",
            "tollgate_attempts_total{outcome=\"ok\",provider=\"mock\"} 1.0",
            "tollgate_stream_ends_total{ending=\"ok\"} 1.0",
            "tollgate_tokens_total{kind=\"prompt\",model=\"mock/chat\"} 11.0",
            "tollgate_tokens_total{kind=\"cached\",model=\"mock/chat\"} 3.0",
            "tollgate_tokens_total{kind=\"completion\",model=\"mock/chat\"} 64.0",
            "tollgate_cost_micro_usd_total{model=\"mock/chat\"} 42.0");
  }

  @Test
  void aCostAboveTheChargeIsCountedWithItsDifference() throws IOException {
    requests.ended(RequestRecords.costing(42));
    assertThat(scrape()).doesNotContain("tollgate_requests_below_cost_total{");
    requests.ended(RequestRecords.costing(45));
    assertThat(scrape())
        .contains(
            "tollgate_requests_below_cost_total{model=\"mock/chat\",provider=\"mock\"} 1.0",
            "tollgate_shortfall_micro_usd_total{model=\"mock/chat\",provider=\"mock\"} 3.0",
            "tollgate_cost_micro_usd_total{model=\"mock/chat\"} 84.0");
  }

  @Test
  void aRefusalBeforeRoutingHasNoModelAndNoOverhead() throws IOException {
    requests.ended(RequestRecords.refused("/v1/chat/completions", ErrorCode.INVALID_API_KEY));

    assertThat(scrape())
        .contains(
            "tollgate_requests_total{code=\"invalid_api_key\",model=\"none\",outcome=\"rejected\","
                + "provider=\"none\",route=\"/v1/chat/completions\"} 1.0",
            "tollgate_overhead_seconds_count 0")
        .doesNotContain("tollgate_first_token_seconds_count{", "tollgate_tokens_total{");
  }

  @Test
  void resentRequestsAndWhatWasDroppedAreCountedByProvider() throws IOException {
    requests.ended(RequestRecords.broken());

    assertThat(scrape())
        .contains(
            "tollgate_requests_resent_total{provider=\"mock\"} 1.0",
            "tollgate_dropped_members_total{provider=\"mock\"} 2.0",
            "tollgate_dropped_events_total{provider=\"mock\"} 2.0",
            "tollgate_stream_anomalies_total{kind=\"usage_unsound\",provider=\"mock\"} 1.0");
  }

  @Test
  void fallbacksAreCountedByBothProvidersAndReason() throws IOException {
    requests.ended(withOutcomes("server_error", "rate_limited", "ok"));
    requests.ended(withOutcomes("server_error", "ok"));
    requests.ended(withOutcomes("ok"));
    requests.ended(hedged());

    assertThat(scrape())
        .contains(
            "tollgate_fallbacks_total{from=\"mock\",reason=\"server_error\",to=\"mock\"} 2.0",
            "tollgate_fallbacks_total{from=\"mock\",reason=\"rate_limited\",to=\"mock\"} 1.0",
            "tollgate_fallbacks_total{from=\"other\",reason=\"late\",to=\"mock\"} 1.0",
            "tollgate_attempts_total{outcome=\"server_error\",provider=\"mock\"} 3.0",
            "tollgate_attempts_total{outcome=\"rate_limited\",provider=\"mock\"} 1.0",
            "tollgate_attempts_total{outcome=\"ok\",provider=\"mock\"} 3.0")
        .doesNotContain(
            "tollgate_fallbacks_total{from=\"mock\",reason=\"ok\"",
            "tollgate_fallbacks_total{from=\"mock\",reason=\"server_error\",to=\"other\"}");
  }

  @Test
  void shedRequestsAreCountedByUrgency() throws IOException {
    ErrorCode code = ErrorCode.SERVICE_UNAVAILABLE;
    requests.ended(
        RequestRecords.record(
            "/v1/chat/completions", 503, RequestOutcome.SHED, code, RequestRecords.KEY, null));
    requests.ended(
        RequestRecords.record(
            "/v1/chat/completions", 503, RequestOutcome.SHED, code, RequestRecords.KEY, null));
    requests.ended(
        RequestRecords.record(
            "/v1/models", 503, RequestOutcome.SHED, code, RequestRecords.KEY, null));
    requests.ended(
        RequestRecords.record(
            "/v1/chat/completions",
            503,
            RequestOutcome.DEPENDENCY_DOWN,
            code,
            RequestRecords.KEY,
            null));

    assertThat(scrape())
        .contains(
            "tollgate_shed_total{urgency=\"interactive\"} 2.0",
            "tollgate_shed_total{urgency=\"lookup\"} 1.0",
            "tollgate_shed_total{urgency=\"submission\"} 0.0");
  }

  @Test
  void aCancelledStreamIsNotAFailedOne() throws IOException {
    requests.ended(
        RequestRecords.record(
            "/v1/chat/completions",
            200,
            RequestOutcome.CLIENT_ABORT,
            null,
            RequestRecords.KEY,
            RequestRecords.served(RequestRecords.MODEL, RequestRecords.PROVIDER)));

    assertThat(scrape())
        .contains(
            "tollgate_stream_ends_total{ending=\"client_abort\"} 1.0",
            "tollgate_stream_ends_total{ending=\"stream_interrupted\"} 0.0");
  }

  @Test
  void noClientCanMakeASeries() {
    requests.ended(RequestRecords.streamed());
    requests.ended(strange(new Random(1)));
    requests.ended(RequestRecords.refused("/strange", ErrorCode.NOT_FOUND));
    long before = seriesCount();

    Seeds.forEach(
        1,
        random -> {
          for (int i = 0; i < 10_000; i++) {
            requests.ended(strange(random));
            requests.ended(
                RequestRecords.refused(
                    "/" + Long.toString(random.nextLong(), 36), ErrorCode.NOT_FOUND));
          }
        });

    assertThat(seriesCount()).isEqualTo(before);
  }

  @Test
  void outcomesOfAttemptsStayAClosedListEvenIfTheCoreInventsSome() {
    for (int i = 0; i < 1_000; i++) {
      requests.ended(withOutcomes("outcome-" + i));
    }

    assertThat(seriesCount()).isLessThan(250);
  }

  /** Returns a request whose attempts ended like this, one after the other. */
  private static RequestRecord withOutcomes(String... outcomes) {
    List<AttemptRecord> attempts = new ArrayList<>();
    for (String outcome : outcomes) {
      AttemptRecord before = attempts.isEmpty() ? null : attempts.getLast();
      attempts.add(
          attempt(
              RequestRecords.PROVIDER,
              outcome,
              before == null ? null : new Cause(before.provider(), before.outcome())));
    }
    return with(attempts);
  }

  /** Returns a request whose hedge failed and whose first attempt served. */
  private static RequestRecord hedged() {
    var first = new ProviderId("elsewhere");
    return with(
        List.of(
            attempt(RequestRecords.PROVIDER, "server_error", new Cause(first, "late")),
            attempt(first, "ok", null)));
  }

  private static AttemptRecord attempt(ProviderId provider, String outcome, @Nullable Cause cause) {
    return new AttemptRecord(
        provider,
        new RequestRecord.Result(outcome, 500, 0, Duration.ofMillis(812), "", ""),
        0,
        Set.of(),
        "",
        0,
        List.of(),
        cause);
  }

  private static RequestRecord with(List<AttemptRecord> attempts) {
    var served = RequestRecords.served(RequestRecords.MODEL, RequestRecords.PROVIDER);
    return RequestRecords.record(
        "/v1/chat/completions",
        502,
        RequestOutcome.PROVIDER_ERROR,
        ErrorCode.PROVIDER_FAILURE,
        RequestRecords.KEY,
        new RequestRecord.Served(
            served.model(),
            false,
            served.provider(),
            served.routing(),
            new RequestRecord.AttemptsSummary(attempts, served.resumed(), served.hedged()),
            served.charge(),
            new RequestRecord.Timing(
                null,
                served.timing().upstream(),
                served.timing().overhead(),
                served.timing().phases())));
  }

  private static RequestRecord strange(Random random) {
    var model = new ModelId("v", Long.toString(random.nextLong() >>> 1, 36));
    var provider = new ProviderId(Long.toString(random.nextLong() >>> 1, 36));
    return RequestRecords.record(
        "/v1/" + random.nextLong(),
        200,
        RequestOutcome.OK,
        null,
        RequestRecords.KEY,
        RequestRecords.served(model, provider));
  }

  private String scrape() throws IOException {
    return metrics.scrape(null).text();
  }

  private long seriesCount() {
    return metrics.snapshot().stream().mapToLong(family -> family.getDataPoints().size()).sum();
  }
}
