package dev.tollgate.mock.demo;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Choice of the function that the demo model calls: the one that {@code tool_choice} names, the
 * first if it requires any, else one whose name the question mentions.
 */
final class DemoTool {
  /** Shorter words of a name, such as "get", say little. */
  private static final int WORD_MIN = 4;

  private DemoTool() {}

  /** Returns the offered function to call, or null for an answer in words. */
  static @Nullable JsonMembers called(JsonMembers request, Question question) {
    List<JsonMembers> functions = functions(request);
    int at = request.indexOf("tool_choice");
    if (functions.isEmpty() || (at >= 0 && request.isString(at, "none"))) {
      return null;
    }
    if (at >= 0 && request.isString(at, "required")) {
      JsonMembers mentioned = mentioned(functions, question);
      return mentioned == null ? functions.getFirst() : mentioned;
    }
    JsonMembers choice = at < 0 ? null : DemoAnswer.object(request, at);
    JsonMembers named = choice == null ? null : DemoAnswer.object(choice, "function");
    if (named != null) {
      return functions.stream()
          .filter(each -> name(each).equals(name(named)))
          .findFirst()
          .orElse(null);
    }
    return question.toolResult() == null ? mentioned(functions, question) : null;
  }

  private static List<JsonMembers> functions(JsonMembers request) {
    List<JsonMembers> functions = new ArrayList<>();
    int at = request.indexOf("tools");
    if (at >= 0 && request.kind(at) == JsonKind.ARRAY) {
      JsonElements tools = request.array(at);
      for (int i = 0; i < tools.size(); i++) {
        JsonMembers tool = DemoAnswer.object(tools, i);
        JsonMembers function = tool == null ? null : DemoAnswer.object(tool, "function");
        if (function != null && !name(function).isEmpty()) {
          functions.add(function);
        }
      }
    }
    return functions;
  }

  private static @Nullable JsonMembers mentioned(List<JsonMembers> functions, Question question) {
    String text = question.text().toLowerCase(Locale.ROOT);
    for (JsonMembers function : functions) {
      String name = name(function);
      if (text.contains(name.toLowerCase(Locale.ROOT)) || hasWordOf(name, text)) {
        return function;
      }
    }
    return null;
  }

  /** True if the text has a word of a name such as {@code get_weather} or {@code getWeather}. */
  private static boolean hasWordOf(String name, String text) {
    for (String word : name.split("[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", -1)) {
      if (word.length() >= WORD_MIN && text.contains(word.toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  private static String name(JsonMembers function) {
    int at = function.indexOf("name");
    return at >= 0 && function.kind(at) == JsonKind.STRING ? function.string(at) : "";
  }
}
