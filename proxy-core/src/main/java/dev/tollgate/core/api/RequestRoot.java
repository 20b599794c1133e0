package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonLimits;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parser of an inference request's JSON body and its common members, which also edits the body for
 * a provider (docs/decisions/requests.md#splice).
 */
public final class RequestRoot {
  private static final JsonBytes INCLUDE_USAGE = JsonBytes.raw("{\"include_usage\":true}");

  static final String NO_MODEL_NAME =
      "must be the name of a model: a string such as <vendor>/<name>, with no empty part";

  private RequestRoot() {}

  /**
   * Parses a body.
   *
   * @param schemaFields members that may be nested as deep as JSON Schema is
   * @param bounded members whose lists end the scan of a body if they are too long to be read
   * @param check reads the root object, whose nesting is within bounds
   */
  public static <R> ParseResult<R> parse(
      byte[] bytes,
      int length,
      Set<String> schemaFields,
      Set<String> bounded,
      Function<JsonMembers, ParseResult<R>> check) {
    JsonMembers root;
    try {
      root = JsonMembers.of(bytes, 0, length, bounded);
    } catch (InvalidJson e) {
      return new ParseResult.Refused<>(refusal(e));
    }
    return isTooDeep(root, schemaFields)
        ? new ParseResult.Refused<>(
            Fault.of(ErrorCode.VALIDATION_FAILED, "the body is nested too deeply"))
        : check.apply(root);
  }

  private static Fault refusal(InvalidJson e) {
    return switch (e.reason()) {
      case MALFORMED ->
          Fault.of(ErrorCode.INVALID_JSON, "the body is not valid JSON: " + e.getMessage());
      case NOT_AN_OBJECT, NOT_AN_ARRAY ->
          Fault.of(ErrorCode.VALIDATION_FAILED, "the body must be a JSON object");
      case TOO_MANY_ITEMS -> Fault.invalid(e.member(), Issues.TOO_MANY_ITEMS);
      case TOO_DEEP, TOO_MANY_MEMBERS, NAME_TOO_LONG ->
          Fault.of(ErrorCode.VALIDATION_FAILED, "the body is refused: " + e.getMessage());
    };
  }

  private static boolean isTooDeep(JsonMembers root, Set<String> schemaFields) {
    for (int i = 0; i < root.size(); i++) {
      if (root.depth(i) > JsonLimits.PLAIN_DEPTH_MAX && !schemaFields.contains(root.name(i))) {
        return true;
      }
    }
    return false;
  }

  /** Reports each missing member. */
  public static void require(JsonMembers root, Issues issues, String... names) {
    for (String name : names) {
      if (root.indexOf(name) < 0) {
        issues.add(name, "is required");
      }
    }
  }

  /** Returns the name of the requested model; null if it is missing, which was reported before. */
  public static @Nullable String model(JsonMembers root, Issues issues) {
    int i = root.indexOf("model");
    if (i < 0) {
      return null;
    }
    return modelName(root.kind(i) == JsonKind.STRING ? root.string(i) : "", issues);
  }

  /** Returns a name that a model can have; null if it is none, which is reported. */
  static @Nullable String modelName(String text, Issues issues) {
    if (ModelId.isName(text)) {
      return text;
    }
    issues.add("model", NO_MODEL_NAME);
    return null;
  }

  public static boolean isTrue(JsonMembers root, String name) {
    int i = root.indexOf(name);
    return i >= 0 && root.kind(i) == JsonKind.TRUE;
  }

  /** True if a member is present and not null. */
  public static boolean isGiven(JsonMembers root, String name) {
    int i = root.indexOf(name);
    return i >= 0 && root.kind(i) != JsonKind.NULL;
  }

  /** Returns the size of a member's value in bytes; 0 if absent. */
  public static long bytesOf(JsonMembers root, String name) {
    int i = root.indexOf(name);
    return i < 0 ? 0 : root.valueEnd(i) - root.valueStart(i);
  }

  /**
   * Returns the body for a route: only {@code model}, {@code routing}, {@code provider} and, in
   * streams, {@code stream_options} are edited; the rest is unchanged byte for byte. {@code
   * stream_options} are removed for providers that cannot report usage in streams.
   */
  public static JsonSplice edited(JsonMembers root, boolean stream, Route route) {
    JsonSplice splice =
        JsonSplice.of(root).replace(root.indexOf("model"), JsonBytes.string(route.upstreamModel()));
    delete(splice, root, "routing");
    delete(splice, root, "provider");
    if (stream && route.provider().quirks().streamOptions()) {
      askForUsage(splice, root);
    } else if (stream) {
      delete(splice, root, "stream_options");
    }
    return splice;
  }

  /**
   * Returns the body for a route whose provider has OpenAI's format, without the options that its
   * clients have no right to.
   */
  public static UpstreamBody upstreamBody(
      JsonMembers root, boolean stream, Operation operation, Route route) {
    JsonSplice edits = edited(root, stream, route);
    List<String> dropped = PricedOption.drop(root, operation, route.provider().quirks(), edits);
    return new UpstreamBody(edits.toBuffers(), dropped);
  }

  /** Returns the JSON paths of what such a body leaves out. */
  public static List<String> unsupported(JsonMembers root, Operation operation, Route route) {
    return PricedOption.drop(root, operation, route.provider().quirks(), JsonSplice.of(root));
  }

  private static void delete(JsonSplice splice, JsonMembers root, String name) {
    int i = root.indexOf(name);
    if (i >= 0) {
      splice.delete(i);
    }
  }

  private static void askForUsage(JsonSplice splice, JsonMembers root) {
    int i = root.indexOf("stream_options");
    if (i < 0) {
      splice.insertLast("stream_options", INCLUDE_USAGE);
      return;
    }
    JsonMembers options = root.kind(i) == JsonKind.OBJECT ? root.object(i) : null;
    splice.replace(i, options == null || options.size() == 0 ? INCLUDE_USAGE : merged(options));
  }

  private static JsonSplice merged(JsonMembers options) {
    JsonSplice splice = JsonSplice.of(options);
    int include = options.indexOf("include_usage");
    if (include < 0) {
      return splice.insertLast("include_usage", JsonBytes.TRUE);
    }
    splice.replace(include, JsonBytes.TRUE);
    for (int k = options.indexOf("include_usage", include + 1);
        k >= 0;
        k = options.indexOf("include_usage", k + 1)) {
      splice.delete(k);
    }
    return splice;
  }
}
