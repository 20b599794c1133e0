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
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What belongs to others looks to a caller as if it did not exist, and is not changed. */
final class ForeignIdsIT {
  private static final String OWN_ORG = "0a000000-0000-4000-8000-000000000001";
  private static final String OTHER_ORG = "0a000000-0000-4000-8000-000000000002";

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

  private static Stream<RouteSpec> routes(Audience audience) {
    return Arrays.stream(Route.values())
        .map(Route::spec)
        .filter(spec -> spec.audience() == audience);
  }

  @Test
  void objectsOfOthersUnderTheOwnOrganization() {
    List<RouteSpec> swept = routes(Audience.ORG).filter(RouteSweep::hasObject).toList();
    assertThat(swept).isNotEmpty();
    for (RouteSpec route : swept) {
      String foreign = notFound(route, OWN_ORG, Ids.OF_OTHERS);
      assertThat(foreign).as(route.label()).isEqualTo(notFound(route, OWN_ORG, Ids.UNKNOWN));
    }
  }

  @Test
  void sessionsOfOthers() {
    List<RouteSpec> swept = routes(Audience.PERSON).filter(RouteSweep::hasObject).toList();
    assertThat(swept).isNotEmpty();
    for (RouteSpec route : swept) {
      String foreign = notFound(route, OWN_ORG, Ids.OF_OTHERS);
      assertThat(foreign).as(route.label()).isEqualTo(notFound(route, OWN_ORG, Ids.UNKNOWN));
    }
  }

  @Test
  void organizationsOfOthers() {
    String unknown = UUID.randomUUID().toString();
    for (RouteSpec route : routes(Audience.ORG).toList()) {
      String foreign = notFound(route, OTHER_ORG, Ids.OF_OTHERS);
      assertThat(foreign).as(route.label()).isEqualTo(notFound(route, unknown, Ids.OF_OTHERS));
      assertThat(notFound(route, "not-an-id", Ids.OF_OTHERS)).as(route.label()).isEqualTo(foreign);
    }
  }

  /** Requires a 404; returns it without what differs between any two. */
  private static String notFound(RouteSpec route, String org, Ids ids) {
    RawResponse response =
        node.send(
            route.method().name(),
            RouteSweep.target(route, org, ids, node.rows()),
            RouteSweep.body(route),
            Stream.concat(
                    node.credentials(MatrixCaller.OWNER).stream(), Stream.of(ControlNode.MARKED))
                .toArray(String[]::new));
    assertThat(response.status())
        .as("%s with ids %s: %s", route.label(), ids, response.text())
        .isEqualTo(404);
    return comparable(response);
  }

  private static String comparable(RawResponse response) {
    JsonNode answer = ControlAnswers.json(response);
    ((ObjectNode) answer.path("error")).remove("request_id");
    String fields =
        response.headerLines().stream()
            .filter(line -> !line.matches("(?i)(x-request-id|date):.*"))
            .toList()
            .toString();
    return response.status() + fields + answer;
  }
}
