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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Translator of neighbouring input items of the assistant, which are messages and calls in any
 * order, to one chat message: providers accept the results of calls only behind the message that
 * has all of them. Reasoning items between them are left out, and named.
 */
final class AssistantItems {
  /** Names of the members that are joined if several messages have them. */
  private static final List<String> JOINED =
      List.of("refusal", "reasoning_content", "reasoning_details");

  private final Issues issues;
  private final JsonWriter out;
  private final ResponsesParts parts;
  private final DroppedFields unread;
  private final InputPaths paths;
  private final Param param = ResponsesInput.PARAM;
  private final JsonElements items;
  private final JsonMembers item = new JsonMembers();
  private int from;
  private int end;

  AssistantItems(
      JsonElements items,
      ResponsesParts parts,
      Issues issues,
      DroppedFields unread,
      InputPaths paths,
      JsonWriter out) {
    this.items = items;
    this.parts = parts;
    this.issues = issues;
    this.unread = unread;
    this.paths = paths;
    this.out = out;
  }

  /** True if an item is a message or a call of the assistant. */
  static boolean include(JsonMembers item) {
    int type = item.indexOf("type");
    int role = item.indexOf("role");
    boolean isMessage = type < 0 || item.isString(type, "message");
    return isMessage ? role >= 0 && item.isString(role, "assistant") : isCall(item);
  }

  private static boolean isCall(JsonMembers item) {
    return isType(item, "function_call");
  }

  private static boolean isType(JsonMembers item, String name) {
    int type = item.indexOf("type");
    return type >= 0 && item.isString(type, name);
  }

  /** Writes the message of the items from an index on, and returns the index behind them. */
  int write(int first) {
    from = first;
    end = endOfTurn();
    nameReasoning();
    checkCalls();
    out.beginObject().name("role").string("assistant");
    int contentItem = content();
    name();
    JOINED.forEach(this::joined);
    if (issues.isEmpty()) {
      calls();
    }
    out.endObject();
    paths.assistant(first, end == first + 1, contentItem, callItems());
    return end;
  }

  /** Returns the items of the calls, by their order in the message. */
  private List<Integer> callItems() {
    List<Integer> calls = new ArrayList<>(0);
    for (int k = from; k < end; k++) {
      item.readInside(items, k);
      if (isCall(item)) {
        calls.add(k);
      } else if (isMessage() && is(JsonKind.ARRAY, "tool_calls")) {
        int count = item.array(item.indexOf("tool_calls")).size();
        calls.addAll(Collections.nCopies(count, -1 - k));
      }
    }
    return calls;
  }

  /** Adds the ids of the calls in the message that was written last. */
  void addCallIds(Set<String> ids) {
    for (int k = from; k < end; k++) {
      item.readInside(items, k);
      if (isCall(item) && is(JsonKind.STRING, "call_id")) {
        ids.add(item.string(item.indexOf("call_id")));
      } else if (isMessage() && is(JsonKind.ARRAY, "tool_calls")) {
        addIds(item.array(item.indexOf("tool_calls")), ids);
      }
    }
  }

