package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.CanonicalUsage;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Writes Anthropic's whole message as a chat completion. */
final class AnthropicReply {
  private final JsonMembers message;
  private final List<JsonMembers> texts = new ArrayList<>(1);
  private final List<JsonMembers> reasoningBlocks = new ArrayList<>(0);
  private final List<JsonMembers> calls = new ArrayList<>(0);

  private AnthropicReply(JsonMembers message, JsonElements content) {
    this.message = message;
    for (int k = 0; k < content.size(); k++) {
      if (content.kind(k) == JsonKind.OBJECT) {
        sort(content.object(k));
      }
    }
  }

  /** What the provider's own tools did is not for the client. */
  private void sort(JsonMembers block) {
    if (JsonReads.isString(block, "type", "text") && JsonReads.findText(block, "text") >= 0) {
      texts.add(block);
    } else if (JsonReads.isString(block, "type", "thinking")
        || JsonReads.isString(block, "type", "redacted_thinking")) {
      reasoningBlocks.add(block);
    } else if (JsonReads.isString(block, "type", "tool_use")) {
      calls.add(block);
    }
  }

  /** The completion, or the body itself where it is no message. */
  static TranslatedReply translated(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      int content = JsonReads.find(root, "content", JsonKind.ARRAY);
      if (content >= 0 && JsonReads.isString(root, "type", "message")) {
        ByteBuf out = Unpooled.buffer(length + 512);
        new AnthropicReply(root, root.array(content)).writeTo(new JsonWriter(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
  }

  private void writeTo(JsonWriter out) {
    out.beginObject();
    copy("id", out);
    out.name("object").string("chat.completion");
    copy("model", out);
    out.name("choices").beginArray().beginObject().name("index").number(0);
    out.name("message").beginObject().name("role").string("assistant");
    content(out);
    reasoningBlocks(out);
    calls(out);
    int details = JsonReads.find(message, "stop_details", JsonKind.OBJECT);
    int stop = JsonReads.findText(message, "stop_reason");
    String reason = stop < 0 ? "" : message.string(stop);
    if (details >= 0 && reason.equals("refusal")) {
      AnthropicRefusal.write(message.object(details), out);
    }
    out.endObject();
    out.name("finish_reason").string(AnthropicFinish.canonical(reason));
    if (stop >= 0) {
      out.name("native_finish_reason").raw(JsonBytes.of(message, stop));
    }
    out.endObject().endArray();
    usage(out);
    out.endObject();
  }

  private void copy(String name, JsonWriter out) {
    int i = JsonReads.findText(message, name);
    if (i >= 0) {
      out.name(name).raw(JsonBytes.of(message, i));
    }
  }

  private void content(JsonWriter out) {
    out.name("content");
    if (texts.isEmpty()) {
      out.nul();
    } else {
      joined(texts, "text", out);
    }
  }

  /** One text is copied as it is written; several are put together. */
  private static void joined(List<JsonMembers> blocks, String member, JsonWriter out) {
    if (blocks.size() == 1) {
      JsonMembers block = blocks.getFirst();
      out.raw(JsonBytes.of(block, block.indexOf(member)));
      return;
    }
    StringBuilder all = new StringBuilder();
    for (JsonMembers block : blocks) {
      all.append(block.string(block.indexOf(member)));
    }
    out.string(all);
  }

  private void reasoningBlocks(JsonWriter out) {
    List<JsonMembers> readable =
        reasoningBlocks.stream()
            .filter(block -> JsonReads.findText(block, "thinking") >= 0)
            .toList();
    if (!readable.isEmpty()) {
      out.name("reasoning_content");
      joined(readable, "thinking", out);
    }
    if (!reasoningBlocks.isEmpty()) {
      out.name("reasoning_details").beginArray();
      for (int k = 0; k < reasoningBlocks.size(); k++) {
        detail(k, reasoningBlocks.get(k), out);
      }
      out.endArray();
    }
  }

  private static void detail(int index, JsonMembers block, JsonWriter out) {
    boolean hidden = JsonReads.isString(block, "type", "redacted_thinking");
    ReasoningDetail.begin(hidden ? ReasoningDetail.ENCRYPTED : ReasoningDetail.TEXT, index, out);
    member(block, hidden ? "data" : "thinking", hidden ? "data" : "text", out);
    if (!hidden) {
      member(block, "signature", "signature", out);
    }
    out.endObject();
  }

  private static void member(JsonMembers block, String name, String as, JsonWriter out) {
    int i = JsonReads.findText(block, name);
    if (i >= 0) {
      out.name(as).raw(JsonBytes.of(block, i));
    }
  }

  private void calls(JsonWriter out) {
    if (calls.isEmpty()) {
      return;
    }
    out.name("tool_calls").beginArray();
    for (JsonMembers call : calls) {
      out.beginObject();
      member(call, "id", "id", out);
      out.name("type").string("function").name("function").beginObject();
      member(call, "name", "name", out);
      int input = JsonReads.find(call, "input", JsonKind.OBJECT);
      out.name("arguments").string(input < 0 ? "{}" : call.text(input));
      out.endObject().endObject();
    }
    out.endArray();
  }

  private void usage(JsonWriter out) {
    int i = JsonReads.find(message, "usage", JsonKind.OBJECT);
    if (i >= 0) {
      JsonMembers reported = message.object(i);
      AnthropicUsage.FORMAT
          .read(reported, 0)
          .ifPresent(usage -> CanonicalUsage.write(usage, reported, out.name("usage")));
    }
  }
}
