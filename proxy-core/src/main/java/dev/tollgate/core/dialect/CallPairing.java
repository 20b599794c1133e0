package dev.tollgate.core.dialect;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How a provider demands that the calls of a conversation and their results stand together. It
 * refuses a call without a result behind it, and a result without its call.
 */
public enum CallPairing {
  /** Calls and results in any order. */
  NONE,
  /** Results behind all of the assistant's neighbouring messages. */
  BEHIND_TURN,
  /** Results behind each message of the assistant. */
  BEHIND_MESSAGE;

  private static final Pattern PATH =
      Pattern.compile("messages\\[\\d+]\\.(tool_call_id|function_call|tool_calls\\[\\d+](\\.id)?)");

  /** Returns the paths of a chat's calls and results that the provider would refuse. */
  public List<String> unpaired(JsonMembers chat) {
    if (this == NONE) {
      return List.of();
    }
    var conversation = new Conversation(this);
    JsonElements messages = JsonReads.array(chat, "messages");
    JsonMembers message = new JsonMembers();
    for (int k = 0; k < messages.size(); k++) {
      message.readInside(messages, k);
      conversation.message(message, Param.of("messages").at(k), k);
    }
    conversation.endTurn();
    return conversation.unpaired;
  }

  /** Returns what is wrong with such paths of a chat; empty if there are others among them. */
  public static Optional<List<Fault.Issue>> issues(List<String> paths) {
    return paths.stream().allMatch(path -> PATH.matcher(path).matches())
        ? Optional.of(paths.stream().map(path -> new Fault.Issue(path, issue(path))).toList())
        : Optional.empty();
  }

  private static String issue(String path) {
    if (path.endsWith("tool_call_id")) {
      return "answers no call of the assistant's message before it";
    }
    return path.endsWith(".id")
        ? "is the id of another call of the same message"
        : "has no result directly behind its message";
  }

  /** Call that has no result yet; older functions have a name in place of an id. */
  private record OpenCall(String id, String function, Param path) {}

  /** Conversation up to a message. */
  private static final class Conversation {
    private final CallPairing pairing;
    private final List<OpenCall> open = new ArrayList<>();
    private final List<String> unpaired = new ArrayList<>(0);
    private boolean answering;

    Conversation(CallPairing pairing) {
      this.pairing = pairing;
    }

    void message(JsonMembers message, Param path, int k) {
      switch (message.string(message.indexOf("role"))) {
        case "system", "developer" -> {} // stands before the conversation
        case "assistant" -> {
          if (answering || pairing == BEHIND_MESSAGE) {
            endTurn();
          }
          calls(message, path, k);
        }
        case "tool" -> result(message, path);
        case "function" -> {
          if (!closes(JsonReads.findText(message, "name"), message)) {
            endTurn(); // it becomes a user's text
          }
        }
        default -> endTurn();
      }
    }

    private void calls(JsonMembers message, Param path, int k) {
      JsonElements calls = JsonReads.array(message, "tool_calls");
      for (int c = 0; c < calls.size(); c++) {
        JsonMembers call = JsonReads.object(calls, c);
        int id = JsonReads.findText(call, "id");
        open(id < 0 ? "" : call.string(id), nameOf(call), path.dot("tool_calls").at(c));
      }
      if (calls.size() == 0) {
        open("call_" + k, nameOf(message, "function_call"), path.dot("function_call"));
      }
    }

    private static String nameOf(JsonMembers call) {
      String name = nameOf(call, "function");
      return name.isEmpty() ? nameOf(call, "custom") : name;
    }

    private static String nameOf(JsonMembers call, String member) {
      JsonMembers called = JsonReads.object(call, member);
      int name = JsonReads.findText(called, "name");
      return name < 0 ? "" : called.string(name);
    }

    /** Opens a call; one without an id or a name is not sent. */
    private void open(String id, String function, Param path) {
      if (id.isEmpty() || function.isEmpty()) {
        return;
      }
      if (open.stream().anyMatch(call -> call.id.equals(id))) {
        unpaired.add(path.dot("id").toString());
      } else {
        open.add(new OpenCall(id, function, path));
      }
    }

    private void result(JsonMembers message, Param path) {
      int id = JsonReads.findText(message, "tool_call_id");
      String of = id < 0 ? "" : message.string(id);
      answering = true;
      if (!open.removeIf(call -> call.id.equals(of))) {
        unpaired.add(path.dot("tool_call_id").toString());
      }
    }

    /** Closes the first open call of a function. */
    private boolean closes(int name, JsonMembers result) {
      for (OpenCall call : open) {
        if (name >= 0 && result.isString(name, call.function)) {
          answering = true;
          return open.remove(call);
        }
      }
      return false;
    }

    void endTurn() {
      open.forEach(call -> unpaired.add(call.path.toString()));
      open.clear();
      answering = false;
    }
  }
}
