package dev.tollgate.server.control.route;

import dev.tollgate.core.http.Field;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reply of a handler. The listener adds the request id and what every reply has. */
public sealed interface ControlReply {
  int status();

  List<Field> fields();

  /**
   * JSON of a record.
   *
   * @param version version of the object, sent as its entity tag; null: it has none
   */
  record Json(int status, Object value, @Nullable Integer version, List<Field> fields)
      implements ControlReply {}

  /** Reply without content. */
  record Empty(int status, List<Field> fields) implements ControlReply {}

  /** Content that is sent as it is. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Asset(int status, String contentType, byte[] content, List<Field> fields)
      implements ControlReply {}

  /** Redirection to another path or URL. */
  record Redirect(String to, List<Field> fields) implements ControlReply {
    @Override
    public int status() {
      return 302;
    }
  }

  static Json ok(Object value) {
    return new Json(200, value, null, List.of());
  }

  static Json created(Object value) {
    return new Json(201, value, null, List.of());
  }

  static Json created(Object value, int version) {
    return new Json(201, value, version, List.of());
  }

  static Json versioned(Object value, int version) {
    return new Json(200, value, version, List.of());
  }

  static Empty noContent() {
    return new Empty(204, List.of());
  }

  static Empty accepted() {
    return new Empty(202, List.of());
  }

  /** Returns this reply with one more field, such as a cookie. */
  default ControlReply with(Field field) {
    List<Field> all = new ArrayList<>(fields());
    all.add(field);
    return switch (this) {
      case Json json -> new Json(json.status(), json.value(), json.version(), all);
      case Empty empty -> new Empty(empty.status(), all);
      case Asset asset -> new Asset(asset.status(), asset.contentType(), asset.content(), all);
      case Redirect redirect -> new Redirect(redirect.to(), all);
    };
  }
}
