package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.mock.MockRequest.Audio;
import dev.tollgate.mock.MockRequest.Operation;
import dev.tollgate.mock.MockRequest.Pictures;
import dev.tollgate.mock.MockRequest.Vectors;
import dev.tollgate.mock.demo.DemoAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Parses a {@link MockRequest} from the members of a JSON body. */
final class RequestScan {
  private static final int DIMENSIONS_USUAL = 1_536;
  private static final int DIMENSIONS_MAX = 16_384;

  private @Nullable String model;
  private @Nullable String behavior;
  private boolean stream;
  private boolean includeUsage;
  private int tokensMax = -1;
  private @Nullable String tool;
  private boolean toolRequired;
  private List<Integer> texts = List.of();
  private int dimensions = DIMENSIONS_USUAL;
  private boolean base64;
  private String format = "";
  private boolean events;
  private int count = 1;
  private String size = Pictures.SIZE_USUAL;
  private @Nullable JsonMembers root;

  private RequestScan() {}

  /**
   * Returns the request in the first {@code length} bytes, or null if they are not a JSON object
   * with a model.
   *
   * @param host value of the request's Host field
   */
  static @Nullable MockRequest scan(
      Operation operation, byte[] body, int length, String host, boolean keepAlive) {
    RequestScan scan = new RequestScan();
    try {
      JsonMembers members = JsonMembers.of(body, 0, length);
      scan.root = members;
      for (int i = 0; i < members.size(); i++) {
        scan.readMember(members, i);
      }
    } catch (InvalidJson _) {
      return null;
    }
    String model = scan.effectiveModel();
    if (model == null) {
      return null;
    }
    return new MockRequest(
        operation,
        model,
        operation == Operation.SPEECH ? scan.events : scan.stream,
        scan.includeUsage,
        scan.tokensMax,
        scan.toolRequired && scan.tool == null ? "lookup" : scan.tool,
        scan.toolRequired,
        MockRequest.promptTokens(length),
        scan.vectors(operation),
        new Audio(operation == Operation.SPEECH ? scan.format : "", 0),
        operation == Operation.IMAGE
            ? Pictures.of(scan.count, scan.size, scan.format, host)
            : Pictures.NONE,
        scan.demo(operation, model),
        keepAlive);
  }

  private Vectors vectors(Operation operation) {
    return switch (operation) {
      case EMBEDDING -> new Vectors(texts, dimensions, base64);
      case CHAT, COMPLETION, SPEECH, TRANSCRIPTION, IMAGE -> Vectors.NONE;
    };
  }

  private @Nullable DemoAnswer demo(Operation operation, String requestedModel) {
    return switch (operation) {
      case CHAT, COMPLETION ->
          root != null && MockModel.isDemo(requestedModel) ? DemoAnswer.to(root) : null;
      case EMBEDDING, SPEECH, TRANSCRIPTION, IMAGE -> null;
    };
  }

  /** Returns the model, or the member {@code x_mock} if the model delegates to it. */
  private @Nullable String effectiveModel() {
    boolean usesBehavior = model != null && (model.equals("asked") || model.endsWith("/asked"));
    return usesBehavior && behavior != null ? behavior : model;
  }

  private void readMember(JsonMembers members, int i) {
    switch (members.name(i)) {
      case "model" -> model = string(members, i);
      case "x_mock" -> behavior = string(members, i);
      case "stream" -> stream = members.kind(i) == JsonKind.TRUE;
      case "stream_options" -> includeUsage = includesUsage(members, i);
      case "max_tokens", "max_completion_tokens" -> tokensMax = number(members, i, -1);
      case "tools" -> tool = tool == null ? firstTool(members, i) : tool;
      case "tool_choice" -> readToolChoice(members, i);
      case "input" -> texts = texts(members, i);
      case "dimensions" ->
          dimensions = Math.clamp(number(members, i, DIMENSIONS_USUAL), 1, DIMENSIONS_MAX);
      case "encoding_format" -> base64 = members.isString(i, "base64");
      case "response_format" -> format = Objects.requireNonNullElse(string(members, i), format);
      case "size" -> size = Objects.requireNonNullElse(string(members, i), size);
      case "n" -> count = number(members, i, 1);
      case "stream_format" -> events = members.isString(i, "sse");
      default -> {}
    }
  }

  private void readToolChoice(JsonMembers members, int i) {
    String named = functionName(members, i);
    toolRequired = members.isString(i, "required") || named != null;
    tool = named == null ? tool : named;
  }

  /** Returns the string as written, one character per byte: replies repeat its bytes. */
  private static @Nullable String string(JsonItems items, int i) {
    int from = items.valueStart(i) + 1;
    return items.kind(i) == JsonKind.STRING
        ? new String(items.bytes(), from, items.valueEnd(i) - 1 - from, ISO_8859_1)
        : null;
  }

  private static int number(JsonItems items, int i, int otherwise) {
    long number = items.integer(i, otherwise);
    return number == (int) number ? (int) number : otherwise;
  }

  private static boolean includesUsage(JsonMembers members, int i) {
    if (members.kind(i) != JsonKind.OBJECT) {
      return false;
    }
    JsonMembers options = members.object(i);
    int at = options.indexOf("include_usage");
    return at >= 0 && options.kind(at) == JsonKind.TRUE;
  }

  private static @Nullable String firstTool(JsonMembers members, int i) {
    if (members.kind(i) != JsonKind.ARRAY) {
      return null;
    }
    JsonElements tools = members.array(i);
    return tools.size() == 0 ? null : functionName(tools, 0);
  }

  /** {@code function.name} of a tool or a tool choice. */
  private static @Nullable String functionName(JsonItems tools, int i) {
    if (tools.kind(i) != JsonKind.OBJECT) {
      return null;
    }
    JsonMembers tool = tools.object(i);
    int at = tool.indexOf("function");
    if (at < 0 || tool.kind(at) != JsonKind.OBJECT) {
      return null;
    }
    JsonMembers function = tool.object(at);
    int name = function.indexOf("name");
    return name < 0 ? null : string(function, name);
  }

  /**
   * Returns a hash of each text of an embedding request. The value is a string, or an array of
   * strings, of token arrays, or of the tokens of one text.
   */
  private static List<Integer> texts(JsonMembers members, int i) {
    if (members.kind(i) != JsonKind.ARRAY) {
      return List.of(hash(members, i));
    }
    JsonElements elements = members.array(i);
    List<Integer> texts = new ArrayList<>();
    for (int n = 0; n < elements.size(); n++) {
      JsonKind kind = elements.kind(n);
      if (kind != JsonKind.STRING && kind != JsonKind.ARRAY) {
        return List.of(hash(members, i));
      }
      texts.add(hash(elements, n));
    }
    return texts;
  }

  private static int hash(JsonItems items, int i) {
    int hash = 1;
    for (int at = items.valueStart(i); at < items.valueEnd(i); at++) {
      hash = 31 * hash + items.bytes()[at];
    }
    return hash;
  }
}
