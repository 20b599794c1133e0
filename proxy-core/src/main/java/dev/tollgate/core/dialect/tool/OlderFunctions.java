package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.TranslatedStream;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts OpenAI's older function calling in a chat, which other providers do not have, to tools:
 * {@code functions}, {@code function_call}, and messages of the role {@code function}. An instance
 * is used for one chat.
 */
final class OlderFunctions {
  private static final JsonBytes NO_TOOL = JsonBytes.raw("{}");
  private static final JsonBytes TOOL = JsonBytes.string("tool");
  private static final JsonBytes USER = JsonBytes.string("user");
  private static final String FUNCTION = "{\"type\":\"function\",\"function\":";
  private static final Pattern CALL = Pattern.compile("\\.tool_calls\\[0](\\.function)?");
  private static final Pattern TOOL_PATH = Pattern.compile("^tools(\\[\\d+])(\\.function)?");

  private final JsonMembers chat;
  private final List<OpenCall> openCalls = new ArrayList<>(0);
  private final List<String> convertedCalls = new ArrayList<>(0);
  private final DroppedFields dropped = new DroppedFields();
  private final boolean definesFunctions;
  private final boolean limitsCalls;
  private final boolean hasMessages;

  /** Call of a function that has no result yet. */
  private record OpenCall(String id, String function) {}

  private OlderFunctions(JsonMembers chat, boolean converts) {
    this.chat = chat;
    this.definesFunctions =
        converts
            && JsonReads.array(chat, "functions").size() > 0
            && JsonReads.array(chat, "tools").size() == 0;
    this.limitsCalls = definesFunctions && JsonReads.find(chat, "parallel_tool_calls") < 0;
    this.hasMessages = converts && hasMessages(chat);
  }

  /** Returns the conversion to tools. */
  static OlderFunctions toTools(JsonMembers chat) {
    return new OlderFunctions(chat, true);
  }

  /** Returns no conversion, for a provider that has the older functions. */
  static OlderFunctions asTheyAre(JsonMembers chat) {
    return new OlderFunctions(chat, false);
  }

  /** True if messages call functions in the older form, or are results of them. */
  private static boolean hasMessages(JsonMembers chat) {
    JsonElements messages = JsonReads.array(chat, "messages");
    JsonMembers message = new JsonMembers();
    for (int k = 0; k < messages.size(); k++) {
      message.readInside(messages, k);
      if (message.indexOf("function_call") >= 0
          || JsonReads.isString(message, "role", "function")) {
        return true;
      }
    }
    return false;
  }

  /** True if the chat's functions became tools, so that the reply has to call a function. */
  boolean areConverted() {
    return definesFunctions;
  }

  /** Adds the edits of the chat. */
  void edit(JsonSplice edits) {
    if (definesFunctions) {
      int i = chat.indexOf("functions");
      put("tools", tools(chat.array(i)), edits.delete(i));
      choice(edits);
    }
    if (limitsCalls) {
      put("parallel_tool_calls", JsonBytes.FALSE, edits); // an older answer has one call at most
    }
    if (hasMessages) {
      messages(edits);
    }
  }

  private void put(String name, JsonBytes value, JsonSplice edits) {
    int there = chat.indexOf(name);
    if (there < 0) {
      edits.insertLast(name, value);
    } else {
      edits.replace(there, value);
    }
  }

  private static JsonBytes tools(JsonElements functions) {
    StringBuilder tools = new StringBuilder("[");
    for (int k = 0; k < functions.size(); k++) {
      boolean isNamed = JsonReads.findText(JsonReads.object(functions, k), "name") >= 0;
      tools.append(k == 0 ? "" : ",").append(isNamed ? tool(functions, k) : NO_TOOL);
    }
    return JsonBytes.raw(tools.append(']').toString());
  }

  private static String tool(JsonItems functions, int k) {
    return FUNCTION + functions.text(k) + "}";
  }

  private void choice(JsonSplice edits) {
    int i = JsonReads.find(chat, "function_call");
    if (i < 0) {
      return;
    }
    JsonBytes choice =
        chat.kind(i) == JsonKind.OBJECT ? JsonBytes.raw(tool(chat, i)) : JsonBytes.of(chat, i);
    put("tool_choice", choice, edits.delete(i));
  }

