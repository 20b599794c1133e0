package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Parts of a tool's result, divided by what its provider takes inside of a result. The others, such
 * as pictures, are sent beside it, in their order.
 */
public record ResultParts(List<Part> inside, List<Part> beside) {
  /** Types that every provider takes inside of a result. */
  public static final Set<String> TEXTS = Set.of("text", "refusal");

  /**
   * Part of a message's content.
   *
   * @param path of the part in the request, for the case that it cannot be sent
   */
  public record Part(JsonMembers members, Param path) {}

  /**
   * Divides the content of a message that is a list of parts.
   *
   * @param path of the message
   * @param taken types of parts that the provider takes inside of a result
   */
  public static ResultParts of(JsonMembers message, Param path, Set<String> taken) {
    JsonElements parts = JsonReads.array(message, "content");
    List<Part> inside = new ArrayList<>(parts.size());
    List<Part> beside = new ArrayList<>(0);
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.object(k);
      boolean isTaken = taken.contains(part.string(part.indexOf("type")));
      (isTaken ? inside : beside).add(new Part(part, path.dot("content").at(k)));
    }
    return new ResultParts(inside, beside);
  }

  public static boolean isResult(JsonMembers message) {
    return JsonReads.isString(message, "role", "tool")
        || JsonReads.isString(message, "role", "function");
  }

  /** Whether a message may stand between results of the same calls: instructions may. */
  public static boolean isAmongResults(JsonMembers message) {
    return isResult(message) || SystemOnlyPrompt.isSystem(message);
  }
}
