package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Versioned;
import dev.tollgate.server.control.route.ControlReply;
import dev.tollgate.server.control.route.ControlRequest;
import dev.tollgate.server.control.route.Handlers;
import dev.tollgate.server.control.route.IdempotentCreate;
import dev.tollgate.server.control.route.RouteDraft;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The refusals of the control plane, and which comes first. */
final class OrderOfRefusalsTest {
  private static final String MARKED = "X-Requested-With: tollgate";
  private static final String ORG = "/api/v1/orgs/" + UUID.randomUUID();

  /** A body of a call. */
  record Named(String name, int count) {}

  /** Filters of a list. */
  record Filters(List<String> key) implements Versioned {
    @Override
    public int version() {
      return 7;
    }
  }

  private static final RouteSpec OPEN =
      RouteDraft.post("T1", "/api/v1/open").body(Named.class).build("OPEN");
  private static final RouteSpec PERSON =
      RouteDraft.post("T2", "/api/v1/person")
          .to(Audience.PERSON)
          .body(Named.class)
          .proved()
          .build("PERSON");
  private static final RouteSpec OPERATOR =
      RouteDraft.get("T3", "/api/v1/operator")
          .to(Audience.OPERATOR)
          .query(Filters.class)
          .build("OPERATOR");
  private static final RouteSpec IN_ORG =
      RouteDraft.post("T4", "/api/v1/orgs/{org}/things")
          .in(Permission.ORG_READ)
          .body(Named.class)
          .build("IN_ORG");
  private static final RouteSpec BROKEN = RouteDraft.get("T5", "/api/v1/broken").build("BROKEN");

  private static final RouteSpec CREATE =
      RouteDraft.post("T6", "/api/v1/things").creates(Named.class).build("CREATE");

  private static final RouteSpec QUERY =
      RouteDraft.get("T7", "/api/v1/orgs/{org}/things")
          .in(Permission.ORG_READ)
          .shed()
          .build("QUERY");

  private final TestControl control = new TestControl(handlers());

  private static Handlers handlers() {
    return new Handlers.Builder()
        .on(OPEN, request -> ControlReply.json(200, request.body(Named.class)))
        .on(PERSON, request -> ControlReply.json(201, request.body(Named.class)))
        .on(OPERATOR, request -> ControlReply.json(200, request.query(Filters.class)))
        .on(IN_ORG, _ -> ControlReply.noContent())
        .on(QUERY, _ -> ControlReply.noContent())
        .on(CREATE, call -> ControlReply.json(201, new Named("", hasClaim(call) ? 1 : 0)))
        .on(
            BROKEN,
            _ -> {
              throw new IllegalStateException("a bug");
            })
        .build();
  }

  private static boolean hasClaim(ControlRequest call) {
    return call.claim() instanceof IdempotentCreate;
  }

  @AfterEach
  void close() {
    control.close();
  }

