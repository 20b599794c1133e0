package dev.tollgate.server.settings.binding;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/**
 * Parser, printer and JSON Schema of one type of scalar setting, such as durations or URLs.
 *
 * @param expects the valid form, to follow "must be"
 * @param print returns the value for JSON: a String, Number or Boolean
 * @param schema keywords of the JSON Schema
 * @param secret true if messages must not repeat the text, which is or may have a secret
 */
public record ScalarFormat(
    String expects,
    Parser parser,
    Function<Object, Object> print,
    Map<String, Object> schema,
    boolean secret) {

  /** Parser of a scalar's text; relative paths start at {@code folder}. */
  @FunctionalInterface
  public interface Parser {
    Parsed parse(String text, Path folder);
  }

  /** Result of parsing a scalar: a value, or the reason why there is none. */
  public sealed interface Parsed {
    record Ok(Object value) implements Parsed {}

    /** The text does not have the expected form. */
    record Mismatch() implements Parsed {}

    /** The text has the expected form, but is refused for this reason. */
    record Refused(String reason) implements Parsed {}
  }

  public Parsed parse(String text, Path folder) {
    return parser.parse(text, folder);
  }

  /** Returns this format, without the text in messages. */
  ScalarFormat unquoted() {
    return new ScalarFormat(expects, parser, print, schema, true);
  }
}
