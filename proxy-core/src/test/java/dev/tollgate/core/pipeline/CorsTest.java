package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Cors;
import dev.tollgate.core.pipeline.LoadShedder.Shed;
import dev.tollgate.core.pipeline.LoadShedder.Verdict;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a page of another origin may read: every reply to it, and none to any other page. */
final class CorsTest {
  private static final String APP = "https://app.example.com";
  private static final String ORIGIN = "Origin: " + APP + "\r\n";
  private static final String FOREIGN = "Origin: https://other.example.com\r\n";
  private static final String LINE = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final String ASKS = "Access-Control-Request-Method: POST\r\n";
  private static final TestGateway GATEWAY =
      gateway(new Cors(Set.of(APP, "http://localhost:5173"), Duration.ofMinutes(10)));
  private static final String AUTHORIZATION = GATEWAY.keys.authorization() + "\r\n";

  private static TestGateway gateway(@Nullable Cors cors) {
    return new TestGateway(Transport.auto(), TestGateway.options(null, cors), null);
  }

  @AfterAll
  static void close() {
    GATEWAY.close();
  }

  @AfterEach
  void reset() {
    GATEWAY.load.verdict = Verdict.SERVE;
    GATEWAY.load.shedEnteringSeconds = 0;
    GATEWAY.refusals.known = null;
    GATEWAY.service.script(call -> call.answer(200, "{}"));
  }

  private static RawResponse send(String request) {
    try (RawClient client = GATEWAY.connect()) {
      return client.send(request).readResponse();
    }
  }

  private static void assertReadable(RawResponse response, String origin) {
    assertThat(response.headers("access-control-allow-origin")).containsExactly(origin);
    assertThat(response.headers("vary")).containsExactly("Origin");
    assertThat(response.header("access-control-expose-headers"))
        .contains("X-Request-Id", "X-LLM-Cost-Micro", "Retry-After", "x-should-retry");
    assertThat(response.header("access-control-allow-credentials")).isNull();
  }

  private static void assertUnreadable(RawResponse response) {
    assertThat(response.headers("vary")).containsExactly("Origin");
    assertThat(response.rawText().toLowerCase(Locale.ROOT)).doesNotContain("access-control-");
  }

