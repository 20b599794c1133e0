package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.PriceList;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AccessLogTest {
  private final Logger logger = Logback.logger(AccessLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
    logger.setAdditive(false);
    logger.setLevel(Level.INFO);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  @Test
  void aServedRequestIsOneLineWithAllThatOperatorsAskFor() throws IOException {
    JsonNode line = line(RequestRecords.streamed());

    assertThat(line)
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"ts":"2025-11-20T12:00:00.123Z","request_id":"%s","method":"POST",
                     "route":"/v1/chat/completions","status":200,"outcome":"ok",
                     "client_ip":"203.0.113.7","total_ms":840.000,
                     "org":"00000000-0000-0000-0000-000000000007",
                     "key_id":"k3yId001","key_last4":"Wxyz",
                     "model":"mock/chat","provider":"mock",
                     "routing":"strategy=priority selected=mock priority=1 cost_micro=42 healthy=true fallbacks=none",
                     "stream":true,
                     "ttft_ms":51.000,"upstream_ms":812.000,"overhead_ms":0.212,
                     "prompt_tokens":11,"completion_tokens":64,"cached_tokens":3,
                     "reasoning_tokens":5,"estimated":false,"cost_micro":42,
                     "priced":[{"sheet":"%s","prompt":11,"completion":64,"cached":3,
                                "reasoning":5}],
                     "attempts":[{"provider":"mock","outcome":"ok","status":200,"at_ms":0.212,"ms":812.000}],
                     "phases":[{"phase":"admitted","at_ms":0.000},
                               {"phase":"relaying","at_ms":51.000}],
                     "request_bytes":321,"response_bytes":4567}
                    """
                        .formatted(RequestRecords.ID, RequestRecords.PRICES.sheet().id())));
  }

  @Test
  void aCostAboveTheChargeIsInTheLineAndFlagged() throws IOException {
    JsonNode below = line(RequestRecords.costing(43));
    assertThat(below.path("operator_cost_micro").asLong()).isEqualTo(43);
    assertThat(below.path("below_cost").asBoolean()).isTrue();
    assertThat(below.path("cost_micro").asLong()).isEqualTo(42);
    assertThat(line(RequestRecords.costing(42)).has("operator_cost_micro")).isFalse();
  }

  @Test
  void aCostBelowTheChargeIsInTheLineAlsoIfItIsZero() throws IOException {
    JsonNode free = line(RequestRecords.costing(PriceList.FREE, 0));
    assertThat(free.path("cost_micro").asLong()).isEqualTo(42);
    assertThat(free.path("operator_cost_micro").asLong(-1)).isZero();
    assertThat(free.has("below_cost")).isFalse();
    assertThat(line(RequestRecords.costing(PriceList.FREE, 9)).path("operator_cost_micro").asLong())
        .isEqualTo(9);
  }

  @Test
  void anAttemptHasItsFailureAndItsDroppedEvents() throws IOException {
    JsonNode attempt = line(RequestRecords.broken()).get("attempts").get(0);

    assertThat(attempt.get("reason").asText()).isEqualTo("Connection reset");
    assertThat(attempt.path("details").path("dropped"))
        .extracting(JsonNode::asText)
        .containsExactly("seed", "tools[1]");
    assertThat(attempt.get("dropped_events").asLong()).isEqualTo(2);
    assertThat(attempt.get("resent").asLong()).isEqualTo(1);
    assertThat(attempt.get("anomalies").asText()).isEqualTo("usages_differ,usage_unsound");
    assertThat(line(RequestRecords.streamed()).get("attempts").get(0).fieldNames())
        .toIterable()
        .containsExactly("provider", "outcome", "status", "at_ms", "ms");
  }

  @Test
  void aRefusalHasItsCodeAndNoEmptyMembers() throws IOException {
    JsonNode line = line(RequestRecords.refused("other", ErrorCode.NOT_FOUND));

    assertThat(line.get("code").asText()).isEqualTo("not_found");
    assertThat(line.fieldNames())
        .toIterable()
        .doesNotContain("org", "key_id", "model", "provider", "cost_micro", "attempts");
  }

  @Test
  void anErrorAboutAFieldHasItsPathUpToABound() throws IOException {
    assertThat(line(RequestRecords.refusedField("tools[1].type")).path("param").asText())
        .isEqualTo("tools[1].type");
    assertThat(line(RequestRecords.refusedField("m".repeat(10_000))).path("param").asText())
        .isEqualTo("m".repeat(200));
    assertThat(line(RequestRecords.refused("other", ErrorCode.NOT_FOUND)).has("param")).isFalse();
  }

  @Test
  void aHostileNameStaysInsideItsString() throws IOException {
    String hostile = "/\"\\\n\r\u0000\u2028{\"route\":\"forged\"}";
    RequestRecord request = RequestRecords.refused(hostile, ErrorCode.NOT_FOUND);

    assertThat(new AccessLine(request).toString()).doesNotContain("\n", "\r", "\u0000");
    assertThat(line(request).get("route").asText()).isEqualTo(hostile);
  }

  @Test
  void successfulRequestsAreSampled() {
    var log = new AccessLog(0.25);
    for (int i = 0; i < 10_000; i++) {
      log.ended(numbered(i, RequestOutcome.OK));
    }

    assertThat(lines.list.size()).isBetween(2_200, 2_800);
  }

  @Test
  void failuresAreAlwaysKept() {
    var log = new AccessLog(0);
    for (int i = 0; i < 100; i++) {
      log.ended(numbered(i, RequestOutcome.OK));
      log.ended(numbered(i, RequestOutcome.STREAM_INTERRUPTED));
    }

    assertThat(lines.list).hasSize(100);
  }

  @Test
  void ofShedRequestsTenLinesASecondAreWritten() {
    var log = new AccessLog(1);
    for (int millis = 0; millis < 3_000; millis++) {
      log.ended(numbered(millis, 503, RequestOutcome.SHED));
    }

    assertThat(lines.list).hasSize(30);
  }

  /** A limit, so that refused callers cannot fill the log. */
  @Test
  void ofRequestsRefusedByTheirHeadersALineAMinuteAndCallerIsWritten() {
    var log = new AccessLog(1);
    for (int i = 0; i < 5_000; i++) {
      log.ended(refused(i, "203.0.113.7"));
    }
    for (int i = 0; i < 5_000; i++) {
      log.ended(refused(60_000 + i, "203.0.113.7"));
      log.ended(refused(60_000 + i, "203.0.113.8"));
    }
    assertThat(lines.list).hasSize(3);
    lines.list.clear();
    for (int i = 0; i < 5_000; i++) {
      log.ended(refused(180_000, "2001:db8::" + i));
    }
    assertThat(lines.list).hasSize(1_000);
  }

  private static RequestRecord refused(int millis, String address) {
    return new RequestRecord(
        RequestId.at(millis),
        Duration.ZERO,
        new RequestRecord.HttpSummary(address, "POST", "other", 429, 0, 0),
        RequestOutcome.REJECTED,
        ErrorCode.RATE_LIMITED,
        null,
        null,
        null);
  }

  @Test
  void aStreamResetForMemoryIsAlwaysKept() {
    var log = new AccessLog(0);
    for (int i = 0; i < 100; i++) {
      log.ended(numbered(1, 200, RequestOutcome.SHED));
    }

    assertThat(lines.list).hasSize(100);
  }

  private JsonNode line(RequestRecord record) throws IOException {
    new AccessLog(1).ended(record);
    return new ObjectMapper().readTree(lines.list.getLast().getFormattedMessage());
  }

  private static RequestRecord numbered(int i, RequestOutcome ending) {
    return numbered(i, 200, ending);
  }

  private static RequestRecord numbered(int i, int status, RequestOutcome ending) {
    return new RequestRecord(
        RequestId.at(i),
        Duration.ZERO,
        new RequestRecord.HttpSummary("203.0.113.7", "POST", "other", status, 0, 0),
        ending,
        null,
        null,
        null,
        null);
  }
}
