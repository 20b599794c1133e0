package dev.tollgate.core.dialect;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Writes Anthropic's whole message as a chat completion. */
final class AnthropicReply {
  private final JsonMembers message;
  private final List<JsonMembers> texts = new ArrayList<>(1);
  private final List<JsonMembers> thoughts = new ArrayList<>(0);
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
    if (Given.is(block, "type", "text") && Given.text(block, "text") >= 0) {
      texts.add(block);
    } else if (Given.is(block, "type", "thinking")
        || Given.is(block, "type", "redacted_thinking")) {
      thoughts.add(block);
    } else if (Given.is(block, "type", "tool_use")) {
      calls.add(block);
    }
  }

  /** The completion, or the body itself where it is no message. */
  static TranslatedReply translated(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      int content = Given.at(root, "content", JsonKind.ARRAY);
      if (content >= 0 && Given.is(root, "type", "message")) {
        ByteBuf out = Unpooled.buffer(length + 512);
        new AnthropicReply(root, root.array(content)).writeTo(new JsonOut(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
  }

  private void writeTo(JsonOut out) {
    out.beginObject();
    copy("id", out);
    out.name("object").string("chat.completion");
    copy("model", out);
    out.name("choices").beginArray().beginObject().name("index").number(0);
    out.name("message").beginObject().name("role").string("assistant");
    content(out);
    thoughts(out);
    calls(out);
    int details = Given.at(message, "stop_details", JsonKind.OBJECT);
    int stop = Given.text(message, "stop_reason");
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

  private void copy(String name, JsonOut out) {
    int i = Given.text(message, name);
    if (i >= 0) {
      out.name(name).raw(JsonBytes.of(message, i));
    }
  }

  private void content(JsonOut out) {
    out.name("content");
    if (texts.isEmpty()) {
      out.nul();
    } else {
      joined(texts, "text", out);
    }
  }

  /** One text is copied as it is written; several are put together. */
  private static void joined(List<JsonMembers> blocks, String member, JsonOut out) {
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

  private void thoughts(JsonOut out) {
    List<JsonMembers> readable =
        thoughts.stream().filter(block -> Given.text(block, "thinking") >= 0).toList();
    if (!readable.isEmpty()) {
      out.name("reasoning_content");
      joined(readable, "thinking", out);
    }
    if (!thoughts.isEmpty()) {
      out.name("reasoning_details").beginArray();
      for (int k = 0; k < thoughts.size(); k++) {
        detail(k, thoughts.get(k), out);
      }
      out.endArray();
    }
  }

  private static void detail(int index, JsonMembers block, JsonOut out) {
    boolean hidden = Given.is(block, "type", "redacted_thinking");
    ReasoningDetail.begin(hidden ? ReasoningDetail.ENCRYPTED : ReasoningDetail.TEXT, index, out);
    member(block, hidden ? "data" : "thinking", hidden ? "data" : "text", out);
    if (!hidden) {
      member(block, "signature", "signature", out);
    }
    out.endObject();
  }

  private static void member(JsonMembers block, String name, String as, JsonOut out) {
    int i = Given.text(block, name);
    if (i >= 0) {
      out.name(as).raw(JsonBytes.of(block, i));
    }
  }

  private void calls(JsonOut out) {
    if (calls.isEmpty()) {
      return;
    }
    out.name("tool_calls").beginArray();
    for (JsonMembers call : calls) {
      out.beginObject();
      member(call, "id", "id", out);
      out.name("type").string("function").name("function").beginObject();
      member(call, "name", "name", out);
      int input = Given.at(call, "input", JsonKind.OBJECT);
      out.name("arguments").string(input < 0 ? "{}" : call.text(input));
      out.endObject().endObject();
    }
    out.endArray();
  }

  private void usage(JsonOut out) {
    int i = Given.at(message, "usage", JsonKind.OBJECT);
    if (i >= 0) {
      JsonMembers told = message.object(i);
      UsageTerms.ANTHROPIC
          .read(told, 0)
          .ifPresent(usage -> CanonicalUsage.write(usage, told, out.name("usage")));
    }
  }
}
