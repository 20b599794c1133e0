package dev.tollgate.mock;

import dev.tollgate.mock.MockRequest.Audio;
import dev.tollgate.mock.MockRequest.Operation;
import dev.tollgate.mock.MockRequest.Pictures;
import dev.tollgate.mock.MockRequest.Vectors;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the few members of a request's body that a {@link MockRequest} is made of. */
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

  private RequestScan() {}

  /**
   * The request in the first {@code length} bytes, or null if they name no model.
   *
   * @param host where the client found this provider
   */
  static @Nullable MockRequest scan(
      Operation operation, byte[] body, int length, String host, boolean keepAlive) {
    RequestScan scan = new RequestScan();
    JsonWalk members = new JsonWalk(body, 0, length);
    while (members.next()) {
      scan.readMember(members);
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
        keepAlive);
  }

  private Vectors vectors(Operation operation) {
    return switch (operation) {
      case EMBEDDING -> new Vectors(texts, dimensions, base64);
      case CHAT, COMPLETION, SPEECH, TRANSCRIPTION, IMAGE -> Vectors.NONE;
    };
  }

  /** The model; or the one that the request names beside it. */
  private @Nullable String effectiveModel() {
    boolean usesBehavior = model != null && (model.equals("asked") || model.endsWith("/asked"));
    return usesBehavior && behavior != null ? behavior : model;
  }

  private void readMember(JsonWalk member) {
    if (member.isNamed("model") && member.valueIsString()) {
      model = member.string();
    } else if (member.isNamed("x_mock") && member.valueIsString()) {
      behavior = member.string();
    } else if (member.isNamed("stream")) {
      stream = member.valueIs("true");
    } else if (member.isNamed("stream_options")) {
      includeUsage = includesUsage(member.inside());
    } else if (member.isNamed("max_tokens") || member.isNamed("max_completion_tokens")) {
      tokensMax = member.number(-1);
    } else if (member.isNamed("tools") && tool == null) {
      tool = functionName(member.inside());
    } else if (member.isNamed("input")) {
      texts = member.texts();
    } else if (member.isNamed("dimensions")) {
      dimensions = Math.clamp(member.number(DIMENSIONS_USUAL), 1, DIMENSIONS_MAX);
    } else if (member.isNamed("encoding_format")) {
      base64 = member.valueIsString() && member.string().equals("base64");
    } else if (member.isNamed("response_format") && member.valueIsString()) {
      format = member.string();
    } else if (member.isNamed("size") && member.valueIsString()) {
      size = member.string();
    } else if (member.isNamed("n")) {
      count = member.number(1);
    } else if (member.isNamed("stream_format")) {
      events = member.valueIsString() && member.string().equals("sse");
    } else if (member.isNamed("tool_choice")) {
      readMember(member.valueIsString() ? member.string() : "", member);
    }
  }

  private void readMember(String choice, JsonWalk toolChoice) {
    String named = functionName(toolChoice.inside());
    toolRequired = choice.equals("required") || named != null;
    tool = named == null ? tool : named;
  }

  private static boolean includesUsage(JsonWalk options) {
    while (options.next()) {
      if (options.isNamed("include_usage")) {
        return options.valueIs("true");
      }
    }
    return false;
  }

  private static @Nullable String functionName(JsonWalk tool) {
    while (tool.next()) {
      if (tool.isNamed("function")) {
        return name(tool.inside());
      }
    }
    return null;
  }

  private static @Nullable String name(JsonWalk function) {
    while (function.next()) {
      if (function.isNamed("name") && function.valueIsString()) {
        return function.string();
      }
    }
    return null;
  }
}
