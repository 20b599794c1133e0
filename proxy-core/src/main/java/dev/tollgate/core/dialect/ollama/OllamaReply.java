package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.CanonicalReply;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/** Translates a plain (not streamed) chat reply of Ollama's API to a chat completion. */
final class OllamaReply {
  private OllamaReply() {}

  /** Translates an answer; any other body stays as it is. */
  static TranslatedReply translated(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int i = JsonReads.find(root, "message", JsonKind.OBJECT);
          if (i >= 0 && JsonReads.find(root, "done", JsonKind.TRUE) >= 0) {
            write(root, root.object(i), out);
          }
        });
  }

  private static void write(JsonMembers root, JsonMembers message, JsonWriter out) {
    out.beginObject().name("object").string("chat.completion");
    JsonReads.copyText(root, "model", "model", out);
    CanonicalReply.beginMessage(out);
    int content = JsonReads.findText(message, "content");
    out.name("content").raw(content < 0 ? JsonBytes.NULL : JsonBytes.of(message, content));
    JsonReads.copyText(message, "thinking", ReasoningText.MEMBER, out);
    boolean called = calls(message, out);
    CanonicalReply.noRefusal(out);
    out.endObject();
    int given = JsonReads.findText(root, "done_reason");
    String reason = given < 0 ? "" : root.string(given);
    out.name("finish_reason").string(OllamaFinish.canonical(reason, called));
    out.name("native_finish_reason").string(reason);
    out.endObject().endArray();
    OllamaFinish.usage(root).writeTo(out);
    out.endObject();
  }

  private static boolean calls(JsonMembers message, JsonWriter out) {
    JsonElements calls = JsonReads.array(message, "tool_calls");
    if (calls.size() == 0) {
      return false;
    }
    out.name("tool_calls").beginArray();
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) == JsonKind.OBJECT) {
        out.beginObject();
        OllamaCall.write(calls.object(k), out);
        out.endObject();
      }
    }
    out.endArray();
    return true;
  }
}