  /** All that a handler refuses; of a broken request line no origin was read. */
  static Stream<RefusalsTest.Case> refused() {
    return RefusalsTest.cases().stream().filter(each -> !each.name().equals("broken framing"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void everyRefusalIsReadable(RefusalsTest.Case given) {
    String head = given.head().replaceFirst("\r\n", "\r\n" + ORIGIN);
    RawResponse response = send(head + "\r\n");
    assertThat(response.status()).isGreaterThanOrEqualTo(400);
    assertReadable(response, APP);
    assertUnreadable(send(given.head().replaceFirst("\r\n", "\r\n" + FOREIGN) + "\r\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bad Field: x\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "Transfer-Encoding: gzip\r\n\r\n",
        "Host: b\r\n\r\n",
        "X: \u0001\r\n\r\n"
      })
  void aFramingErrorBehindTheOriginIsReadable(String broken) {
    RawResponse response = send(LINE + ORIGIN + broken);
    assertThat(response.status()).isEqualTo(400);
    assertReadable(response, APP);
    assertUnreadable(send(LINE + FOREIGN + broken));
  }

  @Test
  void aFramingErrorBeforeTheOriginIsNot() {
    assertUnreadable(send("POST  / HTTP/1.1\r\n" + ORIGIN + "\r\n"));
    assertUnreadable(send(LINE + "Bad Field: x\r\n" + ORIGIN + "\r\n"));
  }

  @Test
  void aHeadThatIsTooLargeIsReadable() {
    RawResponse response = send(LINE + ORIGIN + "X: " + "x".repeat(33_000));
    assertThat(response.status()).isEqualTo(413);
    assertReadable(response, APP);
  }

  @Test
  void aBrokenBodyIsReadable() {
    String chunked = LINE + ORIGIN + JSON + AUTHORIZATION + "Transfer-Encoding: chunked\r\n\r\n";
    RawResponse response = send(chunked + "zz\r\n");
    assertThat(response.status()).isEqualTo(400);
    assertReadable(response, APP);
  }

  @Test
  void refusalsByLoadLimitsAndBalanceAreReadable() {
    String request = LINE + ORIGIN + JSON + AUTHORIZATION + "Content-Length: 2\r\n\r\n{}";
    GATEWAY.load.verdict = new Shed(1);
    assertReadable(send(request), APP, 503);
    GATEWAY.load.verdict = Verdict.SERVE;
    GATEWAY.load.shedEnteringSeconds = 2;
    assertReadable(send(request), APP, 503);
    GATEWAY.load.shedEnteringSeconds = 0;
    GATEWAY.refusals.known = Fault.of(ErrorCode.RATE_LIMITED, "x").withRetryAfter(3);
    assertReadable(send(request), APP, 429);
    GATEWAY.refusals.known = Fault.of(ErrorCode.INSUFFICIENT_CREDITS, "x");
    assertReadable(send(request), APP, 402);
    GATEWAY.refusals.known = null;
    GATEWAY.service.script(
        _ -> {
          throw new IllegalStateException("scripted");
        });
    assertReadable(send(request), APP, 500);
  }

  private static void assertReadable(RawResponse response, String origin, int status) {
    assertThat(response.status()).isEqualTo(status);
    assertReadable(response, origin);
  }

  @Test
  void repliesStreamsAndFilesAreReadable() {
    String request = LINE + ORIGIN + JSON + AUTHORIZATION + "Content-Length: 2\r\n\r\n{}";
    assertReadable(send(request), APP, 200);
    GATEWAY.service.script(
        call -> {
          call.open();
          call.event("{}");
          call.end();
        });
    assertReadable(send(request), APP, 200);
    GATEWAY.service.script(
        call -> {
          call.openBytes("audio/mpeg");
          call.bytes("x");
          call.end();
        });
    assertReadable(send(request), APP, 200);
  }

  @Test
  void eachRequestOfAConnectionHasItsOwnOrigin() {
    String get = "GET /v1/models HTTP/1.1\r\nHost: a\r\n" + AUTHORIZATION;
    try (RawClient client = GATEWAY.connect()) {
      assertReadable(client.send(get + ORIGIN + "\r\n").readResponse(), APP, 200);
      assertUnreadable(client.send(get + "\r\n").readResponse());
      String local = "http://localhost:5173";
      RawResponse second = client.send(get + "Origin: " + local + "\r\n\r\n").readResponse();
      assertReadable(second, local, 200);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: null\r\n",
        "Origin: *\r\n",
        "Origin: \r\n",
        "Origin: http://app.example.com\r\n",
        "Origin: https://app.example.com:8443\r\n",
        "Origin: https://app.example.com.evil.example\r\n",
        "Origin: https://app.example.com/\r\n",
        "Origin: https://app.example.com\r\nOrigin: https://app.example.com\r\n"
      })
  void originsAreExact(String lines) {
    assertUnreadable(send("GET /v1/models HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n"));
    String preflight = "OPTIONS /v1/models HTTP/1.1\r\nHost: a\r\n" + ASKS;
    RawResponse response = send(preflight + lines + "\r\n");
    assertThat(response.status()).isEqualTo(404);
    assertUnreadable(response);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/jobs/job_1", "/v1/not/there?x=y"})
  void aPreflightNeedsNoKey(String target) {
    GATEWAY.load.verdict = new Shed(1); // and nothing that could run short
    String headers = "Access-Control-Request-Headers: authorization,x-stainless-lang\r\n";
    String head = "OPTIONS " + target + " HTTP/1.1\r\nHost: a\r\n";
    RawResponse response = send(head + ORIGIN + ASKS + headers + "\r\n");
    assertReadable(response, APP, 204);
    assertThat(response.text()).isEmpty();
    assertThat(response.header("content-length")).isNull();
    assertThat(response.header("access-control-allow-methods")).isEqualTo("GET, POST, DELETE");
    assertThat(response.header("access-control-allow-headers"))
        .isEqualTo("authorization,x-stainless-lang");
    assertThat(response.header("access-control-max-age")).isEqualTo("600");
    RawResponse simple = send(head + ORIGIN + ASKS + "\r\n");
    assertThat(simple.status()).isEqualTo(204);
    assertThat(simple.header("access-control-allow-headers")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OPTIONS /v1/models HTTP/1.1\r\nHost: a\r\n" + ORIGIN,
        "OPTIONS /artifacts/1/2/3 HTTP/1.1\r\nHost: a\r\n" + ORIGIN + ASKS,
        "OPTIONS /healthz HTTP/1.1\r\nHost: a\r\n" + ORIGIN + ASKS,
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n" + ORIGIN + ASKS,
        "PUT /v1/models HTTP/1.1\r\nHost: a\r\n" + ORIGIN + ASKS
      })
  void whatIsNoPreflightOfTheApiIsNotFound(String head) {
    RawResponse response = send(head + "\r\n");
    assertReadable(response, APP, 404);
    assertThat(response.header("access-control-allow-methods")).isNull();
  }

  @Test
  void withoutItNothingIsAdded() {
    try (TestGateway plain = gateway(null);
        RawClient client = plain.connect()) {
      String get = "GET /v1/models HTTP/1.1\r\nHost: a\r\n" + plain.keys.authorization() + "\r\n";
      String preflight = "OPTIONS /v1/models HTTP/1.1\r\nHost: a\r\n" + ASKS;
      for (String head : List.of(get, preflight)) {
        RawResponse response = client.send(head + ORIGIN + "\r\n").readResponse();
        assertThat(response.status()).isEqualTo(head.equals(get) ? 200 : 404);
        assertThat(response.header("vary")).isNull();
        assertThat(response.header("access-control-allow-origin")).isNull();
      }
    }
  }
}
