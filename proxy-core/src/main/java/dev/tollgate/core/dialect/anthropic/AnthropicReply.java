package dev.tollgate.core.dialect.anthropic;

import dev.tollgate.core.dialect.CanonicalReply;
import dev.tollgate.core.dialect.CanonicalUsage;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/** Translates a plain (not streamed) message of Anthropic's API to a chat completion. */
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

  /** Sorts a block by kind; blocks of the provider's own tools are dropped. */
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

  /** Translates a message; any other body stays as it is. */
  static TranslatedReply translated(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int content = JsonReads.find(root, "content", JsonKind.ARRAY);
          if (content >= 0 && JsonReads.isString(root, "type", "message")) {
            new AnthropicReply(root, root.array(content)).writeTo(out);
          }
        });
  }

  private void writeTo(JsonWriter out) {
    out.beginObject();
    JsonReads.copyText(message, "id", "id", out);
    out.name("object").string("chat.completion");
    JsonReads.copyText(message, "model", "model", out);
    CanonicalReply.beginMessage(out);
    content(out);
    reasoningBlocks(out);
    calls(out);
    int stop = JsonReads.findText(message, "stop_reason");
    String reason = stop < 0 ? "" : message.string(stop);
    if (!AnthropicFinish.writeRefusal(message, reason, out)) {
      CanonicalReply.noRefusal(out);
    }
    out.endObject();
    CanonicalReply.finish(AnthropicFinish.canonical(reason), message, stop, out);
    out.endObject().endArray();
    CanonicalUsage.write(AnthropicUsage.FORMAT, JsonReads.object(message, "usage"), out);
    out.endObject();
  }

  private void content(JsonWriter out) {
    out.name("content");
    if (texts.isEmpty()) {
      out.nul();
    } else {
      joined(texts, "text", out);
    }
  }

  /** Writes one text as it is encoded, or several as one. */
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
    var details = new LazyArray("reasoning_details", out);
    for (int k = 0; k < reasoningBlocks.size(); k++) {
      detail(k, reasoningBlocks.get(k), details.get());
    }
    details.end();
  }

  private static void detail(int index, JsonMembers block, JsonWriter out) {
    boolean hidden = JsonReads.isString(block, "type", "redacted_thinking");
    ReasoningDetail.begin(hidden ? ReasoningDetail.ENCRYPTED : ReasoningDetail.TEXT, index, out);
    if (hidden) {
      JsonReads.copyText(block, "data", "data", out);
    } else {
      JsonReads.copyText(block, "thinking", "text", out);
      JsonReads.copyText(block, "signature", "signature", out);
    }
    out.endObject();
  }

  private void calls(JsonWriter out) {
    var all = new LazyArray("tool_calls", out);
    for (JsonMembers call : calls) {
      int input = JsonReads.find(call, "input", JsonKind.OBJECT);
      CanonicalReply.call(call, "id", call, input < 0 ? "{}" : call.text(input), all.get());
    }
    all.end();
  }
}
