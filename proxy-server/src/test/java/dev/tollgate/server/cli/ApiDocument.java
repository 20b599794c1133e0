package dev.tollgate.server.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The OpenAPI document of the API, and what it says of requests and answers. */
public final class ApiDocument {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonSchemaFactory SCHEMAS =
      JsonSchemaFactory.getInstance(VersionFlag.V202012);

  private final JsonNode root;

  private ApiDocument(JsonNode root) {
    this.root = root;
  }

  /** The one that the program prints. */
  public static ApiDocument own() {
    try {
      return new ApiDocument(MAPPER.readTree(OpenApi.document()));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  JsonNode root() {
    return root;
  }

  List<JsonNode> schemas() {
    List<JsonNode> all = new ArrayList<>();
    root.at("/components/schemas").forEach(all::add);
    return all;
  }

  /** All operations, in the order of the document. */
  public List<Operation> operations() {
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

  /** What can be done at a path. */
  public Operation operation(String path) {
    return operations().stream().filter(one -> one.path().equals(path)).findFirst().orElseThrow();
  }

  private Operation operation(String path, String method) {
    JsonNode body = root.path("paths").path(path).path(method);
    return new Operation(this, path, method.toUpperCase(Locale.ROOT), body);
  }

  /** What is wrong with an answer that is an error. */
  public List<String> error(JsonNode answer) {
    return complaints(root.at("/components/responses/Error/content/application~1json"), answer);
  }

  private List<String> complaints(JsonNode content, JsonNode json) {
    if (!content.path("schema").isObject()) {
      return List.of("the document has no schema for it");
    }
    ObjectNode schema = content.get("schema").deepCopy();
    schema.set("components", root.path("components"));
    List<String> found = new ArrayList<>();
    SCHEMAS.getSchema(schema).validate(json).forEach(one -> found.add(one.toString()));
    return found;
  }

  /** One operation: what it takes and what it answers. */
  public record Operation(ApiDocument document, String path, String method, JsonNode node) {
    /** The examples of its request. */
    public List<JsonNode> examples() {
      List<JsonNode> all = new ArrayList<>();
      node.at("/requestBody/content/application~1json/examples")
          .forEach(one -> all.add(one.path("value")));
      return all;
    }

    /** What is wrong with a request. */
    List<String> request(JsonNode body) {
      return document.complaints(node.at("/requestBody/content/application~1json"), body);
    }

    /** What is wrong with an answer of this content type, or with one event of it. */
    public List<String> answer(String contentType, JsonNode json) {
      return document.complaints(node.at("/responses/200/content").path(contentType), json);
    }
  }
}
