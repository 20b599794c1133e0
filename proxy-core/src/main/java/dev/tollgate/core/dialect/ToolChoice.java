package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.util.HashSet;
import java.util.Set;

/**
 * Tool choice of a chat: whether its model calls tools, and which of them it may call.
 *
 * @param functions names of the functions that may be called; empty means all of the chat's tools
 */
public record ToolChoice(Mode mode, Set<String> functions) {
  /** Whether the model calls tools. */
  public enum Mode {
    /** The chat has no choice: the model decides. */
    UNSET,
    AUTO,
    NONE,
    REQUIRED,
    /** The one function must be called. */
    FUNCTION,
    /** A choice that cannot be read, or of a tool that is no function of the chat. */
    OTHER
  }

  public ToolChoice {
    functions = Set.copyOf(functions);
  }

  public static ToolChoice of(JsonMembers chat) {
    int i = JsonReads.find(chat, "tool_choice");
    if (i < 0) {
      return new ToolChoice(Mode.UNSET, Set.of());
    }
    return switch (chat.kind(i)) {
      case STRING -> new ToolChoice(mode(chat.string(i)), Set.of());
      case OBJECT -> of(chat, chat.object(i));
      case NUMBER, TRUE, FALSE, NULL, ARRAY -> new ToolChoice(Mode.OTHER, Set.of());
    };
  }

  private static Mode mode(String text) {
    return switch (text) {
      case "auto" -> Mode.AUTO;
      case "none" -> Mode.NONE;
      case "required" -> Mode.REQUIRED;
      default -> Mode.OTHER;
    };
  }

  private static ToolChoice of(JsonMembers chat, JsonMembers choice) {
    if (JsonReads.isString(choice, "type", "allowed_tools")) {
      int i = JsonReads.find(choice, "allowed_tools", JsonKind.OBJECT);
      return allowed(chat, i < 0 ? choice : choice.object(i));
    }
    String name = name(choice);
    return name.isEmpty() || !names(JsonReads.array(chat, "tools")).contains(name)
        ? new ToolChoice(Mode.OTHER, Set.of())
        : new ToolChoice(Mode.FUNCTION, Set.of(name));
  }

  /** Reads a choice among some of the tools; without one of them, no call is allowed. */
  private static ToolChoice allowed(JsonMembers chat, JsonMembers choice) {
    int wanted = JsonReads.findText(choice, "mode");
    if (JsonReads.find(choice, "tools", JsonKind.ARRAY) < 0) {
      return new ToolChoice(Mode.OTHER, Set.of());
    }
    Mode mode = wanted < 0 ? Mode.AUTO : mode(choice.string(wanted));
    Set<String> names = names(JsonReads.array(choice, "tools"));
    names.retainAll(names(JsonReads.array(chat, "tools")));
    if (names.isEmpty()) {
      return new ToolChoice(mode == Mode.AUTO ? Mode.NONE : Mode.OTHER, Set.of());
    }
    return new ToolChoice(mode, names);
  }

  private static Set<String> names(JsonElements tools) {
    Set<String> names = new HashSet<>();
    for (int k = 0; k < tools.size(); k++) {
      names.add(
          tools.kind(k) == JsonKind.STRING ? tools.string(k) : name(JsonReads.object(tools, k)));
    }
    names.remove("");
    return names;
  }

  private static String name(JsonMembers tool) {
    int inside = JsonReads.find(tool, "function", JsonKind.OBJECT);
    JsonMembers definition = inside < 0 ? tool : tool.object(inside);
    int name = JsonReads.findText(definition, "name");
    return name < 0 ? "" : definition.string(name);
  }

  /** Returns the function that must be called; empty if there is no certain one. */
  public String function() {
    return mode == Mode.FUNCTION ? functions.iterator().next() : "";
  }

  /** True if the model may call only some of the tools, but not a certain one. */
  public boolean isRestricted() {
    return mode != Mode.FUNCTION && !functions.isEmpty();
  }

  /** True if a tool's function is to be offered to the model, with other tools beside it or not. */
  public boolean offers(JsonMembers function) {
    return !isRestricted() || functions.contains(name(function));
  }

  /** Returns the choice without a restriction, as a member of a chat. */
  JsonBytes unrestricted() {
    return JsonBytes.string(mode == Mode.REQUIRED ? "required" : "auto");
  }

  /** True if the model must call a tool. */
  public boolean isForced() {
    return mode == Mode.REQUIRED || mode == Mode.FUNCTION;
  }
}
