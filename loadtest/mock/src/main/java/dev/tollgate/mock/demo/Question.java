package dev.tollgate.mock.demo;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks of the demo model.
 *
 * @param text of the user's last message, or of the prompt
 * @param toolResult content of the last message if a tool sent it; null means another sent it
 */
record Question(String text, @Nullable String toolResult) {
  private static final int WORDS = 6;
  private static final int QUOTED_MAX = 80;

  static Question of(JsonMembers request) {
    int prompt = request.indexOf("prompt");
    int at = request.indexOf("messages");
    if (at < 0 || request.kind(at) != JsonKind.ARRAY) {
      return new Question(prompt < 0 ? "" : text(request, prompt), null);
    }
    JsonElements messages = request.array(at);
    String toolResult = null;
    for (int i = messages.size() - 1; i >= 0; i--) {
      JsonMembers message = DemoAnswer.object(messages, i);
      if (message != null && hasRole(message, "user")) {
        return new Question(content(message), toolResult);
      }
      if (message != null && i == messages.size() - 1 && hasRole(message, "tool")) {
        toolResult = content(message);
      }
    }
    return new Question("", toolResult);
  }

  /** Returns the last words of the question, without the mark behind them; empty if it has none. */
  String lastWords() {
    return end(text);
  }

  /** Returns the last words of a text, of at most {@value #QUOTED_MAX} characters. */
  static String end(String text) {
    String[] words = text.strip().split("[\\s\\p{Cntrl}]+", -1);
    String[] last = Arrays.copyOfRange(words, Math.max(0, words.length - WORDS), words.length);
    String joined = String.join(" ", last).replaceFirst("[.?!:]+$", "");
    int length = joined.codePointCount(0, joined.length());
    return length <= QUOTED_MAX
        ? joined
        : joined.substring(joined.offsetByCodePoints(0, length - QUOTED_MAX));
  }

  private static boolean hasRole(JsonMembers message, String role) {
    int at = message.indexOf("role");
    return at >= 0 && message.isString(at, role);
  }

  private static String content(JsonMembers message) {
    int at = message.indexOf("content");
    return at < 0 ? "" : text(message, at);
  }

  /** Returns a string, or the last text of a list of strings or of parts. */
  private static String text(JsonItems items, int i) {
    return switch (items.kind(i)) {
      case STRING -> items.string(i);
      case ARRAY -> lastText(items.array(i));
      case OBJECT -> {
        JsonMembers part = items.object(i);
        int at = part.indexOf("text");
        yield at >= 0 && part.kind(at) == JsonKind.STRING ? part.string(at) : "";
      }
      case NUMBER, TRUE, FALSE, NULL -> "";
    };
  }

  private static String lastText(JsonElements parts) {
    for (int i = parts.size() - 1; i >= 0; i--) {
      String text = parts.kind(i) == JsonKind.ARRAY ? "" : text(parts, i);
      if (!text.isBlank()) {
        return text;
      }
    }
    return "";
  }
}
