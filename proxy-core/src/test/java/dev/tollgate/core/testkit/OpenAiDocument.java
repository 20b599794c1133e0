package dev.tollgate.core.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * OpenAI's OpenAPI document, with validation of the objects that the gateway answers in place of
 * OpenAI. Objects of the same shape are validated once.
 */
public final class OpenAiDocument {
  private static final String FILE = "wire/openapi/openai.trimmed.json";

  private static final class Shared {
    private static final OpenAiDocument ONE = new OpenAiDocument(Corpora.text(FILE));

    private Shared() {}
  }

  private final PreciseSchemas schemas;
  private final Map<ObjectKind, JsonSchema> compiled = new EnumMap<>(ObjectKind.class);
  private final Map<String, Set<Deviation>> known = new ConcurrentHashMap<>();

  private OpenAiDocument(String document) {
    schemas = PreciseSchemas.of(document);
  }

  /** Returns the document of the shared corpora. */
  public static OpenAiDocument shared() {
    return Shared.ONE;
  }

  /** Returns the document of the shared corpora, if they are there. */
  public static Optional<OpenAiDocument> sharedIfPresent() {
    return Corpora.has(FILE) ? Optional.of(shared()) : Optional.empty();
  }

  /**
   * Difference of an object from its schema.
   *
   * @param path such as {@code choices[].message.refusal}
   */
  public record Deviation(String kind, String path, String what) implements Comparable<Deviation> {
    @Override
    public int compareTo(Deviation other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return kind + "\t" + path + "\t" + what;
    }
  }

  /** Returns the differences of an object from the schema of its kind. */
  public Set<Deviation> deviations(ObjectKind kind, JsonNode object) {
    String shape = kind + schemas.shape(object);
    Set<Deviation> earlier = known.get(shape);
    if (earlier != null) {
      return earlier;
    }
    Set<Deviation> found = new TreeSet<>();
    Set<ValidationMessage> messages = schema(kind).validate(object);
    Set<String> mistyped =
        messages.stream()
            .filter(message -> message.getType().equals("type"))
            .map(message -> message.getInstanceLocation().toString())
            .collect(Collectors.toSet());
    for (ValidationMessage message : messages) {
      boolean isImplied = message.getType().equals("enum");
      if (!isImplied || !mistyped.contains(message.getInstanceLocation().toString())) {
        found.add(deviation(kind.of(object), message, object));
      }
    }
    known.put(shape, found);
    return found;
  }

  private synchronized JsonSchema schema(ObjectKind kind) {
    return compiled.computeIfAbsent(kind, this::compile);
  }

  private JsonSchema compile(ObjectKind kind) {
    return JsonSchemaFactory.getInstance(VersionFlag.V202012)
        .getSchema(schemas.root(kind.schema()), SchemaValidatorsConfig.builder().build());
  }

  private static Deviation deviation(String kind, ValidationMessage message, JsonNode object) {
    String pointer = message.getInstanceLocation().toString();
    String path = pointer.replaceAll("/[0-9]+", "[]").replace('/', '.');
    String what =
        switch (message.getType()) {
          case "required" -> "missing";
          case "type" -> "is " + type(object, pointer);
          case "enum", "const" -> "is another value";
          default -> message.getType();
        };
    String whole = message.getType().equals("required") ? path + "." + message.getProperty() : path;
    return new Deviation(kind, whole.startsWith(".") ? whole.substring(1) : whole, what);
  }

  private static String type(JsonNode object, String pointer) {
    JsonNode at = object.at(pointer);
    return switch (at.getNodeType()) {
      case NULL -> "null";
      case STRING -> "a string";
      case NUMBER -> "a number";
      case BOOLEAN -> "a boolean";
      case ARRAY -> "an array";
      case OBJECT, POJO -> "an object";
      case BINARY, MISSING -> "of another type";
    };
  }
}
