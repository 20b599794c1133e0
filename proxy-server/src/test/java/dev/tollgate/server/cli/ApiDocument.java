package dev.tollgate.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The OpenAPI document of the API, with validation of requests and responses. */
public final class ApiDocument {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(VersionFlag.V202012);

  private final JsonNode root;
  private final List<Operation> operations;
  private final Map<String, JsonSchema> compiled = new ConcurrentHashMap<>();

  private ApiDocument(JsonNode root) {
    this.root = root;
    this.operations = read();
  }

  /** Returns the document that the program prints. */
  public static ApiDocument own() {
    try {
      return new ApiDocument(MAPPER.readTree(OpenApiCommand.document()));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  public static ApiDocument of(JsonNode root) {
    return new ApiDocument(root);
  }

  JsonNode root() {
    return root;
  }

  List<JsonNode> schemas() {
    List<JsonNode> all = new ArrayList<>();
    root.at("/components/schemas").forEach(all::add);
    return all;
  }

  /** Returns all operations, in the order of the document. */
  public List<Operation> operations() {
    return operations;
  }

  private List<Operation> read() {
    List<Operation> all = new ArrayList<>();
    root.path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(one -> all.add(operation(path.getKey(), one.getKey()))));
    return all;
  }

  /** Returns the operation at a path of the document. */
  public Operation operation(String path) {
    return operations().stream().filter(one -> one.path().equals(path)).findFirst().orElseThrow();
  }

  /** Returns the operation at the path of a request, if the document has it. */
  public Optional<Operation> at(String requested) {
    return operations().stream()
        .filter(one -> requested.matches(one.path().replaceAll("\\{[a-z]+}", "[^/]+")))
        .findFirst();
  }

  /** Returns the operation of a request's method and path; words go before placeholders. */
  public Optional<Operation> at(String method, String requested) {
    return operations().stream()
        .filter(one -> one.method().equals(method))
        .filter(one -> requested.matches(one.path().replaceAll("\\{[a-z_]+}", "[^/]+")))
        .min(Comparator.comparingLong(one -> one.path().chars().filter(c -> c == '{').count()));
  }

  private Operation operation(String path, String method) {
    JsonNode body = root.path("paths").path(path).path(method);
    return new Operation(this, path, method.toUpperCase(Locale.ROOT), body);
  }

  /** Returns the violations of an error response. */
  public List<String> error(JsonNode answer) {
    JsonNode content = root.at("/components/responses/Error/content/application~1json");
    return complaints("error", content, answer);
  }

  /**
   * @param name of the schema, which is compiled once
   */
  private List<String> complaints(String name, JsonNode content, JsonNode json) {
    if (!content.path("schema").isObject()) {
      return List.of("the document has no schema for it");
    }
    List<String> found = new ArrayList<>();
    compiled
        .computeIfAbsent(name, _ -> compiled(content.get("schema")))
        .validate(json)
        .forEach(one -> found.add(one.toString()));
    return found;
  }

  private JsonSchema compiled(JsonNode part) {
    ObjectNode schema = part.deepCopy();
    schema.set("components", root.path("components"));
    return SCHEMAS.getSchema(schema);
  }

  /** One operation, with its request and responses. */
  public record Operation(ApiDocument document, String path, String method, JsonNode node) {
    /** Returns the examples of its request. */
    public List<JsonNode> examples() {
      List<JsonNode> all = new ArrayList<>();
      node.at("/requestBody/content")
          .forEach(content -> content.path("examples").forEach(one -> all.add(one.path("value"))));
      return all;
    }

    /** Returns the violations of a request against the schema that fits best. */
    List<String> request(JsonNode body) {
      return node.at("/requestBody/content").properties().stream()
          .map(form -> document.complaints(path + " " + form.getKey(), form.getValue(), body))
          .min(Comparator.comparingInt(List::size))
          .orElseThrow();
    }

    /** Returns the violations of a response of this content type, or of one event of it. */
    public List<String> answer(String contentType, JsonNode json) {
      return answer(200, contentType, json);
    }

    /** Returns the violations of a response with another status. */
    public List<String> answer(int status, String contentType, JsonNode json) {
      return answer("" + status, contentType, json);
    }

    /** Returns the violations of a response whose status the document does not name. */
    public List<String> otherAnswer(String contentType, JsonNode json) {
      return answer("default", contentType, json);
    }

    private List<String> answer(String status, String contentType, JsonNode json) {
      JsonNode content = node.path("responses").path(status).path("content").path(contentType);
      String name = method + " " + path + " answers " + status + contentType;
      return document.complaints(name, content, json);
    }

    /** True if the document has this status. */
    public boolean has(int status) {
      return node.path("responses").has("" + status);
    }
  }
}
