package dev.tollgate.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.testkit.RawResponse;
import dev.tollgate.server.control.RouteSweep.Ids;
import dev.tollgate.server.control.route.Route;
import dev.tollgate.server.control.route.RouteSpec;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks on every route of the control plane: none of them changes a row. */
final class ControlAttacksIT {
  private static final String ORG = "0a000000-0000-4000-8000-000000000001";
  private static final String IN_ORG = "/api/v1/orgs/" + ORG;

  private static ControlNode node;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    node = ControlNode.start(folder);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @AfterEach
  void nothingChanged() throws Exception {
    assertThat(node.rows().changed()).isEmpty();
  }

  private static List<RouteSpec> routes() {
    return Arrays.stream(Route.values()).map(Route::spec).toList();
  }

  private static RawResponse owner(String method, String target, @Nullable String body) {
    return as(MatrixCaller.OWNER, method, target, body);
  }

  private static RawResponse as(
      MatrixCaller caller, String method, String target, @Nullable String body) {
    String[] lines =
        Stream.concat(node.credentials(caller).stream(), Stream.of(ControlNode.MARKED))
            .toArray(String[]::new);
    return node.send(method, target, body, lines);
  }

  private static String target(RouteSpec route) {
    return RouteSweep.target(route, ORG, Ids.UNKNOWN, node.rows());
  }

  @Test
  void aForeignHostIsRefusedOnEveryRoute() {
    for (RouteSpec route : routes()) {
      RawResponse refused =
          node.toHost("evil.example", route.method().name(), target(route), RouteSweep.body(route));
      assertThat(refused.status()).as(route.label()).isEqualTo(400);
      assertThat(refused.text()).contains("\"param\":\"Host\"");
    }
  }

  @Test
  void foreignPagesChangeNothing() {
    List<RouteSpec> changes = routes().stream().filter(RouteSpec::csrf).toList();
    assertThat(changes).isNotEmpty();
    String cookie = node.credentials(MatrixCaller.OWNER).getFirst();
    for (RouteSpec route : changes) {
      for (String[] page :
          List.of(
              new String[] {cookie},
              new String[] {cookie, ControlNode.MARKED, "Origin: https://evil.example"},
              new String[] {cookie, ControlNode.MARKED, "Sec-Fetch-Site: cross-site"})) {
        RawResponse refused =
            node.send(route.method().name(), target(route), RouteSweep.body(route), page);
        assertThat(ControlAnswers.refusal(refused)).as(route.label()).isEqualTo("csrf_failed");
      }
    }
  }

  @Test
  void withoutCredentialsNothingThatIsNotPublicAnswers() {
    for (RouteSpec route : routes()) {
      if (route.audience() != Audience.PUBLIC && route.audience() != Audience.FILES) {
        RawResponse refused =
            node.send(
                route.method().name(), target(route), RouteSweep.body(route), ControlNode.MARKED);
        assertThat(ControlAnswers.refusal(refused)).as(route.label()).isEqualTo("unauthenticated");
        assertThat(refused.headers("www-authenticate")).hasSize(1);
      }
    }
  }

  @Test
  void credentialsOfOneListenerAreNoneAtTheOther() {
    String controlToken = node.credentials(MatrixCaller.TOKEN_OPERATOR).getFirst();
    String apiKey = "Authorization: Bearer " + node.gateway().key();
    try (var api = node.gateway().connect()) {
      RawResponse refused = api.get("/v1/models", controlToken).readResponse();
      assertThat(refused.status()).isEqualTo(401);
      assertThat(ControlAnswers.refusal(refused)).isEqualTo("invalid_api_key");
      assertThat(api.get("/v1/models", apiKey).readResponse().status()).isEqualTo(200);
    }
    for (String path : List.of("/api/v1/meta", IN_ORG, "/api/v1/operator/orgs")) {
      if (routes().stream().anyMatch(route -> route.template().startsWith(path))) {
        RawResponse refused = node.send("GET", path, null, apiKey);
        assertThat(ControlAnswers.refusal(refused)).as(path).isEqualTo("unauthenticated");
      }
    }
    String cookie = node.credentials(MatrixCaller.OWNER).getFirst();
    RawResponse both = node.send("GET", "/api/v1/meta", null, apiKey, cookie);
    assertThat(ControlAnswers.refusal(both)).isEqualTo("unauthenticated");
  }

  @Test
  void damagedCursorsAreRefused() {
    for (RouteSpec route : routes().stream().filter(RouteSpec::isList).toList()) {
      String list = target(route);
      MatrixCaller caller =
          route.audience() == Audience.OPERATOR ? MatrixCaller.OPERATOR : MatrixCaller.OWNER;
      RawResponse first = as(caller, "GET", list + "?limit=1", null);
      assertThat(first.status()).as("%s: %s", route.label(), first.text()).isEqualTo(200);
      requireCursorsRefused(caller, list, List.of("x", "AQ", "!!", "A".repeat(2_000), "%00"));
      JsonNode next = ControlAnswers.json(first).path("next_cursor");
      if (next.isTextual()) {
        requireFollowed(caller, list, next.textValue());
      }
    }
  }

