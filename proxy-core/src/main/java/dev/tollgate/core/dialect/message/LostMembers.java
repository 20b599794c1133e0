package dev.tollgate.core.dialect.message;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Names what a provider does not get of the assistant's earlier messages besides their content and
 * calls: reasoning, and media that another model made. Called last, because long conversations have
 * many of them, and the list of names is bounded.
 */
public final class LostMembers {
  public static final String IMAGES = "images";
  public static final String DETAILS = "reasoning_details";

  /** Members with the reasoning; all of them are sent if a provider takes its own form of it. */
  public static final Set<String> REASONING =
      Set.of(ReasoningText.MEMBER, "reasoning", DETAILS, "thinking_blocks");

  private static final List<String> MEMBERS =
      List.of(IMAGES, "audio", ReasoningText.MEMBER, "reasoning", DETAILS, "thinking_blocks");

  private LostMembers() {}

  /**
   * Names the members.
   *
   * @param taken returns the members that the provider gets of a message, in any form
   */
  public static void addTo(
      DroppedFields dropped, JsonMembers chat, Function<JsonMembers, Set<String>> taken) {
    JsonElements messages = JsonReads.array(chat, "messages");
    JsonMembers message = new JsonMembers();
    for (int k = 0; k < messages.size(); k++) {
      message.readInside(messages, k);
      if (JsonReads.isString(message, "role", "assistant")) {
        add(dropped, message, Param.of("messages").at(k), taken);
      }
    }
  }

  private static void add(
      DroppedFields dropped,
      JsonMembers message,
      Param path,
      Function<JsonMembers, Set<String>> taken) {
    List<String> found = MEMBERS.stream().filter(name -> saysSomething(message, name)).toList();
    if (!found.isEmpty()) {
      Set<String> sent = taken.apply(message);
      found.stream().filter(name -> !sent.contains(name)).map(path::dot).forEach(dropped::add);
    }
  }

  private static boolean saysSomething(JsonMembers message, String name) {
    int i = JsonReads.find(message, name);
    if (i < 0) {
      return false;
    }
    return switch (message.kind(i)) {
      case STRING -> !message.isEmptyString(i);
      case OBJECT, ARRAY -> !JsonReads.isEmpty(message, i);
      case NUMBER, TRUE, FALSE, NULL -> false;
    };
  }
}
