package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.BitSet;
import java.util.HashSet;
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
  private final InputPaths paths = new InputPaths();
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
      paths.member("instructions");
      text("system", JsonBytes.of(root, instructions));
    }
    int input = root.indexOf("input");
    if (input >= 0) {
      switch (root.kind(input)) {
        case STRING -> {
          paths.member("input");
          text("user", JsonBytes.of(root, input));
        }
        case ARRAY -> items(root.array(input));
        case NUMBER, TRUE, FALSE, NULL, OBJECT -> issues.add(PARAM, "must be a string or an array");
      }
    }
    out.endArray();
  }

  /** Returns the items by the messages that they became. */
  InputPaths paths() {
    return paths;
  }

  private void text(String role, JsonBytes text) {
    out.beginObject().name("role").string(role).name("content").raw(text).endObject();
  }

  private void items(JsonElements items) {
    if (issues.addIfCut(items, PARAM)) {
      return;
    }
    var assistant = new AssistantItems(items, parts, issues, unread, paths, out);
    for (int k = 0; k < items.size() && !issues.isFull(); ) {
      int next = item(items, k, assistant);
      k = isOfAssistant(items, k) && issues.isEmpty() ? answer(items, next, assistant) : next;
    }
    if (isEmpty && issues.isEmpty()) {
      issues.add(PARAM, "must not be empty");
    }
  }

  private static boolean isOfAssistant(JsonElements items, int k) {
    return items.kind(k) == JsonKind.OBJECT && AssistantItems.include(items.object(k));
  }

  /**
   * Writes the results of the calls in the assistant's message that was written last, and behind
   * them the messages that stand before or between them: chats take none there. Returns the next
   * index.
   */
  private int answer(JsonElements items, int from, AssistantItems assistant) {
    Set<String> open = new HashSet<>(0);
    assistant.addCallIds(open);
    BitSet results = new BitSet();
    JsonMembers item = new JsonMembers();
    for (int k = from;
        k < items.size() && items.kind(k) == JsonKind.OBJECT && !open.isEmpty();
        k++) {
      item.readInside(items, k);
      if (AssistantItems.hasCalls(item)) {
        break;
      }
      results.set(k, open.remove(answered(item)));
    }
    int end = Math.max(from, results.length());
    results.stream().forEach(k -> item(items, k, assistant));
    int k = from;
    while (k < end && !issues.isFull()) {
      k = results.get(k) ? k + 1 : item(items, k, assistant);
    }
    return Math.max(k, end);
  }

  /** Returns the id of the call that an item answers; empty if it is no result. */
  private static String answered(JsonMembers item) {
    boolean isOutput = JsonReads.isString(item, "type", "function_call_output");
    boolean isTool = JsonReads.isString(item, "role", "tool");
    int id = JsonReads.findText(item, isOutput ? "call_id" : "tool_call_id");
    return id >= 0 && (isOutput || isTool) ? item.string(id) : "";
  }

  /** Writes an item, with those behind it that are of the same message; returns the next index. */
  private int item(JsonElements items, int k, AssistantItems assistant) {
    if (items.kind(k) != JsonKind.OBJECT) {
      issues.add(PARAM.at(k), "must be an object");
      return k + 1;
    }
    JsonMembers item = items.object(k);
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
      message(item, k, param);
    } else if (item.isString(type, "function_call_output")) {
      callOutput(item, k, param);
    } else if (item.isString(type, "reasoning")) {
      unread.add(param); // opaque to all but its provider
    } else {
      issues.add(
          param.dot("type"), "must be message, function_call, function_call_output or reasoning");
    }
    return k + 1;
  }

  private void message(JsonMembers item, int k, Param param) {
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
    paths.item(k, "content");
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

  private void callOutput(JsonMembers item, int k, Param param) {
    int id = item.indexOf("call_id");
    if (id < 0 || item.kind(id) != JsonKind.STRING) {
      issues.add(param.dot("call_id"), "must be a string");
    } else {
      isEmpty = false;
      paths.item(k, "output");
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
