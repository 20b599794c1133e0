package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.CanonicalUsage;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.ReasoningText;
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
import org.jspecify.annotations.Nullable;

/** Writes Converse's whole answer as a chat completion. */
final class BedrockReply {
  private final JsonMembers root;
  private final StringBuilder text = new StringBuilder();
  private final StringBuilder reasoningText = new StringBuilder();
  private final List<JsonMembers> reasoningBlocks = new ArrayList<>(0);
  private final List<JsonMembers> calls = new ArrayList<>(0);

  private BedrockReply(JsonMembers root, JsonElements content) {
    this.root = root;
    for (int k = 0; k < content.size(); k++) {
      if (content.kind(k) == JsonKind.OBJECT) {
        sort(content.object(k));
      }
    }
  }

  private void sort(JsonMembers block) {
    append(block, "text", text);
    JsonMembers call = object(block, "toolUse");
    if (call != null) {
      calls.add(call);
    }
    JsonMembers reasoning = object(block, "reasoningContent");
    if (reasoning != null) {
      reasoningBlocks.add(reasoning);
      JsonMembers readable = object(reasoning, "reasoningText");
      if (readable != null) {
        append(readable, "text", reasoningText);
      }
    }
    JsonMembers cited = object(block, "citationsContent");
    int i = cited == null ? -1 : JsonReads.find(cited, "content", JsonKind.ARRAY);
    if (cited != null && i >= 0) {
      cited(cited.array(i));
    }
  }

  /** A text with its sources, which are left out. */
  private void cited(JsonElements texts) {
    for (int k = 0; k < texts.size(); k++) {
      if (texts.kind(k) == JsonKind.OBJECT) {
        append(texts.object(k), "text", text);
      }
    }
  }

  private static @Nullable JsonMembers object(JsonMembers from, String name) {
    int i = JsonReads.find(from, name, JsonKind.OBJECT);
    return i < 0 ? null : from.object(i);
  }

  private static void append(JsonMembers from, String name, StringBuilder to) {
    int i = JsonReads.findText(from, name);
    if (i >= 0) {
      to.append(from.string(i));
    }
  }

  /** The completion, or the body itself where it is no answer. */
  static TranslatedReply translated(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      JsonMembers output = object(root, "output");
      JsonMembers message = output == null ? null : object(output, "message");
      int content = message == null ? -1 : JsonReads.find(message, "content", JsonKind.ARRAY);
      if (message != null && content >= 0) {
        ByteBuf out = Unpooled.buffer(length + 512);
        new BedrockReply(root, message.array(content)).writeTo(new JsonWriter(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
  }

  private void writeTo(JsonWriter out) {
    out.beginObject().name("object").string("chat.completion");
    out.name("choices").beginArray().beginObject().name("index").number(0);
    out.name("message").beginObject().name("role").string("assistant").name("content");
    if (text.isEmpty()) {
      out.nul();
    } else {
      out.string(text);
    }
    reasoningBlocks(out);
    calls(out);
    out.endObject();
    int stop = JsonReads.findText(root, "stopReason");
    String reason = stop < 0 ? "" : root.string(stop);
    out.name("finish_reason").string(BedrockFinish.canonical(reason));
    if (stop >= 0) {
      out.name("native_finish_reason").raw(JsonBytes.of(root, stop));
    }
    out.endObject().endArray();
    usage(out);
    out.endObject();
  }

  private void reasoningBlocks(JsonWriter out) {
    if (!reasoningText.isEmpty()) {
      out.name(ReasoningText.MEMBER).string(reasoningText);
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
    int hidden = JsonReads.findText(block, "redactedContent");
    ReasoningDetail.begin(
        hidden >= 0 ? ReasoningDetail.ENCRYPTED : ReasoningDetail.TEXT, index, out);
    JsonMembers readable = object(block, "reasoningText");
    if (hidden >= 0) {
      BedrockRedactedReasoning.write(block, hidden, out.name("data"));
    } else if (readable != null) {
      member(readable, "text", "text", out);
      member(readable, "signature", "signature", out);
    }
    out.endObject();
  }

  private static void member(JsonMembers from, String name, String as, JsonWriter out) {
    int i = JsonReads.findText(from, name);
    if (i >= 0) {
      out.name(as).raw(JsonBytes.of(from, i));
    }
  }

  private void calls(JsonWriter out) {
    if (calls.isEmpty()) {
      return;
    }
    out.name("tool_calls").beginArray();
    for (JsonMembers call : calls) {
      out.beginObject();
      member(call, "toolUseId", "id", out);
      out.name("type").string("function").name("function").beginObject();
      member(call, "name", "name", out);
      int input = JsonReads.find(call, "input");
      out.name("arguments").string(input < 0 ? "{}" : call.text(input));
      out.endObject().endObject();
    }
    out.endArray();
  }

  private void usage(JsonWriter out) {
    JsonMembers reported = object(root, "usage");
    if (reported != null) {
      BedrockUsage.FORMAT
          .read(reported, 0)
          .ifPresent(usage -> CanonicalUsage.write(usage, reported, out.name("usage")));
    }
  }
}
