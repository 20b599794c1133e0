package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.control.route.RecordMembers.Member;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import java.lang.reflect.AnnotatedType;
import java.util.List;
import java.util.Locale;

/** Description of the API in OpenAPI 3.1, made from the table of routes and its records. */
public final class OpenApi {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The whole document. */
  public static final JsonNode DOCUMENT = new OpenApi().document();

  private final SchemaSet schemas = new SchemaSet();

  private OpenApi() {}

  private JsonNode document() {
    ObjectNode document = JSON.objectNode();
    document.put("openapi", "3.1.0");
    document
        .putObject("info")
        .put("title", "Tollgate control plane")
        .put("version", "1")
        .put("description", "Accounts, organizations, keys, money and requests.");
    ObjectNode paths = document.putObject("paths");
    for (Route route : Route.values()) {
      if (route.spec().audience() != Audience.FILES) {
        add(paths.withObjectProperty(route.spec().template()), route);
      }
    }
    ObjectNode components = document.putObject("components");
    components.set("schemas", schemas.all());
    ObjectNode security = components.putObject("securitySchemes");
    security.putObject("token").put("type", "http").put("scheme", "bearer");
    security
        .putObject("session")
        .put("type", "apiKey")
        .put("in", "cookie")
        .put("name", "tollgate_session");
    return document;
  }

  private void add(ObjectNode path, Route route) {
    RouteSpec spec = route.spec();
    ObjectNode operation = path.putObject(spec.method().name().toLowerCase(Locale.ROOT));
    operation.put("operationId", route.name().toLowerCase(Locale.ROOT));
    ArrayNode security = operation.putArray("security");
    if (spec.audience() != Audience.PUBLIC) {
      security.addObject().putArray("token");
      security.addObject().putArray("session");
    }
    addParameters(operation.putArray("parameters"), spec);
    Class<? extends Record> body = spec.body();
    if (body != null) {
      ObjectNode content = operation.putObject("requestBody");
      boolean isRequired = RecordMembers.flat(body).stream().anyMatch(Member::isRequired);
      content.put("required", isRequired);
      json(content).set("schema", schemas.of(body, true));
    }
    addReplies(operation.putObject("responses"), spec);
  }

  private void addParameters(ArrayNode parameters, RouteSpec spec) {
    spec.segments().stream()
        .filter(segment -> segment.startsWith("{"))
        .forEach(
            segment -> {
              String name = segment.substring(1, segment.length() - 1);
              parameter(parameters, "path", name, true)
                  .set("schema", JSON.objectNode().put("type", "string"));
            });
    Class<? extends Record> query = spec.query();
    if (query != null) {
      addQuery(parameters, query);
    }
    if (spec.csrf()) {
      parameter(parameters, "header", "X-Requested-With", false)
          .put("description", "Required with a session cookie.")
          .set("schema", JSON.objectNode().put("type", "string"));
    }
    if (spec.creates()) {
      parameter(parameters, "header", "Idempotency-Key", false)
          .set("schema", JSON.objectNode().put("type", "string").put("maxLength", 255));
    }
  }

  private void addQuery(ArrayNode parameters, Class<?> query) {
    RecordMembers.flat(query).forEach(member -> addQuery(parameters, query, member));
  }

  private void addQuery(ArrayNode parameters, Class<?> query, Member member) {
    AnnotatedType type = member.type();
    if (RecordMembers.raw(type) == PageRequest.class) {
      parameter(parameters, "query", "limit", false)
          .set(
              "schema",
              JSON.objectNode()
                  .put("type", "integer")
                  .put("minimum", 1)
                  .put("maximum", PageRequest.LIMIT_MAX)
                  .put("default", PageRequest.LIMIT_INITIAL));
      parameter(parameters, "query", "cursor", false)
          .set("schema", JSON.objectNode().put("type", "string"));
      return;
    }
    boolean isRequired = member.isRequired() && RecordMembers.raw(type) != List.class;
    parameter(parameters, "query", member.name(), isRequired)
        .set("schema", schemas.of(query, member, false, true));
  }

  private static ObjectNode parameter(
      ArrayNode parameters, String in, String name, boolean isRequired) {
    return parameters.addObject().put("name", name).put("in", in).put("required", isRequired);
  }

  private void addReplies(ObjectNode replies, RouteSpec spec) {
    ObjectNode success = replies.putObject(Integer.toString(spec.status()));
    success.put("description", "Success");
    Class<?> type = spec.reply();
    if (type != null) {
      json(success).set("schema", spec.isList() ? schemas.page(type) : schemas.of(type, false));
    } else if (spec.status() == 202) {
      json(success).set("schema", JSON.objectNode().put("type", "object"));
    }
    if (spec.finds()) {
      replies.set(
          Integer.toString(RouteSpec.FOUND),
          success.deepCopy().put("description", "It was there already"));
    }
    ObjectNode failure = replies.putObject("default");
    failure.put("description", "Refused: the error's code tells why");
    json(failure).set("schema", schemas.error());
  }

  private static ObjectNode json(ObjectNode holder) {
    return holder.withObjectProperty("content").withObjectProperty("application/json");
  }
}
