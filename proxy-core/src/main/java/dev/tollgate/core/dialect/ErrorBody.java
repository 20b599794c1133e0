package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Error code, type, message and retry delay parsed from a provider's error response. The body has
 * one of these shapes: {@code {"error":{…}}}, the same in an array, {@code {"error":"text"}},
 * {@code {"message":…}} (or {@code Message}), {@code {"detail":…}}, or nothing (HTML, empty).
 *
 * @param reason the most precise of several codes: Azure's inner code, Google's reason in the
 *     details
 * @param impliedStatus the HTTP status that the body itself states, or 0 if none
 * @param retryAfterSeconds the wait that the body itself states, or 0
 */
public record ErrorBody(
    String message,
    @Nullable String param,
    @Nullable String code,
    @Nullable String type,
    @Nullable String reason,
    int impliedStatus,
    int retryAfterSeconds) {
  private static final int MESSAGE_CHARS_MAX = 2_000;
  private static final ErrorBody NOTHING = new ErrorBody("", null, null, null, null, 0, 0);

  public static ErrorBody read(byte[] json, int from, int to) {
    try {
      return of(JsonMembers.of(json, from, to));
    } catch (InvalidJson e) {
      return e.reason() == InvalidJson.Reason.NOT_AN_OBJECT ? ofArray(json, from, to) : NOTHING;
    }
  }

  // Google answers a streamed call with its error in an array.
  private static ErrorBody ofArray(byte[] json, int from, int to) {
    try {
      JsonElements elements = JsonElements.of(json, from, to);
      return elements.size() > 0 && elements.kind(0) == JsonKind.OBJECT
          ? of(elements.object(0))
          : NOTHING;
    } catch (InvalidJson e) {
      return NOTHING;
    }
  }

  private static ErrorBody of(JsonMembers root) {
    int error = root.indexOf("error");
    if (error >= 0 && root.kind(error) == JsonKind.OBJECT) {
      return ofObject(root.object(error));
    }
    if (error >= 0 && root.kind(error) == JsonKind.STRING) {
      String code = scalar(root, "code");
      String type = scalar(root, "error_type");
      int status = ImpliedStatus.of(root, code, type);
      return new ErrorBody(cut(root.string(error)), null, code, type, null, status, 0);
    }
    return ofObject(root);
  }

  private static ErrorBody ofObject(JsonMembers error) {
    String detail = messageOf(error);
    ValidationError validationError = detail == null ? ValidationError.findIn(error) : null;
    ErrorDetails details = ErrorDetails.of(error);
    ErrorBody raw = nestedError(error);
    String inner = innerCode(error);
    String code = scalar(error, "code");
    String type = type(error);
    ErrorBody own =
        new ErrorBody(
            cut(detail != null ? detail : validationError != null ? validationError.message() : ""),
            validationError == null ? scalar(error, "param") : validationError.param(),
            inner == null ? code : inner,
            type,
            details.reason(),
            ImpliedStatus.of(error, code, type),
            details.retryAfterSeconds());
    return raw == null ? own : own.overriddenBy(raw);
  }

  /** Returns the message; Amazon writes {@code Message} when it denies a permission. */
  private static @Nullable String messageOf(JsonMembers error) {
    for (String name : List.of("message", "Message", "detail")) {
      String words = scalar(error, name);
      if (words != null) {
        return words;
      }
    }
    return null;
  }

  /** Returns the type of the error; Google calls it status. */
  private static @Nullable String type(JsonMembers error) {
    for (String name : List.of("type", "error_type")) {
      String type = scalar(error, name);
      if (type != null) {
        return type;
      }
    }
    int status = JsonReads.findText(error, "status");
    return status < 0 || Character.isDigit(error.string(status).charAt(0))
        ? null
        : error.string(status);
  }

  // OpenRouter passes on the error text of its provider.
  private static @Nullable ErrorBody nestedError(JsonMembers error) {
    int metadata = error.indexOf("metadata");
    if (metadata < 0 || error.kind(metadata) != JsonKind.OBJECT) {
      return null;
    }
    JsonMembers members = error.object(metadata);
    int raw = members.indexOf("raw");
    if (raw < 0 || members.kind(raw) != JsonKind.STRING) {
      return null;
    }
    byte[] json = members.string(raw).getBytes(UTF_8);
    ErrorBody read = read(json, 0, json.length);
    return read.message().isEmpty() ? null : read;
  }

  /** Returns the error that was passed on, completed by this one; the status stays this one's. */
  private ErrorBody overriddenBy(ErrorBody raw) {
    return new ErrorBody(
        raw.message,
        raw.param == null ? param : raw.param,
        raw.code == null ? code : raw.code,
        raw.type == null ? type : raw.type,
        raw.reason == null ? reason : raw.reason,
        impliedStatus,
        Math.max(retryAfterSeconds, raw.retryAfterSeconds));
  }

  // Azure's precise code is one level deeper.
  private static @Nullable String innerCode(JsonMembers error) {
    int inner = error.indexOf("innererror");
    return inner >= 0 && error.kind(inner) == JsonKind.OBJECT
        ? scalar(error.object(inner), "code")
        : null;
  }

  /** Validation error of FastAPI servers: {@code "detail":[{"loc":[…],"msg":…}]}. */
  private record ValidationError(String message, @Nullable String param) {
    static @Nullable ValidationError findIn(JsonMembers error) {
      for (String name : List.of("detail", "details")) {
        int i = error.indexOf(name);
        JsonElements all = i >= 0 && error.kind(i) == JsonKind.ARRAY ? error.array(i) : null;
        if (all != null && all.size() > 0 && all.kind(0) == JsonKind.OBJECT) {
          return of(all.object(0));
        }
      }
      return null;
    }

    private static @Nullable ValidationError of(JsonMembers first) {
      String message = scalar(first, "msg");
      int loc = first.indexOf("loc");
      boolean located = loc >= 0 && first.kind(loc) == JsonKind.ARRAY;
      return message == null
          ? null
          : new ValidationError(message, located ? path(first.array(loc)) : null);
    }

    private static @Nullable String path(JsonElements loc) {
      String path =
          IntStream.range(0, loc.size())
              .filter(i -> i > 0 || !"body".equals(scalar(loc, i)))
              .mapToObj(i -> step(loc, i))
              .collect(Collectors.joining());
      return path.isEmpty() ? null : path.startsWith(".") ? path.substring(1) : path;
    }

    private static String step(JsonElements loc, int i) {
      String text = scalar(loc, i);
      return loc.kind(i) == JsonKind.NUMBER ? "[" + text + "]" : "." + text;
    }
  }

  static @Nullable String scalar(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i < 0 ? null : scalar(members, i);
  }

  private static @Nullable String scalar(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case STRING -> items.string(i);
      case NUMBER -> items.text(i);
      case TRUE, FALSE, NULL, OBJECT, ARRAY -> null;
    };
  }

  private static String cut(String text) {
    return text.length() <= MESSAGE_CHARS_MAX ? text : text.substring(0, MESSAGE_CHARS_MAX);
  }

  /** True if code, type, reason or message contain one of these lower-case words. */
  public boolean containsAny(String... words) {
    return codeContainsAny(words) || contains(message, words);
  }

  /**
   * True if code, type or reason contain one of these lower-case words. These are the provider's
   * own; a message may quote what the client wrote, so no decision that affects other clients
   * depends on it.
   */
  public boolean codeContainsAny(String... words) {
    return contains(code + " " + type + " " + reason, words);
  }

  /** True if the message begins with one of these lower-case texts. */
  public boolean beginsWithAny(String... beginnings) {
    String lower = message.toLowerCase(Locale.ROOT);
    for (String beginning : beginnings) {
      if (lower.startsWith(beginning)) {
        return true;
      }
    }
    return false;
  }

  private static boolean contains(String text, String... words) {
    String lower = text.toLowerCase(Locale.ROOT);
    for (String word : words) {
      if (lower.contains(word)) {
        return true;
      }
    }
    return false;
  }
}
