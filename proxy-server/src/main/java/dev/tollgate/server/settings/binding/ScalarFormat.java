package dev.tollgate.server.settings.binding;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/**
 * Text form of a type of single values.
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

  /** Parses a text; relative paths start at {@code folder}. */
  @FunctionalInterface
  public interface Parser {
    Parsed parse(String text, Path folder);
  }

  /** Result of parsing a text. */
  public sealed interface Parsed {
    record Ok(Object value) implements Parsed {}

    /** The text has another form. */
    record Mismatch() implements Parsed {}

    /** The text is refused for a reason of its own. */
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
