package dev.tollgate.server.control.route;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.server.account.Versioned;
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

  /** Refusal of a call, or its failure. */
  record Failure(Fault fault, List<Field> fields) implements ControlReply {
    @Override
    public int status() {
      return fault.code().status();
    }
  }

  /** Returns a value as JSON, with the version of an object that has one. */
  static Json json(int status, Object value) {
    Integer version = value instanceof Versioned object ? (Integer) object.version() : null;
    return new Json(status, value, version, List.of());
  }

  static Empty noContent() {
    return new Empty(204, List.of());
  }

  /** Returns this reply with one more field, such as a cookie. */
  default ControlReply with(Field field) {
    List<Field> all = new ArrayList<>(fields());
    all.add(field);
    return switch (this) {
      case Json json -> new Json(json.status(), json.value(), json.version(), all);
      case Empty empty -> new Empty(empty.status(), all);
      case Failure failure -> new Failure(failure.fault(), all);
      case Asset asset -> new Asset(asset.status(), asset.contentType(), asset.content(), all);
    };
  }
}