  @Test
  void aForeignHostComesFirstAndKeepsTheConnection() {
    try (RawClient client = control.connect()) {
      for (String host : List.of("evil.example", "localhost.evil.example", "10.0.0.1", "[::2]:1")) {
        client.send("GET /api/v1/nothing HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        RawResponse refused = client.readResponse();
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).contains("validation_failed", "\"param\":\"Host\"");
      }
      for (String host : List.of("LOCALHOST", "127.0.0.1:8081", "localhost:1", "[::1]:99")) {
        client.send("GET /api/v1/nothing HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        assertThat(client.readResponse().status()).isEqualTo(404);
      }
      client.send("GET /api/v1/nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      assertThat(client.readResponse().status()).isEqualTo(400);
    }
  }

  @Test
  void queriesAreShedBeforeTheCallerIsLookedUpAndChangesAreNot() {
    try (RawClient client = control.connect()) {
      assertCode(client.get(ORG + "/things").readResponse(), 401, "unauthenticated");
      control.isShedding.set(true);
      RawResponse shed = client.get(ORG + "/things").readResponse();
      assertCode(shed, 503, "service_unavailable");
      assertThat(Integer.parseInt(shed.header("retry-after"))).isPositive();
      RawResponse change = client.post(ORG + "/things", "{}", MARKED).readResponse();
      assertCode(change, 401, "unauthenticated");
      control.isShedding.set(false);
      assertCode(client.get(ORG + "/things").readResponse(), 401, "unauthenticated");
    }
  }

  @Test
  void pathsAndMethodsThatDoNotExistAreNotFound() {
    try (RawClient client = control.connect()) {
      assertCode(client.get("/v1/models").readResponse(), 404, "not_found");
      assertCode(client.get("/api/v1/open").readResponse(), 404, "not_found");
      assertCode(client.get("/api/v1/open/").readResponse(), 404, "not_found");
      assertCode(client.get("/api/v1/%6fpen").readResponse(), 404, "not_found");
      client.send("OPTIONS /api/v1/open HTTP/1.1\r\nHost: localhost\r\nOrigin: http://x\r\n\r\n");
      RawResponse options = client.readResponse();
      assertCode(options, 404, "not_found");
      assertThat(options.header("access-control-allow-origin")).isNull();
    }
  }

  @Test
  void theMediaTypeComesBeforeTheMarkAndTheMarkBeforeCredentials() {
    try (RawClient client = control.connect()) {
      String head = "POST /api/v1/person HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n";
      client.send(head + "Content-Type: text/plain\r\n\r\n{}");
      assertCode(client.readResponse(), 415, "unsupported_media_type");
      client.send(head + "Content-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n{}");
      assertCode(client.readResponse(), 415, "unsupported_media_type");
      assertCode(client.post("/api/v1/person", "{").readResponse(), 403, "csrf_failed");
      assertCode(client.post("/api/v1/person", "{", MARKED).readResponse(), 401, "unauthenticated");
    }
  }

  @Test
  void aChangeFromAnotherPageIsRefused() {
    try (RawClient client = control.connect()) {
      String own = "Origin: http://localhost";
      for (String[] foreign :
          List.of(
              new String[] {"X-Requested-With: "},
              new String[] {MARKED, "Sec-Fetch-Site: cross-site"},
              new String[] {MARKED, "Sec-Fetch-Site: same-site"},
              new String[] {MARKED, "Origin: https://localhost"},
              new String[] {MARKED, "Origin: http://localhost:8081"},
              new String[] {MARKED, "Origin: null"},
              new String[] {MARKED, own, "Sec-Fetch-Site: cross-site"})) {
        assertCode(client.post("/api/v1/open", "{}", foreign).readResponse(), 403, "csrf_failed");
      }
      String body = "{\"name\":\"a\",\"count\":1}";
      for (String[] fine :
          List.of(
              new String[] {MARKED},
              new String[] {MARKED, own, "Sec-Fetch-Site: same-origin"},
              new String[] {MARKED, "Sec-Fetch-Site: none"},
              new String[] {control.token()})) {
        assertThat(client.post("/api/v1/open", body, fine).readResponse().status()).isEqualTo(200);
      }
    }
  }

  @Test
  void credentialsComeBeforeTheBodyAndTheBodyBeforeTheRest() {
    try (RawClient client = control.connect()) {
      String large = "{\"name\":\"" + "x".repeat(ControlService.BODY_BYTES_MAX) + "\"}";
      String stranger = "Cookie: tollgate_session=unknown";
      String person = control.signIn(false, TestControl.NOW);
      String[] known = {MARKED, person};
      for (String[] alone : List.of(new String[] {MARKED, stranger}, known)) {
        try (RawClient closed = control.connect()) {
          boolean isKnown = List.of(alone).contains(person);
          RawResponse refused = closed.post(ORG + "/things", large, alone).readResponse();
          assertCode(
              refused, isKnown ? 413 : 401, isKnown ? "request_too_large" : "unauthenticated");
        }
      }
      for (String invalid : List.of("", "{", "{} {}", "{\"a\":1,\"a\":2}", "nul", "\uFEFF{}")) {
        assertCode(
            client.post("/api/v1/person", invalid, known).readResponse(), 400, "invalid_json");
      }
      // The store is gone: the organization is looked up before members are checked.
      assertCode(client.post(ORG + "/things", "{}", known).readResponse(), 503, "unavailable");
      assertCode(
          client.post("/api/v1/orgs/x/things", "{}", known).readResponse(), 404, "not_found");
    }
  }

  @Test
  void thePrincipalMustBeAsTheRouteWants() {
    try (RawClient client = control.connect()) {
      String person = control.signIn(false, TestControl.NOW);
      String operator = control.signIn(true, TestControl.NOW);
      String stale = control.signIn(false, TestControl.NOW.minus(Duration.ofMinutes(11)));
      String body = "{\"name\":\"a\",\"count\":1}";
      assertCode(
          client.post("/api/v1/person", body, control.token()).readResponse(), 403, "not_a_person");
      assertCode(
          client.post("/api/v1/person", "{}", MARKED, stale).readResponse(),
          403,
          "reauthentication_required");
      assertThat(client.post("/api/v1/person", body, MARKED, person).readResponse().status())
          .isEqualTo(201);
      assertCode(client.get("/api/v1/operator", person).readResponse(), 403, "forbidden");
      assertThat(client.get("/api/v1/operator", operator).readResponse().status()).isEqualTo(200);
      assertThat(client.get("/api/v1/operator", control.token()).readResponse().status())
          .isEqualTo(200);
      // A bad token is refused whatever cookie came along.
      assertCode(
          client.get("/api/v1/operator", operator, "Authorization: Bearer sk-llm-x").readResponse(),
          401,
          "unauthenticated");
    }
  }

  @Test
  void allProblemsOfABodyAreToldAtOnce() throws Exception {
    try (RawClient client = control.connect()) {
      RawResponse response =
          client.post("/api/v1/open", "{\"nam\":\"a\",\"count\":1.5}", MARKED).readResponse();
      assertCode(response, 400, "validation_failed");
      assertThat(new ObjectMapper().readTree(response.text()).at("/error/details/issues"))
          .extracting(each -> each.path("param").asText() + " " + each.path("message").asText())
          .containsExactly("name is missing", "count must be an integer", "nam is unknown");
    }
  }

  @Test
  void everyReplyHasItsFieldsAndVersionsAreTags() {
    try (RawClient client = control.connect()) {
      String operator = control.signIn(true, TestControl.NOW);
      RawResponse found = client.get("/api/v1/operator?key=a&key=b", operator).readResponse();
      assertThat(found.text()).isEqualTo("{\"key\":[\"a\",\"b\"]}");
      assertThat(found.header("etag")).isEqualTo("\"7\"");
      assertThat(found.header("cache-control")).isEqualTo("no-store");
      assertThat(found.header("x-request-id")).startsWith("req_");
      RawResponse same =
          client.get("/api/v1/operator", operator, "If-None-Match: \"7\"").readResponse();
      assertThat(same.status()).isEqualTo(304);
      assertThat(same.text()).isEmpty();
      RawResponse unknown = client.get("/api/v1/operator?keys=a", operator).readResponse();
      assertCode(unknown, 400, "\"param\":\"keys\"");
      assertThat(unknown.header("cache-control")).isEqualTo("no-store");
      assertCode(
          client.get("/api/v1/operator", operator, "If-Match: x").readResponse(), 400, "If-Match");
      assertCode(client.get("/api/v1/broken").readResponse(), 500, "internal_error");
    }
  }

  @Test
  void aSessionThatGoesOnWithAnotherCookieSetsItAlsoWithARefusal() {
    try (RawClient client = control.connect()) {
      String cookie = control.signIn(false, TestControl.NOW);
      control.newCookies.put(cookie.substring(cookie.indexOf('=') + 1), "next");
      RawResponse refused = client.get("/api/v1/operator", cookie).readResponse();
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.header("set-cookie"))
          .isEqualTo("tollgate_session=next; HttpOnly; SameSite=Lax; Path=/");
      RawResponse made =
          client
              .post("/api/v1/person", "{\"name\":\"a\",\"count\":1}", MARKED, cookie)
              .readResponse();
      assertThat(made.status()).isEqualTo(201);
      assertThat(made.header("set-cookie")).startsWith("tollgate_session=next;");
    }
  }

  @Test
  void keysOfCreatingCallsBelongToTheirPrincipal() {
    try (RawClient client = control.connect()) {
      String key = "Idempotency-Key: k1";
      String long256 = "Idempotency-Key: " + "k".repeat(256);
      String token = control.token();
      String path = "/api/v1/things";
      assertCode(client.post(path, "", token, key).readResponse(), 201, "\"count\":1");
      assertCode(client.post(path, "", token).readResponse(), 201, "\"count\":0");
      assertCode(client.post(path, "", MARKED, key).readResponse(), 201, "\"count\":0");
      assertCode(client.post(path, "", token, long256).readResponse(), 400, "Idempotency-Key");
      assertCode(client.post("/api/v1/open", "{}", token, key).readResponse(), 400, "is missing");
    }
  }

  private static void assertCode(RawResponse response, int status, String code) {
    assertThat(response.text()).contains(code);
    assertThat(response.status()).isEqualTo(status);
  }
}
