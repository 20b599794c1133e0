package dev.tollgate.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.tenant.KeyCache.CacheResult;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.core.tenant.Org;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each handler refuses once, through the full pipeline, and in the order of
 * docs/decisions/requests.md#order-of-refusals (row D01).
 */
final class RefusalsTest {
  private static final TestGateway GATEWAY = new TestGateway(Transport.auto());
  private static final InMemoryAuthenticator KEYS = GATEWAY.keys;
  private static final String CHAT = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final String TOO_LONG = "Content-Length: 10485761\r\n";
  private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");
  private static final Set<String> ELSEWHERE = Set.of("10.0.0.0/8");

  record Case(String name, String head, int status, String code, boolean closes) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Each has every later fault as well, so that the order shows. */
  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    String worst = key(KeyState.DISABLED, PAST, ELSEWHERE, Org.State.SUSPENDED);
    add(cases, "broken framing", "POST  / HTTP/1.1\r\n" + worst, 400, "validation_failed", true);
    add(cases, "no such path", "POST /v1/chat HTTP/1.1\r\nHost: a\r\n", 404, "not_found", false);
    add(cases, "no such method", "PUT /v1/models HTTP/1.1\r\nHost: a\r\n", 404, "not_found", false);
    String wrongType = "Content-Type: text/plain\r\n" + TOO_LONG;
    add(cases, "media type", CHAT + wrongType + worst, 415, "unsupported_media_type", true);
    add(cases, "no media type", CHAT + worst, 415, "unsupported_media_type", false);
    String latin = "Content-Type: application/json; charset=latin1\r\n";
    add(cases, "charset", CHAT + latin + worst, 415, "unsupported_media_type", false);
    String gzip = JSON + "Content-Encoding: gzip\r\nContent-Length: 5\r\n";
    add(cases, "gzip", CHAT + gzip + worst, 415, "unsupported_media_type", false);
    String tooLong = CHAT + JSON + TOO_LONG;
    add(cases, "no key", tooLong, 401, "invalid_api_key", true);
    add(cases, "no scheme", tooLong + "Authorization: x\r\n", 401, "invalid_api_key", true);
    String malformed = "Authorization: Bearer sk-llm-abc\r\n";
    add(cases, "malformed key", tooLong + malformed, 401, "invalid_api_key", true);
    String unknown = KEYS.header(new CacheResult.Unknown()) + "\r\n";
    add(cases, "unknown key", tooLong + unknown, 401, "invalid_api_key", true);
    String down = KEYS.header(new CacheResult.Unavailable("gone")) + "\r\n";
    add(cases, "no store", tooLong + down, 503, "service_unavailable", true);
    add(cases, "disabled", tooLong + worst, 401, "key_disabled", true);
    String expired = key(KeyState.REVOKED, PAST, ELSEWHERE, Org.State.SUSPENDED);
    add(cases, "expired", tooLong + expired, 401, "key_expired", true);
    String revoked = key(KeyState.REVOKED, null, ELSEWHERE, Org.State.SUSPENDED);
    add(cases, "revoked", tooLong + revoked, 401, "key_revoked", true);
    String elsewhere = key(KeyState.ACTIVE, null, ELSEWHERE, Org.State.SUSPENDED);
    add(cases, "address", tooLong + elsewhere, 403, "ip_not_allowed", true);
    String suspended = key(KeyState.ACTIVE, null, Set.of("127.0.0.1"), Org.State.SUSPENDED);
    add(cases, "organization", tooLong + suspended, 403, "ip_not_allowed", true);
    String good = key(KeyState.ACTIVE, null, Set.of("127.0.0.0/8"), Org.State.ACTIVE);
    add(cases, "too large", tooLong + good, 413, "request_too_large", true);
    String edits = "POST /v1/images/edits HTTP/1.1\r\nHost: a\r\n";
    String form = "Content-Type: multipart/form-data; boundary=b\r\n";
    add(cases, "neither", edits + wrongType + worst, 415, "unsupported_media_type", true);
    add(cases, "JSON", edits + JSON + TOO_LONG + good, 413, "request_too_large", true);
    String longer = "Content-Length: 26214401\r\n";
    add(cases, "form", edits + form + longer + good, 413, "request_too_large", true);
    String generations = edits.replace("edits", "generations");
    add(cases, "no form", generations + form + longer + worst, 415, "unsupported_media_type", true);
    String expects = "Expect: 100-continue\r\nContent-Length: 5\r\n";
    add(cases, "while it waits", CHAT + JSON + expects, 401, "invalid_api_key", true);
    return cases;
  }

  private static void add(
      List<Case> cases, String name, String head, int status, String code, boolean closes) {
    cases.add(new Case(name, head, status, code, closes));
  }

  private static String key(
      KeyState state, @Nullable Instant expiry, Set<String> allowedIps, Org.State org) {
    return KEYS.header(state, expiry, allowedIps, org) + "\r\n";
  }

  @AfterAll
  static void close() {
    GATEWAY.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void refusesOnTheHeadAlone(Case given) throws Exception {
    GATEWAY.records.clear();
    try (RawClient client = GATEWAY.connect()) {
      RawResponse response = client.send(given.head + "\r\n").readResponse();
      assertThat(response.status()).isEqualTo(given.status);
      assertEnvelope(response, given.code);
      assertThat("close".equals(response.header("connection"))).isEqualTo(given.closes);
      if (given.closes) {
        assertThat(client.readToEnd()).isEmpty();
      }
    }
    RequestRecord record = GATEWAY.awaitRecord();
    assertThat(record.status()).isEqualTo(given.status);
    assertThat(record.outcome())
        .isEqualTo(given.status == 503 ? RequestOutcome.DEPENDENCY_DOWN : RequestOutcome.REJECTED);
    assertThat(record.http().clientAddress()).isEqualTo("127.0.0.1");
    assertThat(GATEWAY.records).isEmpty();
    assertThat(GATEWAY.service.calls).isEmpty();
  }

  private static void assertEnvelope(RawResponse response, String code) {
    String id = response.header("x-request-id");
    assertThat(id).startsWith("req_");
    assertThat(response.header("content-type")).isEqualTo("application/json");
    assertThat(response.text()).contains("\"code\":\"" + code, "\"request_id\":\"" + id + '"');
    boolean retry = response.status() == 503;
    assertThat(response.header("x-should-retry")).isEqualTo(Boolean.toString(retry));
    if (retry) {
      assertThat(response.header("retry-after")).isIn("1", "2", "3", "4", "5");
    } else {
      assertThat(response.header("retry-after")).isNull();
    }
  }

  @Test
  void aMistakenPathIsToldTheRightOne() throws Exception {
    GATEWAY.records.clear();
    try (RawClient client = GATEWAY.connect()) {
      client.get("/v1/v1/models");
      assertThat(client.readResponse().text())
          .contains(
              "There is nothing at this method and path: did you mean GET /v1/models?",
              "\"method\":\"GET\"",
              "\"path\":\"/v1/models\"");
    }
    GATEWAY.awaitRecord();
  }

  @Test
  void aMalformedKeyIsRefusedWithoutALookup() {
    int before = KEYS.lookups.get();
    try (RawClient client = GATEWAY.connect()) {
      client.get("/v1/models", "Authorization: Bearer sk-llm-" + "a".repeat(46));
      assertThat(client.readResponse().status()).isEqualTo(401);
    }
    assertThat(KEYS.lookups.get()).isEqualTo(before);
  }

  @Test
  void aSmallBodyOfARefusedRequestDoesNotCostTheConnection() {
    try (RawClient client = GATEWAY.connect()) {
      client.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
      assertThat(client.readResponse().status()).isEqualTo(404);
      client.send("GET ".repeat(15_000)).get("/v1/models", KEYS.authorization());
      assertThat(client.readResponse().status()).isEqualTo(200);
    }
    GATEWAY.service.calls.clear();
  }

  @Test
  void aBodyThatFindsNoRoomIsRefused() throws Exception {
    var permit = GATEWAY.inflightBytes.tryAcquire(256L * 1024 * 1024 - 10).orElseThrow();
    try (RawClient client = GATEWAY.connect()) {
      client.post("/v1/chat/completions", "{\"a\":\"0123456789\"}", KEYS.authorization());
      RawResponse response = client.readResponse();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.header("retry-after")).isIn("1", "2", "3", "4", "5");
      assertThat(GATEWAY.awaitRecord().outcome()).isEqualTo(RequestOutcome.SHED);
    } finally {
      permit.end();
    }
    GATEWAY.records.clear();
  }

  @Test
  void aServiceThatFailsUnexpectedlyIsAnInternalError() throws Exception {
    GATEWAY.records.clear();
    GATEWAY.service.script(
        _ -> {
          throw new IllegalStateException("scripted");
        });
    try (RawClient client = GATEWAY.connect()) {
      RawResponse response = client.get("/v1/models", KEYS.authorization()).readResponse();
      assertThat(response.status()).isEqualTo(500);
      assertThat(response.text()).contains("\"internal_error\"").doesNotContain("scripted");
      assertThat(GATEWAY.awaitRecord().outcome()).isEqualTo(RequestOutcome.INTERNAL_ERROR);
    } finally {
      GATEWAY.service.script(call -> call.answer(200, "{}"));
      GATEWAY.service.calls.clear();
    }
  }
}
