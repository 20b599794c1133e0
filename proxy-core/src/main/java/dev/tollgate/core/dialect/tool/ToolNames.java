package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the names of tools that a provider does not accept, wherever a chat has them: in its
 * tools, in its choice, and in earlier calls and their results.
 */
final class ToolNames {
  private static final List<String> DEFINITIONS = List.of("function", "custom");

  private final ToolNameRule rule;
  private final Map<String, String> clientNames = new HashMap<>(0);

  /** Names that are sent as they are, which no stand-in may have. */
  private final Set<String> taken = new HashSet<>(0);

  ToolNames(ToolNameRule rule) {
    this.rule = rule;
  }

  /** Returns the client's names by the provider's, of all that were replaced. */
  Map<String, String> clientNames() {
    return clientNames;
  }

  /** Adds the edits of a chat. */
  void edit(JsonMembers chat, JsonSplice edits) {
    readTaken(JsonReads.array(chat, "tools"));
    for (int i = 0; i < chat.size(); i++) {
      JsonSplice edited =
          switch (chat.name(i)) {
            case "tools" -> each(chat, i, this::tool);
            case "tool_choice" -> chat.kind(i) == JsonKind.OBJECT ? choice(chat.object(i)) : null;
            case "messages" -> each(chat, i, this::message);
            default -> null;
          };
      if (edited != null) {
        edits.replace(i, edited);
      }
    }
  }

  private void readTaken(JsonElements tools) {
    for (int k = 0; k < tools.size(); k++) {
      JsonMembers tool = JsonReads.object(tools, k);
      for (String member : DEFINITIONS) {
        JsonMembers definition = JsonReads.object(tool, member);
        int name = JsonReads.findText(definition, "name");
        if (name >= 0 && rule.takes(definition.string(name))) {
          taken.add(definition.string(name));
        }
      }
    }
  }

  /** Edits of an object. */
  @FunctionalInterface
  private interface Edit {
    @Nullable JsonSplice of(JsonMembers object);
  }

  private static @Nullable JsonSplice each(JsonMembers members, int list, Edit edit) {
    if (members.kind(list) != JsonKind.ARRAY) {
      return null;
    }
    JsonElements items = members.array(list);
    JsonSplice edits = JsonSplice.of(items);
    for (int k = 0; k < items.size(); k++) {
      JsonSplice edited = items.kind(k) == JsonKind.OBJECT ? edit.of(items.object(k)) : null;
      if (edited != null) {
        edits.replace(k, edited);
      }
    }
    return edits.isUnchanged() ? null : edits;
  }

  private static @Nullable JsonSplice each(JsonMembers members, String list, Edit edit) {
    int i = JsonReads.find(members, list, JsonKind.ARRAY);
    JsonSplice edited = i < 0 ? null : each(members, i, edit);
    return edited == null ? null : JsonSplice.of(members).replace(i, edited);
  }

  private @Nullable JsonSplice choice(JsonMembers choice) {
    int i = JsonReads.find(choice, "allowed_tools", JsonKind.OBJECT);
    if (i < 0) {
      JsonSplice edited = each(choice, "tools", this::tool);
      return edited == null ? tool(choice) : edited;
    }
    JsonSplice edited = each(choice.object(i), "tools", this::tool);
    return edited == null ? null : JsonSplice.of(choice).replace(i, edited);
  }

  private @Nullable JsonSplice message(JsonMembers message) {
    boolean isResult =
        JsonReads.isString(message, "role", "tool")
            || JsonReads.isString(message, "role", "function");
    return isResult ? named(message) : each(message, "tool_calls", this::tool);
  }

  private @Nullable JsonSplice tool(JsonMembers tool) {
    int i = JsonReads.find(tool, "function", JsonKind.OBJECT);
    JsonSplice edited = i < 0 ? named(tool) : named(tool.object(i));
    return edited == null || i < 0 ? edited : JsonSplice.of(tool).replace(i, edited);
  }

  private @Nullable JsonSplice named(JsonMembers object) {
    int i = JsonReads.findText(object, "name");
    String name = i < 0 ? "" : object.string(i);
    if (i < 0 || rule.takes(name)) {
      return null;
    }
    String other = rule.sent(name);
    for (int k = 1; taken.contains(other); k++) {
      other = rule.sent(name + " " + k);
    }
    clientNames.put(other, name);
    return JsonSplice.of(object).replace(i, JsonBytes.string(other));
  }
}
