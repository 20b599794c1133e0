package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.ResultParts;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Writes the messages of a chat request in Cohere's form, which is nearly OpenAI's, without content
 * that Cohere refuses.
 */
final class CohereMessages {
  /** User's text in place of none, which Cohere refuses. */
  private static final String PLACEHOLDER_TEXT = "...";

  private final JsonElements messages;
  private final DroppedFields dropped;

  /** Pictures of tools' results, which wait for the end of the results. */
  private final List<ResultParts.Part> beside = new ArrayList<>(0);

  private int written;

  CohereMessages(JsonMembers chat, DroppedFields dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    out.name("messages").beginArray();
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      String role = message.string(message.indexOf("role"));
      if (!ResultParts.isAmongResults(message)) {
        picturesOfResults(out);
      }
      message(message, role, Param.of("messages").at(k), out);
    }
    picturesOfResults(out);
    if (written == 0 && messages.size() > 0) { // an empty conversation is refused
      out.beginObject().name("role").string("user").name("content").string(PLACEHOLDER_TEXT);
      out.endObject();
    }
    out.endArray();
  }

  /** Writes the pictures of results as a user's: Cohere takes none in results. */
  private void picturesOfResults(JsonWriter out) {
    if (beside.isEmpty()) {
      return;
    }
    out.beginObject().name("role").string("user").name("content").beginArray();
    beside.forEach(part -> image(part.members(), out));
    out.endArray().endObject();
    beside.clear();
  }

  private void message(JsonMembers message, String role, Param path, JsonWriter out) {
    if (role.equals("assistant") && saysNothing(message)) {
      return; // refused, and no loss
    }
    written++;
    out.beginObject().name("role");
    switch (role) {
      case "developer", "system" -> out.string("system");
      case "assistant" -> out.string("assistant");
      case "tool", "function" -> {
        out.string("tool");
        JsonReads.copyText(message, "tool_call_id", "tool_call_id", out);
      }
      default -> out.string("user");
    }
    content(message, role, path, out);
    if (role.equals("assistant")) {
      calls(message, path, out);
    }
    out.endObject();
  }

  private static boolean saysNothing(JsonMembers message) {
    int i = JsonReads.find(message, "content");
    boolean isEmpty =
        i < 0
            || (message.kind(i) == JsonKind.STRING
                ? message.isEmptyString(i)
                : haveNoText(message.array(i)));
    return isEmpty && JsonReads.array(message, "tool_calls").size() == 0;
  }

  private static boolean haveNoText(JsonElements parts) {
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.object(k);
      if (JsonReads.findText(part, "text") >= 0
          || JsonReads.findText(part, "refusal") >= 0
          || isImage(part)) {
        return false;
      }
    }
    return true;
  }

  // Content

  private void content(JsonMembers message, String role, Param path, JsonWriter out) {
    int i = JsonReads.find(message, "content");
    if (i < 0) {
      return;
    }
    out.name("content");
    if (role.equals("user") && saysNothing(message)) {
      dropParts(message, path);
      out.string(PLACEHOLDER_TEXT);
      return;
    }
    if (message.kind(i) == JsonKind.STRING) {
      out.raw(JsonBytes.of(message, i));
      return;
    }
    JsonElements parts = message.array(i);
    out.beginArray();
    int written = 0;
    for (int k = 0; k < parts.size(); k++) {
      if (part(parts, k, role, out)) {
        written++;
      } else if (ResultParts.isResult(message) && isImage(parts.object(k))) {
        beside.add(new ResultParts.Part(parts.object(k), path.dot("content").at(k)));
      } else {
        dropped.add(path.dot("content").at(k));
      }
    }
    if (written == 0) {
      out.beginObject().name("type").string("text").name("text").string("").endObject();
    }
    out.endArray();
  }

  private void dropParts(JsonMembers message, Param path) {
    JsonElements parts = JsonReads.array(message, "content");
    for (int k = 0; k < parts.size(); k++) {
      if (JsonReads.find(parts.object(k), "text", JsonKind.STRING) < 0) {
        dropped.add(path.dot("content").at(k));
      }
    }
  }

  /** Writes a part: images only of users, and Cohere's own documents only as results of tools. */
  private static boolean part(JsonItems parts, int k, String role, JsonWriter out) {
    JsonMembers part = parts.object(k);
    return switch (part.string(part.indexOf("type"))) {
      case "text" -> text(part, "text", out);
      case "refusal" -> text(part, "refusal", out);
      case "image_url" -> role.equals("user") && image(part, out);
      case "document" -> {
        boolean found = role.equals("tool");
        if (found) {
          out.raw(JsonBytes.of(parts, k));
        }
        yield found;
      }
      default -> false;
    };
  }

  private static boolean isImage(JsonMembers part) {
    return JsonReads.isString(part, "type", "image_url")
        && JsonReads.findText(JsonReads.object(part, "image_url"), "url") >= 0;
  }

  private static boolean image(JsonMembers part, JsonWriter out) {
    JsonMembers image = JsonReads.object(part, "image_url");
    int url = JsonReads.findText(image, "url");
    if (url < 0) {
      return false;
    }
    out.beginObject().name("type").string("image_url").name("image_url").beginObject();
    out.name("url").raw(JsonBytes.of(image, url));
    JsonReads.copyText(image, "detail", "detail", out);
    out.endObject().endObject();
    return true;
  }

  private static boolean text(JsonMembers part, String member, JsonWriter out) {
    int i = JsonReads.find(part, member, JsonKind.STRING);
    if (i >= 0) {
      out.beginObject().name("type").string("text").name("text").raw(JsonBytes.of(part, i));
      out.endObject();
    }
    return i >= 0;
  }

  // Tool calls, and the reasoning before them

  /** Returns the members with reasoning that a message is sent with. */
  static Set<String> reasoningTaken(JsonMembers message) {
    boolean hasCalls = JsonReads.array(message, "tool_calls").size() > 0;
    return hasCalls ? Set.of(ReasoningText.MEMBER) : Set.of();
  }

  private void calls(JsonMembers message, Param path, JsonWriter out) {
    JsonElements calls = JsonReads.array(message, "tool_calls");
    if (calls.size() == 0) {
      return;
    }
    JsonReads.copyText(message, ReasoningText.MEMBER, "tool_plan", out);
    out.name("tool_calls").beginArray();
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      int function = JsonReads.find(call, "function", JsonKind.OBJECT);
      if (function < 0) {
        dropped.add(path.dot("tool_calls").at(k));
      } else {
        call(call, call.object(function), out);
      }
    }
    out.endArray();
  }

  private static void call(JsonMembers call, JsonMembers function, JsonWriter out) {
    out.beginObject();
    JsonReads.copyText(call, "id", "id", out);
    out.name("type").string("function").name("function").beginObject();
    JsonReads.copyText(function, "name", "name", out);
    int arguments = JsonReads.findText(function, "arguments");
    out.name("arguments");
    if (arguments >= 0) {
      out.raw(JsonBytes.of(function, arguments));
    } else {
      out.string("{}");
    }
    out.endObject().endObject();
  }
}
