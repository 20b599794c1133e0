package dev.tollgate.server.control;

import dev.tollgate.server.control.route.RouteSpec;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Well-formed calls of any route: its template with ids in it, and a body that it accepts. */
final class RouteSweep {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]+)}");

  /** Bodies of the routes whose members are not all optional, or that need one at least. */
  private static final Map<String, String> BODIES =
      Map.of(
          "PATCH /api/v1/orgs/{org}/members/{user}", "{\"role\":\"viewer\"}",
          "PATCH /api/v1/orgs/{org}/keys/{key}", "{\"note\":\"n\"}",
          "PATCH /api/v1/operator/users/{user}", "{\"state\":\"disabled\"}",
          "PATCH /api/v1/operator/orgs/{org}", "{\"state\":\"suspended\",\"reason\":\"r\"}",
          "PUT /api/v1/orgs/{org}/spending-limit", "{\"monthly_limit_micro\":1}",
          "POST /api/v1/orgs/{org}/invitations",
              "{\"email\":\"guest@example.com\",\"role\":\"viewer\"}",
          "POST /api/v1/orgs/{org}/keys", "{\"name\":\"ci\"}",
          "POST /api/v1/operator/orgs/{org}/credits",
              "{\"kind\":\"funding\",\"amount_micro\":1,\"ref\":\"r\",\"reason\":\"r\"}");

  private RouteSweep() {}

  /** Kinds of ids that a placeholder can get. */
  enum Ids {
    OF_OTHERS,
    UNKNOWN
  }

  /** Returns the target of a route. */
  static String target(RouteSpec route, String org, Ids ids, FixtureRows rows) {
    String path =
        PLACEHOLDER
            .matcher(route.template())
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(1).equals("org") ? org : id(found.group(1), ids, rows)));
    return path;
  }

  /** True if the path names an object of an organization, or of a person. */
  static boolean hasObject(RouteSpec route) {
    return PLACEHOLDER
        .matcher(route.template())
        .results()
        .anyMatch(found -> !found.group(1).equals("org"));
  }

  private static String id(String placeholder, Ids ids, FixtureRows rows) {
    boolean isOfOthers = ids == Ids.OF_OTHERS;
    return switch (placeholder) {
      case "key" -> isOfOthers ? "keyOthr1" : "zzzzzzzz";
      case "user", "member" -> isOfOthers ? ControlNode.person(13) : UUID.randomUUID().toString();
      case "invitation" ->
          isOfOthers ? "0e000000-0000-4000-8000-000000000002" : UUID.randomUUID().toString();
      case "session" ->
          isOfOthers ? "0d000000-0000-4000-8000-000000000006" : UUID.randomUUID().toString();
      case "request" -> isOfOthers ? rows.secret("request_2") : "req_" + "0".repeat(26);
      case "asset" -> "none.js";
      default -> throw new AssertionError("no ids for {" + placeholder + "}");
    };
  }

  static @Nullable String body(RouteSpec route) {
    return route.body() == null
        ? null
        : BODIES.getOrDefault(route.method() + " " + route.template(), "{}");
  }
}
