package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.UsageAccumulator;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Writes Cohere's whole answer as a chat completion. */
final class CohereReply {
  private final JsonMembers root;
  private final JsonMembers message;

  private CohereReply(JsonMembers root, JsonMembers message) {
    this.root = root;
    this.message = message;
  }

  /** The completion, or the body itself where it is no answer. */
  static TranslatedReply translated(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      int i = JsonReads.find(root, "message", JsonKind.OBJECT);
      int reason = JsonReads.findText(root, "finish_reason");
      if (i >= 0 && reason >= 0 && !CohereFinish.isFailure(root.string(reason))) {
        ByteBuf out = Unpooled.buffer(length + 512);
        new CohereReply(root, root.object(i)).writeTo(root.string(reason), new JsonWriter(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
  }

  private void writeTo(String reason, JsonWriter out) {
    out.beginObject();
    copy(root, "id", "id", out);
    out.name("object").string("chat.completion");
    out.name("choices").beginArray().beginObject().name("index").number(0);
    out.name("message").beginObject().name("role").string("assistant");
    content(out);
    calls(out);
    out.endObject();
    out.name("finish_reason").string(CohereFinish.canonical(reason));
    out.name("native_finish_reason").string(reason);
    out.endObject().endArray();
    usage(out);
    out.endObject();
  }

  private static void copy(JsonMembers from, String name, String as, JsonWriter out) {
    int i = JsonReads.findText(from, name);
    if (i >= 0) {
      out.name(as).raw(JsonBytes.of(from, i));
    }
  }

  private void content(JsonWriter out) {
    String text = joined("text", "text");
    String reasoning = joined("thinking", "thinking");
    out.name("content");
    if (text.isEmpty()) {
      out.nul();
    } else {
      out.string(text);
    }
    if (!reasoning.isEmpty()) {
      out.name(ReasoningText.MEMBER).string(reasoning);
    } else {
      copy(message, "tool_plan", ReasoningText.MEMBER, out);
    }
  }

  private String joined(String type, String member) {
    StringBuilder all = new StringBuilder();
    int i = JsonReads.find(message, "content", JsonKind.ARRAY);
    JsonElements parts = i < 0 ? new JsonElements() : message.array(i);
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = parts.kind(k) == JsonKind.OBJECT ? parts.object(k) : new JsonMembers();
      int text = JsonReads.isString(part, "type", type) ? JsonReads.findText(part, member) : -1;
      all.append(text < 0 ? "" : part.string(text));
    }
    return all.toString();
  }

  private void calls(JsonWriter out) {
    int i = JsonReads.find(message, "tool_calls", JsonKind.ARRAY);
    if (i < 0 || JsonReads.isEmpty(message, i)) {
      return;
    }
    JsonElements calls = message.array(i);
    out.name("tool_calls").beginArray();
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = calls.kind(k) == JsonKind.OBJECT ? calls.object(k) : new JsonMembers();
      int function = JsonReads.find(call, "function", JsonKind.OBJECT);
      if (function >= 0) {
        call(call, call.object(function), out);
      }
    }
    out.endArray();
  }

  private static void call(JsonMembers call, JsonMembers function, JsonWriter out) {
    out.beginObject();
    copy(call, "id", "id", out);
    out.name("type").string("function").name("function").beginObject();
    copy(function, "name", "name", out);
    int arguments = JsonReads.findText(function, "arguments");
    out.name("arguments").string(arguments < 0 ? "{}" : function.string(arguments));
    out.endObject().endObject();
  }

  private void usage(JsonWriter out) {
    int i = JsonReads.find(root, "usage", JsonKind.OBJECT);
    if (i >= 0) {
      var usage = new UsageAccumulator(CohereUsage.FORMAT);
      usage.add(root, i);
      usage.writeTo(out);
    }
  }
}
