package dev.tollgate.server.control.route;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Values that are texts in JSON and in queries: constants, ids and times. */
final class Scalars {
  private static final int UUID_CHARS = 36;

  private static final Map<Class<?>, Text> TEXTS =
      Map.of(
          String.class, new Text("a text", "string", text -> text),
          Instant.class,
              new Text("a time such as 2026-01-31T09:30:00Z", "date-time", Scalars::time),
          Secret.class, new Text("a text", "password", Secret::new),
          UUID.class, new Text("a UUID", "uuid", Scalars::uuid),
          OrgId.class, new Text("a UUID", "uuid", text -> new OrgId(uuid(text))),
          UserId.class, new Text("a UUID", "uuid", text -> new UserId(uuid(text))),
          SessionId.class, new Text("a UUID", "uuid", text -> new SessionId(uuid(text))),
          KeyId.class, new Text("the id of a key", "string", KeyId::new),
          ModelId.class,
              new Text(
                  "the id of a model",
                  "string",
                  text -> ModelId.parse(text).orElseThrow(IllegalArgumentException::new)));

  private Scalars() {}

  /**
   * A type of values that are texts.
   *
   * @param expected what a text must be, for messages
   * @param format name of the format in the API description
   */
  record Text(String expected, String format, Function<String, Object> parse) {}

  /** Returns how texts of this type are read; empty if its values are no texts. */
  static Optional<Text> of(Class<?> type) {
    if (type.isEnum()) {
      return Optional.of(constants(type));
    }
    return Optional.ofNullable(TEXTS.get(type));
  }

  /** Returns the names of an enum's constants on the wire. */
  static List<String> names(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(
            each ->
                each instanceof AuditAction action
                    ? action.wire()
                    : ControlJson.wire((Enum<?>) each))
        .toList();
  }

  private static Text constants(Class<?> type) {
    Map<String, Object> byName =
        Arrays.stream(type.getEnumConstants())
            .collect(Collectors.toMap(each -> ControlJson.wire((Enum<?>) each), each -> each));
    return new Text(
        "one of " + String.join(", ", names(type)),
        "string",
        text -> {
          Object constant = byName.get(text);
          if (constant == null) {
            throw new IllegalArgumentException("no such constant");
          }
          return constant;
        });
  }

  private static UUID uuid(String text) {
    if (text.length() != UUID_CHARS) {
      throw new IllegalArgumentException("not a UUID");
    }
    return UUID.fromString(text);
  }

  private static Instant time(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
