package dev.tollgate.server.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The statements of an SQL script on one line each, without comments and bodies of functions;
 * spaces lie between words only.
 */
final class SqlStatements {
  private static final Pattern TOKEN =
      Pattern.compile(
          "--[^\n]*|/\\*.*?\\*/|\\$(\\w*)\\$.*?\\$\\1\\$|'(?:[^']|'')*'|;|\\s+|.", Pattern.DOTALL);

  private SqlStatements() {}

  static List<String> of(String script) {
    List<String> statements = new ArrayList<>();
    var present = new StringBuilder();
    Matcher token = TOKEN.matcher(script);
    while (token.find()) {
      String text = token.group();
      if (text.equals(";")) {
        statements.add(present.toString().strip());
        present.setLength(0);
      } else if (text.isBlank() || text.startsWith("--") || text.startsWith("/*")) {
        if (!present.isEmpty() && present.charAt(present.length() - 1) != ' ') {
          present.append(' ');
        }
      } else {
        present.append(text.startsWith("$") && text.length() > 1 ? "$$" : text);
      }
    }
    statements.add(present.toString().strip());
    statements.removeIf(String::isEmpty);
    return statements;
  }
}