  // Messages

  private void messages(JsonSplice edits) {
    int i = chat.indexOf("messages");
    JsonElements messages = chat.array(i);
    JsonSplice inside = JsonSplice.of(messages);
    for (int k = 0; k < messages.size(); k++) {
      JsonSplice edited = message(messages.object(k), k);
      if (edited != null) {
        inside.replace(k, edited);
      }
    }
    if (!inside.isUnchanged()) {
      edits.replace(i, inside);
    }
  }

  private @Nullable JsonSplice message(JsonMembers message, int k) {
    return switch (message.string(message.indexOf("role"))) {
      case "assistant" -> call(message, k);
      case "function" -> result(message, k);
      case "tool" -> {
        int id = JsonReads.findText(message, "tool_call_id");
        openCalls.removeIf(call -> id >= 0 && message.isString(id, call.id));
        yield null;
      }
      default -> null;
    };
  }

  private @Nullable JsonSplice call(JsonMembers message, int k) {
    JsonElements calls = JsonReads.array(message, "tool_calls");
    for (int c = 0; c < calls.size(); c++) {
      JsonMembers call = JsonReads.object(calls, c);
      int id = JsonReads.findText(call, "id");
      open(id < 0 ? "" : call.string(id), JsonReads.object(call, "function"));
    }
    int i = JsonReads.find(message, "function_call", JsonKind.OBJECT);
    String id = "call_" + k;
    if (calls.size() > 0 || i < 0 || !open(id, message.object(i))) {
      return null;
    }
    convertedCalls.add(Param.of("messages").at(k).toString());
    JsonSplice edits = JsonSplice.of(message).delete(i);
    int there = message.indexOf("tool_calls");
    JsonBytes one = JsonBytes.raw("[{\"id\":\"" + id + "\"," + tool(message, i).substring(1) + "]");
    return there < 0 ? edits.insertBefore(i, "tool_calls", one) : edits.replace(there, one);
  }

  private boolean open(String id, JsonMembers function) {
    int name = JsonReads.findText(function, "name");
    if (name >= 0) {
      openCalls.add(new OpenCall(id, function.string(name)));
    }
    return name >= 0;
  }

  /** Converts a result to that of the first open call of its function; without one, to text. */
  private JsonSplice result(JsonMembers message, int k) {
    JsonSplice edits = JsonSplice.of(message);
    int role = message.indexOf("role");
    String id = close(message);
    if (id.isEmpty()) {
      dropped.add(Param.of("messages").at(k).dot("role"));
      edits.replace(role, USER);
    } else {
      edits.replace(role, TOOL).insertAfter(role, "tool_call_id", JsonBytes.string(id));
    }
    int content = message.indexOf("content");
    if (content < 0) {
      edits.insertLast("content", TranslatedStream.NO_TEXT);
    } else if (message.kind(content) == JsonKind.NULL) {
      edits.replace(content, TranslatedStream.NO_TEXT);
    }
    return edits;
  }

  private String close(JsonMembers result) {
    int name = JsonReads.findText(result, "name");
    for (Iterator<OpenCall> calls = openCalls.iterator(); calls.hasNext(); ) {
      OpenCall call = calls.next();
      if (name >= 0 && result.isString(name, call.function)) {
        calls.remove();
        return call.id;
      }
    }
    return "";
  }

  // Paths

  /** Returns paths of the converted chat as paths of the client's. */
  List<String> pathsOfClient(List<String> paths) {
    if (!definesFunctions && !hasMessages) {
      return paths;
    }
    List<String> ofClient =
        paths.stream().filter(path -> !limitsCalls || !path.equals("parallel_tool_calls")).toList();
    dropped.addAll(ofClient, this::pathOfClient);
    return dropped.paths();
  }

  private String pathOfClient(String path) {
    if (definesFunctions && path.equals("tool_choice")) {
      return "function_call";
    }
    if (definesFunctions && path.startsWith("tools")) {
      return TOOL_PATH.matcher(path).replaceFirst("functions$1");
    }
    boolean isCall = convertedCalls.stream().anyMatch(one -> path.startsWith(one + ".tool_calls"));
    return isCall ? CALL.matcher(path).replaceFirst(".function_call") : path;
  }
}
