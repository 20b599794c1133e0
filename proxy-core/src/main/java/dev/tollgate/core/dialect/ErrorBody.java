package dev.tollgate.core.dialect;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What could be read from a provider's error body, whichever of the known shapes it has: {@code
 * {"error":{…}}}, {@code {"error":"text"}}, {@code {"message":…}}, {@code {"detail":…}}, or nothing
 * (HTML, empty).
 *
 * @param impliedStatus the HTTP status that the body itself names, or 0
 */
record ErrorBody(
    String message,
    @Nullable String param,
    @Nullable String code,
    @Nullable String type,
    int impliedStatus) {
  private static final int MESSAGE_CHARS_MAX = 2_000;
  private static final ErrorBody NOTHING = new ErrorBody("", null, null, null, 0);

  static ErrorBody read(byte[] json, int from, int to) {
    try {
      return of(JsonMembers.of(json, from, to));
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
      return new ErrorBody(cut(root.string(error)), null, scalar(root, "code"), null, 0);
    }
    return ofObject(root);
  }

  private static ErrorBody ofObject(JsonMembers error) {
    String message = scalar(error, "message");
    String detail = message == null ? scalar(error, "detail") : message;
    String inner = innerCode(error);
    String code = scalar(error, "code");
    return new ErrorBody(
        detail == null ? "" : cut(detail),
        scalar(error, "param"),
        inner == null ? code : inner,
        scalar(error, "type"),
        status(error));
  }

  // Azure's real reason stands one level deeper.
  private static @Nullable String innerCode(JsonMembers error) {
    int inner = error.indexOf("innererror");
    return inner >= 0 && error.kind(inner) == JsonKind.OBJECT
        ? scalar(error.object(inner), "code")
        : null;
  }

  private static int status(JsonMembers error) {
    for (String name : new String[] {"status", "status_code", "code"}) {
      int i = error.indexOf(name);
      long value = i < 0 ? 0 : number(error, i);
      if (value >= 400 && value < 600) {
        return (int) value;
      }
    }
    return statusOfWords(scalar(error, "code"), scalar(error, "type"));
  }

  private static long number(JsonItems items, int i) {
    if (items.kind(i) != JsonKind.STRING) {
      return items.integer(i, 0);
    }
    String text = items.string(i);
    return text.length() == 3 && text.chars().allMatch(Character::isDigit)
        ? Integer.parseInt(text)
        : 0;
  }

  private static int statusOfWords(@Nullable String code, @Nullable String type) {
    String words = (code + " " + type).toLowerCase(Locale.ROOT);
    if (words.contains("rate_limit") || words.contains("too_many_requests")) {
      return 429;
    }
    if (words.contains("context_length") || words.contains("content_filter")) {
      return 400;
    }
    if (words.contains("invalid_api_key") || words.contains("authentication")) {
      return 401;
    }
    if (words.contains("server_error") || words.contains("overloaded")) {
      return 503;
    }
    return 0;
  }

  private static @Nullable String scalar(JsonMembers members, String name) {
    int i = members.indexOf(name);
    if (i < 0) {
      return null;
    }
    return switch (members.kind(i)) {
      case STRING -> members.string(i);
      case NUMBER -> members.text(i);
      case TRUE, FALSE, NULL, OBJECT, ARRAY -> null;
    };
  }

  private static String cut(String text) {
    return text.length() <= MESSAGE_CHARS_MAX ? text : text.substring(0, MESSAGE_CHARS_MAX);
  }

  /** Whether code, type or message contain one of these lower-case words. */
  boolean saysAny(String... words) {
    String all = (code + " " + type + " " + message).toLowerCase(Locale.ROOT);
    for (String word : words) {
      if (all.contains(word)) {
        return true;
      }
    }
    return false;
  }
}