  private static void requireFollowed(MatrixCaller caller, String list, String cursor) {
    RawResponse second = as(caller, "GET", list + "?limit=1&cursor=" + cursor, null);
    assertThat(second.status()).as("%s: %s", list, second.text()).isEqualTo(200);
    List<String> damaged =
        Stream.iterate(0, at -> at < cursor.length() - 1, at -> at + 5)
            .map(at -> changed(cursor, at))
            .toList();
    requireCursorsRefused(caller, list, damaged);
  }

  private static String changed(String cursor, int at) {
    char other = cursor.charAt(at) == 'A' ? 'B' : 'A';
    return cursor.substring(0, at) + other + cursor.substring(at + 1);
  }

  private static void requireCursorsRefused(
      MatrixCaller caller, String list, List<String> cursors) {
    for (String cursor : cursors) {
      RawResponse refused = as(caller, "GET", list + "?limit=1&cursor=" + cursor, null);
      assertThat(refused.status()).as("%s with cursor %s", list, cursor).isEqualTo(400);
      assertThat(refused.text()).contains("\"param\":\"cursor\"");
    }
  }

  /** The whole object, as it was read, is no valid change: most of its members are not writable. */
  @Test
  void wholeObjectsAreNoChanges() {
    String key = IN_ORG + "/keys/keyMain1";
    requireUnwritable(MatrixCaller.OWNER, "GET", IN_ORG, IN_ORG, "");
    requireUnwritable(MatrixCaller.OWNER, "GET", key, key, "");
    requireUnwritable(MatrixCaller.OWNER, "GET", "/api/v1/session", "/api/v1/me", "/user");
    requireUnwritable(
        MatrixCaller.OWNER,
        "GET",
        IN_ORG + "/members",
        IN_ORG + "/members/" + ControlNode.person(11),
        "/data/0");
    requireUnwritable(
        MatrixCaller.OPERATOR,
        "GET",
        "/api/v1/operator/orgs",
        "/api/v1/operator/orgs/" + ORG,
        "/data/0");
    String user = "/api/v1/operator/users/" + ControlNode.person(11);
    requireUnwritable(MatrixCaller.OPERATOR, "GET", user, user, "");
  }

  private static void requireUnwritable(
      MatrixCaller caller, String method, String read, String changed, String part) {
    RawResponse object = as(caller, method, read, null);
    assertThat(object.status()).as("%s: %s", read, object.text()).isEqualTo(200);
    JsonNode members = ControlAnswers.json(object).at(part);
    assertThat(members.isObject()).as("%s: %s", read, object.text()).isTrue();
    RawResponse refused = as(caller, "PATCH", changed, members.toString());
    assertThat(ControlAnswers.refusal(refused)).as(changed).isEqualTo("validation_failed");
  }

  @Test
  void membersThatOnlyTheGatewaySetsAreUnknown() {
    for (String target :
        List.of(
            IN_ORG,
            IN_ORG + "/keys/keyMain1",
            "/api/v1/me",
            IN_ORG + "/members/" + ControlNode.person(11))) {
      for (String member :
          List.of(
              "id",
              "org_id",
              "operator",
              "is_operator",
              "email",
              "created_by",
              "created_at",
              "last_four",
              "hash",
              "max_api_keys",
              "monthly_limit_cap_micro",
              "password_hash",
              "version",
              "state")) {
        RawResponse refused = owner("PATCH", target, "{\"" + member + "\":\"x\"}");
        assertThat(refused.status()).as("%s %s", target, member).isEqualTo(400);
        assertThat(refused.text()).as(target).contains("\"param\":\"" + member + "\"");
      }
    }
  }

  @Test
  void queriesWithUnknownParametersAreRefused() {
    for (RouteSpec route : routes()) {
      if (route.audience() == Audience.ORG && route.method() == RouteSpec.Method.GET) {
        RawResponse refused = owner("GET", target(route) + "?surprise=1", null);
        assertThat(refused.status()).as(route.label()).isEqualTo(400);
        assertThat(refused.text()).contains("\"param\":\"surprise\"");
      }
    }
  }

  @Test
  void theDocumentNamesEveryRoute() {
    JsonNode paths =
        ControlAnswers.json(node.send("GET", "/api/v1/openapi.json", null)).path("paths");
    for (RouteSpec route : routes()) {
      if (route.audience() != Audience.FILES) {
        JsonNode operation =
            paths
                .path(route.template())
                .path(route.method().name().toLowerCase(java.util.Locale.ROOT));
        assertThat(operation).as(route.label()).isInstanceOf(ObjectNode.class);
      }
    }
  }
}
