package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.ShortCallId;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Writes Ollama's whole answer as a chat completion. */
final class OllamaReply {
  private OllamaReply() {}

  /** The completion, or the body itself where it is no answer. */
  static TranslatedReply translated(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      int i = JsonReads.find(root, "message", JsonKind.OBJECT);
      if (i >= 0 && JsonReads.find(root, "done", JsonKind.TRUE) >= 0) {
        ByteBuf out = Unpooled.buffer(length + 512);
        write(root, root.object(i), new JsonWriter(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
  }

  private static void write(JsonMembers root, JsonMembers message, JsonWriter out) {
    out.beginObject().name("object").string("chat.completion");
    copy(root, "model", "model", out);
    out.name("choices").beginArray().beginObject().name("index").number(0);
    out.name("message").beginObject().name("role").string("assistant");
    int content = JsonReads.findText(message, "content");
    out.name("content").raw(content < 0 ? JsonBytes.NULL : JsonBytes.of(message, content));
    copy(message, "thinking", ReasoningText.MEMBER, out);
    int created = JsonReads.findText(root, "created_at");
    boolean called = calls(message, created < 0 ? "" : root.string(created), out);
    out.endObject();
    int given = JsonReads.findText(root, "done_reason");
    String reason = given < 0 ? "" : root.string(given);
    out.name("finish_reason").string(OllamaFinish.canonical(reason, called));
    out.name("native_finish_reason").string(reason);
    out.endObject().endArray();
    OllamaFinish.usage(root).writeTo(out);
    out.endObject();
  }

  private static void copy(JsonMembers from, String name, String as, JsonWriter out) {
    int i = JsonReads.findText(from, name);
    if (i >= 0) {
      out.name(as).raw(JsonBytes.of(from, i));
    }
  }

  private static boolean calls(JsonMembers message, String created, JsonWriter out) {
    int i = JsonReads.find(message, "tool_calls", JsonKind.ARRAY);
    if (i < 0 || JsonReads.isEmpty(message, i)) {
      return false;
    }
    JsonElements calls = message.array(i);
    out.name("tool_calls").beginArray();
    for (int k = 0; k < calls.size(); k++) {
      if (calls.kind(k) == JsonKind.OBJECT) {
        out.beginObject();
        OllamaCall.write(calls.object(k), "call_" + ShortCallId.of(created + "/" + k), out);
        out.endObject();
      }
    }
    out.endArray();
    return true;
  }
}
