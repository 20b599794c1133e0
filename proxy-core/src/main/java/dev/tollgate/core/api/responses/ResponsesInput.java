package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Set;

/**
 * Translator of a Responses API request's instructions and input to chat messages. Consecutive
 * calls, and the assistant's text before them, become one message, as chats have it.
 */
final class ResponsesInput {
  private static final Param PARAM = Param.of("input");
  private static final Set<String> ROLES =
      Set.of("system", "developer", "user", "assistant", "tool", "function");

  /** Names of the members of a chat message besides role and content. */
  private static final List<String> OF_MESSAGES =
      List.of(
          "name",
          "tool_call_id",
          "tool_calls",
          "refusal",
          "reasoning_content",
          "reasoning_details");

  private final Issues issues;
  private final JsonWriter out;
  private final ResponsesParts parts;
  private Open open = Open.NOTHING;
  private boolean isEmpty = true;

  /** The message that is being written. */
  private enum Open {
    NOTHING,
    /** An assistant message is open, to which calls can be added. */
    ASSISTANT,
    /** The list of calls of an assistant message is open. */
    CALLS
  }

  ResponsesInput(Issues issues, JsonWriter out) {
    this.issues = issues;
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
    close();
    out.endArray();
  }

  private void text(String role, JsonBytes text) {
    out.beginObject().name("role").string(role).name("content").raw(text).endObject();
  }

  private void items(JsonElements items) {
    if (issues.addIfCut(items, PARAM)) {
      return;
    }
    JsonMembers item = new JsonMembers();
    for (int k = 0; k < items.size() && !issues.isFull(); k++) {
      if (items.kind(k) == JsonKind.OBJECT) {
        item.readInside(items, k);
        item(item, PARAM.at(k));
      } else {
        issues.add(PARAM.at(k), "must be an object");
      }
    }
    if (isEmpty && issues.isEmpty()) {
      issues.add(PARAM, "must not be empty");
    }
  }

  private void item(JsonMembers item, Param param) {
    if (issues.addIfCut(item, param)) {
      return;
    }
    int type = item.indexOf("type");
    if (type < 0 || item.isString(type, "message")) {
      message(item, param);
    } else if (item.isString(type, "function_call")) {
      call(item, param);
    } else if (item.isString(type, "function_call_output")) {
      callOutput(item, param);
    } else if (!item.isString(type, "reasoning")) { // opaque to all but its provider
      issues.add(
          param.dot("type"), "must be message, function_call, function_call_output or reasoning");
    }
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
    begin();
    out.beginObject().name("role").string(name);
    boolean assistant = name.equals("assistant");
    if (!RequestRoot.isGiven(item, "content") && (assistant || name.equals("function"))) {
      out.name("content").nul();
    } else {
      parts.content(item, "content", param);
    }
    for (String member : OF_MESSAGES) {
      if (RequestRoot.isGiven(item, member)) {
        out.name(member).raw(JsonBytes.of(item, item.indexOf(member)));
      }
    }
    open = Open.ASSISTANT;
    if (!assistant || RequestRoot.isGiven(item, "tool_calls")) {
      close();
    }
  }

  private void call(JsonMembers item, Param param) {
    if (!isText(item, "call_id", param)
        || !isText(item, "name", param)
        || !isText(item, "arguments", param)) {
      return;
    }
    isEmpty = false;
    switch (open) {
      case NOTHING -> {
        out.beginObject().name("role").string("assistant").name("content").nul();
        out.name("tool_calls").beginArray();
      }
      case ASSISTANT -> out.name("tool_calls").beginArray();
      case CALLS -> {}
    }
    open = Open.CALLS;
    out.beginObject().name("id").raw(value(item, "call_id"));
    out.name("type").string("function").name("function").beginObject();
    out.name("name").raw(value(item, "name")).name("arguments").raw(value(item, "arguments"));
    out.endObject().endObject();
  }

  private void callOutput(JsonMembers item, Param param) {
    if (isText(item, "call_id", param)) {
      begin();
      out.beginObject().name("role").string("tool");
      out.name("tool_call_id").raw(value(item, "call_id"));
      parts.content(item, "output", param);
      out.endObject();
    }
  }

  private boolean isText(JsonMembers item, String name, Param param) {
    int i = item.indexOf(name);
    boolean is = i >= 0 && item.kind(i) == JsonKind.STRING;
    if (!is) {
      issues.add(param.dot(name), "must be a string");
    }
    return is;
  }

  private static JsonBytes value(JsonMembers item, String name) {
    return JsonBytes.of(item, item.indexOf(name));
  }

  /** Begins a new message. */
  private void begin() {
    isEmpty = false;
    close();
  }

  private void close() {
    switch (open) {
      case NOTHING -> {}
      case ASSISTANT -> out.endObject();
      case CALLS -> out.endArray().endObject();
    }
    open = Open.NOTHING;
  }
}
