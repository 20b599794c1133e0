package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Text of docs/control-api.md: the calls of the control plane by group, and their types. */
final class ControlApiPage {
  private static final JsonNode DOCUMENT = OpenApi.DOCUMENT;
  private static final Map<String, String> GROUPS =
      Map.ofEntries(
          Map.entry("M", "About the server"),
          Map.entry("S", "Set-up and signing in"),
          Map.entry("A", "Set-up and signing in"),
          Map.entry("U", "Own account"),
          Map.entry("O", "Organizations"),
          Map.entry("B", "Members"),
          Map.entry("I", "Invitations"),
          Map.entry("K", "API keys"),
          Map.entry("C", "Money and limits"),
          Map.entry("W", "Webhook secret"),
          Map.entry("V", "Audit log"),
          Map.entry("X", "Operators"),
          Map.entry("R", "Requests"),
          Map.entry("D", "Models"));

  private static final String HEAD =
      """
      # Calls of the control plane

      Made from `GET /api/v1/openapi.json`; `ControlApiPageTest` compares it and, with
      `-Dtollgate.docs=write`, writes it. What the calls do and the rules that all of them follow:
      [control plane](control-plane.md#conventions-of-the-api).

      Every call may also be refused with 400 `validation_failed` or `invalid_json`, 401 `unauthenticated`,
      403 `account_disabled`, `csrf_failed` or `forbidden`, 404 `not_found`, 413 `request_too_large`,
      415 `unsupported_media_type`, 429 `rate_limited`, 500 and 503. A change of an object with a `version` is
      409 `conflict` if `If-Match` names another one.
      """;

  private ControlApiPage() {}

  static String text() {
    Map<String, List<RouteSpec>> groups = new LinkedHashMap<>();
    for (Route route : Route.values()) {
      RouteSpec spec = route.spec();
      if (spec.audience() != Audience.FILES) {
        String group = Objects.requireNonNull(GROUPS.get(spec.ids().getFirst().substring(0, 1)));
        groups.computeIfAbsent(group, _ -> new ArrayList<>()).add(spec);
      }
    }
    var page = new StringBuilder(HEAD);
    groups.forEach(
        (group, calls) -> {
          page.append("\n## ").append(group);
          page.append("\n\n| call | who may | query, body | reply | refused with |\n");
          page.append("|---|---|---|---|---|\n");
          calls.forEach(call -> page.append(row(call)));
        });
    page.append("\n## Types\n\n`?`: may be left out.\n\n| type | is |\n|---|---|\n");
    DOCUMENT
        .at("/components/schemas")
        .properties()
        .forEach(type -> page.append(cells("`" + type.getKey() + "`", described(type.getValue()))));
    return page.toString();
  }

  private static String row(RouteSpec spec) {
    JsonNode operation =
        DOCUMENT
            .path("paths")
            .path(spec.template())
            .path(spec.method().name().toLowerCase(Locale.ROOT));
    JsonNode reply =
        operation.at("/responses/" + spec.status() + "/content/application~1json/schema");
    return cells(
        "`" + spec.label() + "`",
        who(spec),
        input(operation),
        spec.status() + (reply.isMissingNode() ? "" : " " + type(reply)),
        refusals(spec));
  }

  private static String cells(String... cells) {
    return Arrays.stream(cells)
        .map(cell -> cell.replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  private static String who(RouteSpec spec) {
    return switch (spec.audience()) {
      case FILES, PUBLIC -> "anyone";
      case SIGNED_IN -> "people, tokens";
      case PERSON -> "people";
      case OPERATOR -> "operators";
      case ORG -> roles(spec);
    };
  }

  private static String roles(RouteSpec spec) {
    Permission permission = spec.permission();
    if (permission == null) {
      throw new IllegalStateException(spec.label() + " needs no permission");
    }
    List<String> roles =
        Arrays.stream(Role.values())
            .filter(role -> role.permissions().contains(permission))
            .map(Role::wire)
            .toList();
    return (roles.size() == Role.values().length ? "every role" : String.join(", ", roles))
        + (permission.isForPeopleOnly() ? "; no tokens" : "");
  }

  private static String input(JsonNode operation) {
    List<String> inputs = new ArrayList<>();
    String query =
        stream(operation.path("parameters"))
            .filter(each -> each.path("in").asText().equals("query"))
            .map(
                each -> each.path("name").asText() + (each.path("required").asBoolean() ? "" : "?"))
            .collect(Collectors.joining("`, `"));
    if (!query.isEmpty()) {
      inputs.add("query `" + query + "`");
    }
    JsonNode body = operation.at("/requestBody/content/application~1json/schema");
    if (!body.isMissingNode()) {
      inputs.add("body " + type(body));
    }
    return inputs.isEmpty() ? "–" : String.join("; ", inputs);
  }

  private static String refusals(RouteSpec spec) {
    List<String> found = new ArrayList<>();
    if (spec.needsProof()) {
      found.add("403 `reauthentication_required`");
    }
    if (spec.needsActive()) {
      found.add("403 `organization_suspended`");
    }
    if (spec.creates()) {
      found.add("409 `idempotency_conflict`");
    }
    if (spec.isShed()) {
      found.add("503 first under overload");
    }
    return found.isEmpty() ? "–" : String.join(", ", found);
  }

  /** Returns the members of an object, or the texts of a closed set. */
  private static String described(JsonNode schema) {
    if (schema.has("enum")) {
      return stream(schema.path("enum"))
          .map(each -> "`" + each.asText() + "`")
          .collect(Collectors.joining(", "));
    }
    List<String> required = stream(schema.path("required")).map(JsonNode::asText).toList();
    return schema.path("properties").properties().stream()
        .map(
            member ->
                "`"
                    + member.getKey()
                    + (required.contains(member.getKey()) ? "" : "?")
                    + "` "
                    + type(member.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String type(JsonNode schema) {
    if (schema.has("$ref")) {
      String reference = schema.path("$ref").asText();
      return "`" + reference.substring(reference.lastIndexOf('/') + 1) + "`";
    }
    for (String either : List.of("anyOf", "oneOf")) {
      if (schema.has(either)) {
        return joined(stream(schema.path(either)).map(ControlApiPage::type).toList());
      }
    }
    JsonNode name = schema.path("type");
    List<String> names =
        name.isArray() ? stream(name).map(JsonNode::asText).toList() : List.of(name.asText("any"));
    return joined(names.stream().map(each -> named(each, schema)).toList());
  }

  private static String joined(List<String> types) {
    return String.join(" or ", types);
  }

  private static String named(String name, JsonNode schema) {
    return switch (name) {
      case "array" -> "list of " + type(schema.path("items"));
      case "object" ->
          schema.has("additionalProperties") && !schema.has("properties")
              ? "map to " + type(schema.path("additionalProperties"))
              : "{" + described(schema) + "}";
      case "null" -> name;
      default -> schema.path("format").asText(name);
    };
  }

  private static Stream<JsonNode> stream(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }
}
