package dev.tollgate.core.http.multipart;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.http.Grammar;
import dev.tollgate.core.json.StrictUtf8;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser of the header lines of one part of a multipart form (RFC 7578). Lines that two parsers
 * could read differently are refused: a provider must not find another model in them than the one
 * that was checked.
 */
final class FormPartHead {
  private static final int DISPOSITION_CHARS_MAX = 1_024;
  private static final Pattern PARAMETER =
      Pattern.compile(
          "[ \t]*;[ \t]*([!#-'*+.^_`|~0-9A-Za-z-]+)=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s\";,=]+))",
          Pattern.DOTALL);
  private static final Set<String> PLAIN_ENCODINGS = Set.of("binary", "7bit", "8bit");

  private String name = "";
  private boolean named;
  private boolean file;
  private boolean dispositionSeen;

  private FormPartHead() {}

  /** Result of reading a part's header lines. */
  sealed interface Read {
    record Fine(String name, boolean isFile) implements Read {}

    record Bad(String problem) implements Read {}
  }

  /** Reads the lines from {@code from} to the empty line, which begins at {@code to}. */
  static Read read(byte[] bytes, int from, int to) {
    var head = new FormPartHead();
    String lines = new String(bytes, from, to - from, ISO_8859_1);
    for (String line : lines.split("\r\n", -1)) {
      Optional<String> problem = head.line(line);
      if (problem.isPresent()) {
        return new Read.Bad(problem.get());
      }
    }
    return head.named ? new Read.Fine(head.name, head.file) : new Read.Bad("a part has no name");
  }

  // Not a pattern: stripping blanks by a pattern takes quadratic time.
  private Optional<String> line(String line) {
    int colon = line.indexOf(':');
    if (!isToken(line, colon) || line.chars().anyMatch(FormPartHead::isControl)) {
      return Optional.of("a part has a broken header line");
    }
    String value = withoutBlanks(line, colon + 1);
    return switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
      case "content-disposition" -> disposition(value);
      case "content-transfer-encoding" ->
          PLAIN_ENCODINGS.contains(value.toLowerCase(Locale.ROOT))
              ? Optional.empty()
              : Optional.of("a part is encoded: send it as it is");
      default -> Optional.empty();
    };
  }

  private static boolean isToken(String line, int end) {
    int at = 0;
    while (at < end && Grammar.isToken((byte) line.charAt(at))) {
      at++;
    }
    return end > 0 && at == end;
  }

  private static String withoutBlanks(String line, int start) {
    int from = start;
    int to = line.length();
    while (from < to && isBlank(line.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(line.charAt(to - 1))) {
      to--;
    }
    return line.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isControl(int character) {
    return (character < ' ' && character != '\t') || character == 0x7f;
  }

  private Optional<String> disposition(String value) {
    int end = value.indexOf(';');
    String kind = end < 0 ? value : value.substring(0, end);
    if (value.length() > DISPOSITION_CHARS_MAX) {
      return Optional.of("a part's Content-Disposition is too long");
    }
    if (dispositionSeen || !kind.strip().equalsIgnoreCase("form-data")) {
      return Optional.of("a part is not one field of a form");
    }
    dispositionSeen = true;
    Matcher parameters = PARAMETER.matcher(value).region(kind.length(), value.length());
    int at = kind.length();
    while (parameters.lookingAt()) {
      if (!take(parameters)) {
        return Optional.of("a part's name is ambiguous");
      }
      at = parameters.end();
      parameters.region(at, value.length());
    }
    return value.substring(at).isBlank()
        ? Optional.empty()
        : Optional.of("a part has a broken Content-Disposition");
  }

  private boolean take(Matcher parameter) {
    String quoted = parameter.group(2);
    String text = quoted == null ? parameter.group(3) : quoted;
    return switch (parameter.group(1).toLowerCase(Locale.ROOT)) {
      case "name" -> takeName(text);
      case "filename", "filename*" -> {
        file = true;
        yield true;
      }
      default -> !parameter.group(1).toLowerCase(Locale.ROOT).startsWith("name");
    };
  }

  private boolean takeName(String latin) {
    byte[] utf8 = latin.getBytes(ISO_8859_1);
    if (named || latin.indexOf('\\') >= 0 || !StrictUtf8.isValid(utf8, 0, utf8.length)) {
      return false;
    }
    named = true;
    name = new String(utf8, UTF_8);
    return true;
  }
}
