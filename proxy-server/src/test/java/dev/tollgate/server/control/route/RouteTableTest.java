package dev.tollgate.server.control.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of routes and the authorization matrix: each call is in both. */
final class RouteTableTest {
  /** Calls of the matrix that have no route yet. It shrinks. */
  private static final Set<String> MISSING =
      new TreeSet<>(
          List.of(
              ("A2 A9 A10 U9 U10 U11 U12 U13 U14 C3 C4 R5 R6 G1 G2 G3 D2 D3 J1 J2 J3 J4 J5 W4 W5 W6 W7 T1 T2 T3"
                      + " V2 P1 P2 P3 X1 X11 X12 X13 X14 X15 X16 X17 X18 X19 X20"
                      + " X21 X22 X23 X24 X25 X26 X27")
                  .split(" ", -1)));

  /** An unknown path, which no route may match. */
  private static final String UNKNOWN = "M5";

  private static final RouteTable TABLE =
      new RouteTable(Arrays.stream(Route.values()).map(Route::spec).toList());

  /** A row of the matrix. */
  private record Row(
      String id, String method, String path, boolean csrf, boolean reauth, String anonymous) {
    String withoutQuery() {
      return path.split("\\?", 2)[0];
    }
  }

  private static List<Row> rows() {
    return Corpora.rows("data/control.tsv").stream()
        .map(
            cells ->
                new Row(
                    cells[0],
                    cells[1],
                    cells[2],
                    cells[3].equals("y"),
                    cells[4].equals("y"),
                    cells[5]))
        .toList();
  }

  @Test
  void eachRowHasItsRoute() {
    Set<String> missing = new TreeSet<>();
    for (Row row : rows()) {
      Optional<RouteSpec> route = route(row);
      if (route.isEmpty() || !route.get().ids().contains(row.id())) {
        missing.add(row.id()); // the path may also be one of another route's placeholder
        continue;
      }
      RouteSpec spec = route.get();
      assertThat(spec.csrf()).as("csrf of %s", row.id()).isEqualTo(row.csrf());
      assertThat(spec.needsProof()).as("reauth of %s", row.id()).isEqualTo(row.reauth());
      boolean isOpen = Set.of(Audience.FILES, Audience.PUBLIC).contains(spec.audience());
      assertThat(isOpen).as("audience of %s", row.id()).isEqualTo(!row.anonymous().equals("401"));
      if (spec.audience() == Audience.ORG) {
        assertThat(spec.permission()).as("permission of %s", row.id()).isNotNull();
        assertThat(spec.template()).startsWith("/api/v1/orgs/{org}");
      }
    }
    missing.remove(UNKNOWN);
    assertThat(missing).isEqualTo(MISSING);
  }

  private static Optional<RouteSpec> route(Row row) {
    String path = row.withoutQuery().replaceAll("\\{[a-z_]+}", "x");
    return TABLE.match(row.method(), path).map(RouteTable.Match::route);
  }

  @Test
  void eachRouteHasItsRow() {
    List<String> known = rows().stream().map(Row::id).toList();
    List<String> ids =
        Arrays.stream(Route.values()).flatMap(route -> route.spec().ids().stream()).toList();
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(known).containsAll(ids);
    List<String> labels = Arrays.stream(Route.values()).map(each -> each.spec().label()).toList();
    assertThat(labels).doesNotHaveDuplicates();
  }

  @Test
  void literalSegmentsWinAndPagesAreEveryOtherPath() {
    RouteSpec one = RouteDraft.get("T1", "/api/v1/things/{thing}").build("ONE");
    RouteSpec literal = RouteDraft.get("T2", "/api/v1/things/all").build("LITERAL");
    var table = new RouteTable(List.of(one, literal, Route.SHELL.spec(), Route.ASSET.spec()));
    assertThat(name(table, "GET", "/api/v1/things/all")).isEqualTo("LITERAL");
    assertThat(name(table, "GET", "/api/v1/things/9")).isEqualTo("ONE");
    assertThat(table.match("GET", "/api/v1/things/9").orElseThrow().args().text("thing"))
        .isEqualTo("9");
    for (String page : List.of("/", "/requests", "/keys/abcd1234", "/apiary")) {
      assertThat(name(table, "GET", page)).isEqualTo("SHELL");
      assertThat(name(table, "HEAD", page)).isEqualTo("SHELL");
    }
    List<String> none = new ArrayList<>();
    Stream.of(
            "/api",
            "/api/v1",
            "/api/v1/things/",
            "/v1",
            "/v1/models",
            "/favicon.ico",
            "/assets",
            "/assets/",
            "*",
            "/api/v1/things/%39")
        .filter(path -> table.match("GET", path).isPresent())
        .forEach(none::add);
    assertThat(none).isEmpty();
    assertThat(table.match("HEAD", "/api/v1/things/9")).isEmpty();
    assertThat(table.match("POST", "/requests")).isEmpty();
    assertThat(name(table, "HEAD", "/assets/main-1.js")).isEqualTo("ASSET");
  }

  private static String name(RouteTable table, String method, String path) {
    return table.match(method, path).map(match -> match.route().name()).orElse("");
  }
}
