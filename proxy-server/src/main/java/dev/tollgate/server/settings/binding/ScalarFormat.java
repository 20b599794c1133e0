package dev.tollgate.server.settings.binding;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/**
 * How a type of single value is written.
 *
 * @param expects what must stand there, after "must be"
 * @param print the value as JSON shows it: a String, Number or Boolean
 * @param schema the keywords of its JSON Schema
 * @param secret whether a message must never repeat it, as it is or may hold a secret
 */
public record ScalarFormat(
    String expects,
    Parser parser,
    Function<Object, Object> print,
    Map<String, Object> schema,
    boolean secret) {

  /** Reads a value's text; relative paths start at {@code folder}. */
  @FunctionalInterface
  public interface Parser {
    Parsed parse(String text, Path folder);
  }

  /** What became of a text. */
  public sealed interface Parsed {
    record Ok(Object value) implements Parsed {}

    /** It is not of this form. */
    record Mismatch() implements Parsed {}

    /** It is refused for a reason that is said in words. */
    record Refused(String reason) implements Parsed {}
  }

  public Parsed parse(String text, Path folder) {
    return parser.parse(text, folder);
  }

  /** This form, never repeated in a message. */
  ScalarFormat unquoted() {
    return new ScalarFormat(expects, parser, print, schema, true);
  }
}
