package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.ProviderLink;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The classification of providers' HTTP errors (docs/decisions/retries.md#classification), row by
 * row, plain and streamed.
 */
class ErrorClassificationTest {
  /**
   * @param reply what the provider answers
   * @param triesAlone how often the only provider is asked
   * @param shouldRetry {@code x-should-retry}; null: the SDK decides
   */
  record Row(
      String name,
      String reply,
      int status,
      String code,
      RequestOutcome ending,
      int triesAlone,
      boolean fallsBack,
      @Nullable Boolean shouldRetry,
      int retryAfter) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        unavailable("500", OpenAiWire.error(500, "server_error", "oops"), null, 0),
        unavailable("502", OpenAiWire.response(502, "Bad", "", "<html>"), null, 0),
        unavailable("503 with Retry-After", error(503, "Retry-After: 7\r\n", "busy"), true, 7),
        unavailable("529", OpenAiWire.error(529, "overloaded_error", "busy"), null, 0),
        unavailable("408", OpenAiWire.error(408, "timeout", "late"), null, 0),
        limited("429", OpenAiWire.error(429, "rate_limit", "slow"), 2, 1),
        limited("429 with Retry-After", error(429, "Retry-After: 40\r\n", "slow"), 1, 40),
        limited("429 in milliseconds", error(429, "retry-after-ms: 2500\r\n", "slow"), 1, 3),
        limited("429 for an hour", error(429, "Retry-After: 3600\r\n", "slow"), 1, 60),
        credential("401", OpenAiWire.error(401, "invalid_api_key", "Incorrect key sk-1")),
        credential("402", OpenAiWire.error(402, "payment", "pay")),
        credential("403", OpenAiWire.error(403, "forbidden", "no")),
        credential(
            "429 that means the account is empty", OpenAiWire.error(429, "insufficient_quota", "")),
        credential("400 that means the key is wrong", OpenAiWire.error(400, "API_KEY_INVALID", "")),
        credential(
            "400 that means the limit of the account",
            OpenAiWire.error(
                400, "", "invalid", "You have reached your specified API usage limits.")),
        missing(
            "400 that means the account may not use the model",
            OpenAiWire.error(
                400,
                "",
                "unsupported",
                "Your organization must be verified to stream this model.")),
        rejected(
            "context in words",
            OpenAiWire.error(
                400,
                "",
                "400",
                "Input length 9 exceeds the maximum allowed input length of 8 tokens.")),
        missing("404", OpenAiWire.error(404, "model_not_found", "which?")),
        odd("302", OpenAiWire.response(302, "Found", "Location: http://10.0.0.1/\r\n", "{}")),
        odd("204", "HTTP/1.1 204 No Content\r\n\r\n"),
        odd("418", OpenAiWire.error(418, "teapot", "short and stout")),
        rejected("400", OpenAiWire.error(400, "bad_value", "temperature too hot")),
        rejected("422", OpenAiWire.error(422, "bad_value", "temperature too hot")),
        rejected(
            "context", OpenAiWire.error(400, "context_length_exceeded", "at most 8192 tokens")),
        rejected("filter", OpenAiWire.error(400, "content_filter", "violates the policy")),
        new Row(
            "413",
            OpenAiWire.error(413, "too_large", "too big"),
            413,
            "request_too_large",
            RequestOutcome.PROVIDER_REJECTED,
            1,
            false,
            false,
            0));
  }

  private static String error(int status, String fields, String message) {
    return OpenAiWire.error(status, fields, "some_code", message);
  }

  private static Row unavailable(
      String name, String reply, @Nullable Boolean retry, int retryAfter) {
    return new Row(
        name,
        reply,
        503,
        "provider_unavailable",
        RequestOutcome.PROVIDER_UNAVAILABLE,
        2,
        true,
        retry,
        retryAfter);
  }

  private static Row limited(String name, String reply, int tries, int retryAfter) {
    return new Row(
        name,
        reply,
        429,
        "provider_rate_limited",
        RequestOutcome.PROVIDER_RATE_LIMITED,
        tries,
        true,
        true,
        retryAfter);
  }

  private static Row credential(String name, String reply) {
    return new Row(
        name, reply, 502, "provider_error", RequestOutcome.PROVIDER_AUTH, 1, true, false, 0);
  }

  private static Row missing(String name, String reply) {
    return new Row(
        name, reply, 502, "provider_error", RequestOutcome.PROVIDER_ERROR, 1, true, null, 0);
  }

  private static Row odd(String name, String reply) {
    return new Row(
        name, reply, 502, "provider_error", RequestOutcome.PROVIDER_ERROR, 2, true, null, 0);
  }

  private static Row rejected(String name, String reply) {
    return new Row(
        name,
        reply,
        400,
        "validation_failed",
        RequestOutcome.PROVIDER_REJECTED,
        1,
        false,
        false,
        0);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void theOnlyProviderFails(Row row) {
    for (boolean stream : new boolean[] {true, false}) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
        RecordedClient client = stream ? scenario.askStream() : scenario.askPlain();
        int tries = 0;
        while (!client.isAnswered()) {
          scenario.lastRequestLink().send(row.reply());
          tries++;
          scenario.passMillis(700);
        }
        Fault fault = client.fault();
        assertThat(tries).isEqualTo(row.triesAlone());
        assertThat(fault.code().status()).isEqualTo(row.status());
        assertThat(fault.code().wire()).isEqualTo(row.code());
        assertThat(fault.provider()).hasToString("alpha");
        assertThat(fault.shouldRetry()).isEqualTo(row.shouldRetry());
        assertThat(fault.retryAfterSeconds()).isEqualTo(row.retryAfter());
        assertThat(fault.message()).doesNotContain("sk-1");
        assertThat(scenario.record().outcome()).isEqualTo(row.ending());
        assertThat(scenario.record().code()).isEqualTo(fault.code());
        assertThat(scenario.served().attempts()).hasSize(tries);
        assertThat(scenario.served().cost().value()).isZero();
        assertThat(client.field("X-LLM-Cost-Micro")).isEqualTo("0");
        assertThat(client.field("X-LLM-Routing-Reason")).startsWith("strategy=priority");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void anotherProviderIsAskedAtOnceOrNotAtAll(Row row) {
    try (var scenario = Scenario.of(TestCatalog.of("alpha", "beta"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(row.reply());
      assertThat(scenario.links() == 2).isEqualTo(row.fallsBack());
      if (row.fallsBack()) {
        scenario.link(1).send(OpenAiWire.completion("fine"));
        assertThat(client.whole().status()).isEqualTo(200);
      } else {
        assertThat(client.fault().code().wire()).isEqualTo(row.code());
      }
    }
  }

  /** What a client may read of the provider's own words. */
  @ParameterizedTest
  @MethodSource("rejections")
  void aRejectionKeepsTheProvidersWords(String code, String message) {
    String body =
        "{\"error\":{\"message\":\""
            + message
            + "\",\"type\":\"invalid_request_error\",\"param\":\"messages\",\"code\":\""
            + code
            + "\"}}";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.response(400, "Bad Request", "", body));
      assertThat(client.fault().message()).isEqualTo(message);
      assertThat(client.fault().param()).isEqualTo("messages");
      assertThat(client.fault().details()).containsEntry("provider_code", code);
    }
  }

  static Stream<Arguments> rejections() {
    return Map.of(
            "context_length_exceeded", "at most 8192 tokens",
            "content_filter", "violates the policy",
            "bad_value", "temperature too hot")
        .entrySet()
        .stream()
        .map(e -> Arguments.of(e.getKey(), e.getValue()));
  }

  /** How the end of a reply fails to come. */
  enum Cut {
    FIN,
    RESET,
    SILENCE
  }

  static Stream<Arguments> cutRows() {
    return rows()
        .filter(row -> row.reply().contains("Content-Length"))
        .flatMap(row -> Stream.of(Cut.values()).map(cut -> Arguments.of(row, cut)));
  }

  @ParameterizedTest
  @MethodSource("cutRows")
  void aReplyWhoseEndDoesNotComeIsJudgedByItsStatusAndWhatCame(Row row, Cut cut) {
    String reply = row.reply().replaceFirst("Content-Length: \\d+", "Content-Length: 9999");
    for (boolean stream : new boolean[] {true, false}) {
      try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
        RecordedClient client = stream ? scenario.askStream() : scenario.askPlain();
        while (!client.isAnswered()) {
          cut(scenario, reply, cut);
        }
        assertThat(scenario.served().attempts())
            .hasSize(row.triesAlone())
            .allMatch(attempt -> attempt.status() == statusOf(reply));
        assertThat(client.fault().code().wire()).isEqualTo(row.code());
        assertThat(client.fault().shouldRetry()).isEqualTo(row.shouldRetry());
        assertThat(client.fault().retryAfterSeconds()).isEqualTo(row.retryAfter());
        assertThat(scenario.record().outcome()).isEqualTo(row.ending());
      }
    }
  }

  private static void cut(Scenario scenario, String reply, Cut cut) {
    ProviderLink provider = scenario.lastRequestLink().send(reply);
    switch (cut) {
      case FIN -> provider.fin();
      case RESET -> provider.reset();
      case SILENCE -> scenario.passSeconds(30);
    }
    assertThat(provider.isOpen()).isFalse();
    scenario.passMillis(700);
  }

  private static int statusOf(String reply) {
    return Integer.parseInt(reply.substring(9, 12));
  }

  /** FastAPI servers repeat in their complaint what they complain of. */
  @Test
  void aComplaintIsReadHoweverLongTheInputThatItRepeats() {
    String body =
        "{\"detail\":[{\"type\":\"string_type\",\"loc\":[\"body\",\"messages\",0,\"content\"],"
            + "\"msg\":\"Input should be a valid string\",\"input\":\""
            + "x".repeat(100_000)
            + "\"}]}";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"))) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.response(422, "Unprocessable", "", body));
      assertThat(client.fault().message()).isEqualTo("Input should be a valid string");
      assertThat(client.fault().param()).isEqualTo("messages[0].content");
    }
  }

  @Test
  void anErrorWithoutRoomInTheBudgetIsJudgedByItsStatus() {
    String body = "{\"x\":\"" + "x".repeat(100_000) + "\"}";
    try (var scenario = Scenario.of(TestCatalog.of("alpha"), 50_000)) {
      RecordedClient client = scenario.askPlain();
      scenario.link(0).send(OpenAiWire.response(413, "Large", "", body));
      assertThat(client.fault().code().wire()).isEqualTo("request_too_large");
    }
  }
}
