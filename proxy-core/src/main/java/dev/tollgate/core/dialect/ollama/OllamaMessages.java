package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.CallArguments;
import dev.tollgate.core.dialect.DataUri;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.message.LostMembers;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the messages of a chat request in Ollama's form: content as text, images beside it,
 * arguments as objects.
 */
final class OllamaMessages {
  private static final String PARAGRAPH = "\n\n";

  private final JsonElements messages;
  private final DroppedFields dropped;

  /** Names of tools by call id: a result names its tool. */
  private final Map<String, String> toolsByCall = new HashMap<>();

  OllamaMessages(JsonMembers chat, DroppedFields dropped) {
    this.messages = chat.array(chat.indexOf("messages"));
    this.dropped = dropped;
  }

  void writeTo(JsonWriter out) {
    out.name("messages").beginArray();
    for (int k = 0; k < messages.size(); k++) {
      JsonMembers message = messages.object(k);
      message(message, message.string(message.indexOf("role")), Param.of("messages").at(k), out);
    }
    out.endArray();
  }

  private void message(JsonMembers message, String role, Param path, JsonWriter out) {
    out.beginObject().name("role");
    switch (role) {
      case "developer", "system" -> out.string("system");
      case "assistant" -> out.string("assistant");
      case "tool", "function" -> out.string("tool");
      default -> out.string("user");
    }
    content(message, path, out);
    if (role.equals("assistant")) {
      JsonReads.copyText(message, ReasoningText.MEMBER, "thinking", out);
      calls(message, path, out);
    }
    if (role.equals("tool")) {
      result(message, out);
    }
    out.endObject();
  }

  private void result(JsonMembers message, JsonWriter out) {
    int id = JsonReads.findText(message, "tool_call_id");
    if (id >= 0) {
      out.name("tool_call_id").raw(JsonBytes.of(message, id));
      String tool = toolsByCall.get(message.string(id));
      if (tool != null) {
        out.name("tool_name").string(tool);
      }
    }
  }

  // Content

  private void content(JsonMembers message, Param path, JsonWriter out) {
    int i = JsonReads.find(message, "content");
    JsonElements made = JsonReads.array(message, LostMembers.IMAGES);
    out.name("content");
    if (i < 0) {
      out.string("");
      images(new JsonElements(), made, out);
      return;
    }
    if (message.kind(i) == JsonKind.STRING) {
      out.raw(JsonBytes.of(message, i));
      images(new JsonElements(), made, out);
      return;
    }
    JsonElements parts = message.array(i);
    StringBuilder text = new StringBuilder();
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.object(k);
      if (image(part).isEmpty() && !text(part, text)) {
        dropped.add(path.dot("content").at(k));
      }
    }
    out.string(text);
    images(parts, made, out);
  }

  private static boolean text(JsonMembers part, StringBuilder into) {
    int text = JsonReads.find(part, "text", JsonKind.STRING);
    int i = text < 0 ? JsonReads.find(part, "refusal", JsonKind.STRING) : text;
    if (i >= 0 && !part.isEmptyString(i)) {
      into.append(into.isEmpty() ? "" : PARAGRAPH).append(part.string(i));
    }
    return i >= 0;
  }

  /**
   * Writes the images of a message.
   *
   * @param made pictures that a model made
   */
  private static void images(JsonElements parts, JsonElements made, JsonWriter out) {
    var all = new LazyArray("images", out);
    images(parts, all);
    images(made, all);
    all.end();
  }

  private static void images(JsonElements parts, LazyArray into) {
    for (int k = 0; k < parts.size(); k++) {
      Optional<Image> image = image(JsonReads.object(parts, k));
      image.ifPresent(one -> into.get().stringBehind(one.members, one.at, one.uri.headBytes()));
    }
  }

  private record Image(JsonMembers members, int at, DataUri uri) {}

  /** Returns an image inside the request; images by URL are not fetched. */
  private static Optional<Image> image(JsonMembers part) {
    JsonMembers image = JsonReads.object(part, "image_url");
    int url = JsonReads.findText(image, "url");
    return url < 0
        ? Optional.empty()
        : DataUri.of(image, url).map(uri -> new Image(image, url, uri));
  }

  // Tool calls

  private void calls(JsonMembers message, Param path, JsonWriter out) {
    JsonElements calls = JsonReads.array(message, "tool_calls");
    if (calls.size() == 0) {
      return;
    }
    out.name("tool_calls").beginArray();
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      JsonMembers function = JsonReads.object(call, "function");
      int name = JsonReads.findText(function, "name");
      if (name < 0) {
        dropped.add(path.dot("tool_calls").at(k));
      } else {
        call(call, function, name, out);
      }
    }
    out.endArray();
  }

  private void call(JsonMembers call, JsonMembers function, int name, JsonWriter out) {
    int id = JsonReads.findText(call, "id");
    out.beginObject();
    if (id >= 0) {
      toolsByCall.put(call.string(id), function.string(name));
      out.name("id").raw(JsonBytes.of(call, id));
    }
    out.name("function").beginObject().name("name").raw(JsonBytes.of(function, name));
    int arguments = JsonReads.findText(function, "arguments");
    String text = arguments < 0 ? "{}" : function.string(arguments);
    CallArguments.writeObject(text, "arguments", out.name("arguments"));
    out.endObject().endObject();
  }
}
