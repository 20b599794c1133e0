package dev.tollgate.core.testkit;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Row of the framing corpus {@code data/http1.tsv}: bytes that a client sends, one character per
 * byte, and the required verdict.
 */
public record FramingRow(String id, String verdict, String bytes) {
  private static final Pattern ESCAPE =
      Pattern.compile("\\\\([rnt\\\\])|\\\\x([0-9a-f]{2})|\\{\\{(.)\\*(\\d+)}}");

  /** Every row, in the order of the file. */
  public static Stream<FramingRow> all() {
    return Corpora.rows("data/http1.tsv").stream()
        .map(cells -> new FramingRow(cells[0], cells[2], unescape(cells[4])));
  }

  /** Returns the same row with other bytes. */
  public FramingRow with(String otherBytes) {
    return new FramingRow(id, verdict, otherBytes);
  }

  private static String unescape(String text) {
    return ESCAPE.matcher(text).replaceAll(match -> Matcher.quoteReplacement(meaning(match)));
  }

  private static String meaning(MatchResult match) {
    if (match.group(2) != null) {
      return String.valueOf((char) Integer.parseInt(match.group(2), 16));
    }
    if (match.group(3) != null) {
      return match.group(3).repeat(Integer.parseInt(match.group(4)));
    }
    return switch (match.group(1)) {
      case "r" -> "\r";
      case "n" -> "\n";
      case "t" -> "\t";
      default -> "\\";
    };
  }

  /** Returns the name of a test with this row. */
  @Override
  public String toString() {
    return id;
  }
}