  private static void addIds(JsonElements calls, Set<String> ids) {
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = calls.kind(k) == JsonKind.OBJECT ? calls.object(k) : new JsonMembers();
      int id = call.indexOf("id");
      if (id >= 0 && call.kind(id) == JsonKind.STRING) {
        ids.add(call.string(id));
      }
    }
  }

  /** True if an item calls a tool. */
  static boolean hasCalls(JsonMembers item) {
    int calls = item.indexOf("tool_calls");
    return isCall(item) || (include(item) && calls >= 0 && item.kind(calls) == JsonKind.ARRAY);
  }

  private int endOfTurn() {
    int behind = from;
    for (int k = from; k < items.size() && items.kind(k) == JsonKind.OBJECT; k++) {
      item.readInside(items, k);
      if (include(item)) {
        behind = k + 1;
      } else if (!isType(item, "reasoning")) {
        break;
      }
    }
    return behind;
  }

  private void nameReasoning() {
    for (int k = from; k < end; k++) {
      item.readInside(items, k);
      if (isType(item, "reasoning")) {
        unread.add(param.at(k));
      }
    }
  }

  private void checkCalls() {
    for (int k = from; k < end && !issues.isFull(); k++) {
      item.readInside(items, k);
      if (!issues.addIfCut(item, param.at(k)) && isCall(item)) {
        for (String name : List.of("call_id", "name", "arguments")) {
          if (!is(JsonKind.STRING, name)) {
            issues.add(param.at(k).dot(name), "must be a string");
          }
        }
      }
    }
  }

  // Content

  /** Writes the content, and returns the item that has it; negative if there are several. */
  private int content() {
    int given = 0;
    int full = 0;
    int last = -1;
    for (int k = from; k < end; k++) {
      if (readMessage(k) && RequestRoot.isGiven(item, "content")) {
        boolean isFull = !isEmptyContent();
        last = isFull || full == 0 ? k : last;
        full += isFull ? 1 : 0;
        given++;
      }
    }
    if (given == 0) {
      out.name("content").nul();
    } else if (full <= 1) {
      item.readInside(items, last);
      parts.content(item, "content", param.at(last));
    } else {
      contents();
    }
    return full <= 1 ? last : -1;
  }

  private void contents() {
    out.name("content").beginArray();
    for (int k = from; k < end; k++) {
      if (readMessage(k) && RequestRoot.isGiven(item, "content") && !isEmptyContent()) {
        parts.append(item, "content", param.at(k));
      }
    }
    out.endArray();
  }

  private boolean isEmptyContent() {
    int i = item.indexOf("content");
    return item.kind(i) == JsonKind.STRING
        ? item.isEmptyString(i)
        : item.kind(i) == JsonKind.ARRAY && item.array(i).size() == 0;
  }

  // Other members

  private void name() {
    for (int k = from; k < end; k++) {
      if (readMessage(k) && RequestRoot.isGiven(item, "name")) {
        out.name("name").raw(value("name"));
        return;
      }
    }
  }

  private void joined(String name) {
    int first = -1;
    int count = 0;
    for (int k = from; k < end; k++) {
      if (readMessage(k) && RequestRoot.isGiven(item, name)) {
        first = first < 0 ? k : first;
        count++;
      }
    }
    if (count > 0) {
      item.readInside(items, first);
      boolean isList = is(JsonKind.ARRAY, name);
      if (count > 1 && isList) {
        out.name(name).beginArray();
        elements(name);
        out.endArray();
      } else {
        out.name(name).raw(count > 1 && is(JsonKind.STRING, name) ? text(name) : value(name));
      }
    }
  }

  private JsonBytes text(String name) {
    var text = new JsonStringBuilder();
    for (int k = from; k < end; k++) {
      if (readMessage(k) && is(JsonKind.STRING, name)) {
        text.add(item, item.indexOf(name));
      }
    }
    return text.json();
  }

  private void elements(String name) {
    for (int k = from; k < end; k++) {
      if (readMessage(k) && is(JsonKind.ARRAY, name)) {
        elements(item.array(item.indexOf(name)));
      }
    }
  }

  private void elements(JsonElements list) {
    for (int k = 0; k < list.size(); k++) {
      out.raw(JsonBytes.of(list, k));
    }
  }

  // Calls

  /** Writes the calls, if there are any; messages in the form of chats have a list of their own. */
  private void calls() {
    boolean isOpen = false;
    for (int k = from; k < end; k++) {
      item.readInside(items, k);
      boolean isCall = isCall(item);
      if (isCall || (isMessage() && is(JsonKind.ARRAY, "tool_calls"))) {
        if (!isOpen) {
          out.name("tool_calls").beginArray();
          isOpen = true;
        }
        if (isCall) {
          call();
        } else {
          elements(item.array(item.indexOf("tool_calls")));
        }
      }
    }
    if (isOpen) {
      out.endArray();
    }
  }

  private void call() {
    out.beginObject().name("id").raw(value("call_id"));
    out.name("type").string("function").name("function").beginObject();
    out.name("name").raw(value("name")).name("arguments").raw(value("arguments"));
    out.endObject().endObject();
  }

  private boolean readMessage(int k) {
    item.readInside(items, k);
    return isMessage();
  }

  private boolean isMessage() {
    return include(item) && !isCall(item);
  }

  private boolean is(JsonKind kind, String name) {
    int i = item.indexOf(name);
    return i >= 0 && item.kind(i) == kind;
  }

  private JsonBytes value(String name) {
    return JsonBytes.of(item, item.indexOf(name));
  }
}
