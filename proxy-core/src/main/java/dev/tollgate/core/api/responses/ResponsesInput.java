package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Set;

/**
 * Translator of a Responses API request's instructions and input to chat messages. Neighbouring
 * items of the assistant become one message, as chats have it.
 */
final class ResponsesInput {
  static final Param PARAM = Param.of("input");
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool", "function");

  /** Names of the members of a message besides role and content. */
  private static final List<String> OF_MESSAGES = List.of("name", "tool_call_id");

  private final Issues issues;
  private final DroppedFields unread;
  private final JsonWriter out;
  private final ResponsesParts parts;
  private boolean isEmpty = true;

  ResponsesInput(Issues issues, DroppedFields unread, JsonWriter out) {
    this.issues = issues;
    this.unread = unread;
    this.out = out;
    this.parts = new ResponsesParts(issues, out);
  }

  /** Writes the member {@code messages}; missing input has been reported before. */
  void write(JsonMembers root) {
    out.name("messages").beginArray();
    int instructions = root.indexOf("instructions");
    if (instructions >= 0 && root.kind(instructions) == JsonKind.STRING) {
      text("system", JsonBytes.of(root, instructions));
    }
    int input = root.indexOf("input");
    if (input >= 0) {
      switch (root.kind(input)) {
        case STRING -> text("user", JsonBytes.of(root, input));
        case ARRAY -> items(root.array(input));
        case NUMBER, TRUE, FALSE, NULL, OBJECT -> issues.add(PARAM, "must be a string or an array");
      }
    }
    out.endArray();
  }

  private void text(String role, JsonBytes text) {
    out.beginObject().name("role").string(role).name("content").raw(text).endObject();
  }

  private void items(JsonElements items) {
    if (issues.addIfCut(items, PARAM)) {
      return;
    }
    var assistant = new AssistantItems(items, parts, issues, unread, out);
    JsonMembers item = new JsonMembers();
    for (int k = 0; k < items.size() && !issues.isFull(); ) {
      if (items.kind(k) == JsonKind.OBJECT) {
        item.readInside(items, k);
        k = item(item, k, assistant);
      } else {
        issues.add(PARAM.at(k), "must be an object");
        k++;
      }
    }
    if (isEmpty && issues.isEmpty()) {
      issues.add(PARAM, "must not be empty");
    }
  }

  /** Writes an item, with those behind it that are of the same message; returns the next index. */
  private int item(JsonMembers item, int k, AssistantItems assistant) {
    Param param = PARAM.at(k);
    if (issues.addIfCut(item, param)) {
      return k + 1;
    }
    if (AssistantItems.include(item)) {
      isEmpty = false;
      return assistant.write(k);
    }
    int type = item.indexOf("type");
    if (type < 0 || item.isString(type, "message")) {
      message(item, param);
    } else if (item.isString(type, "function_call_output")) {
      callOutput(item, param);
    } else if (item.isString(type, "reasoning")) {
      unread.add(param); // opaque to all but its provider
    } else {
      issues.add(
          param.dot("type"), "must be message, function_call, function_call_output or reasoning");
    }
    return k + 1;
  }

  private void message(JsonMembers item, Param param) {
    int role = item.indexOf("role");
    if (role < 0 || item.kind(role) != JsonKind.STRING) {
      issues.add(param.dot("role"), "must be a string");
      return;
    }
    String name = item.string(role);
    if (!ROLES.contains(name)) {
      issues.add(param.dot("role"), "must be system, developer, user, assistant or tool");
      return;
    }
    isEmpty = false;
    out.beginObject().name("role").string(name);
    if (!RequestRoot.isGiven(item, "content") && name.equals("function")) {
      out.name("content").nul();
    } else {
      parts.content(item, "content", param);
    }
    for (String member : OF_MESSAGES) {
      if (RequestRoot.isGiven(item, member)) {
        out.name(member).raw(value(item, member));
      }
    }
    out.endObject();
  }

  private void callOutput(JsonMembers item, Param param) {
    int id = item.indexOf("call_id");
    if (id < 0 || item.kind(id) != JsonKind.STRING) {
      issues.add(param.dot("call_id"), "must be a string");
    } else {
      isEmpty = false;
      out.beginObject().name("role").string("tool");
      out.name("tool_call_id").raw(value(item, "call_id"));
      parts.content(item, "output", param);
      out.endObject();
    }
  }

  private static JsonBytes value(JsonMembers item, String name) {
    return JsonBytes.of(item, item.indexOf(name));
  }
}
