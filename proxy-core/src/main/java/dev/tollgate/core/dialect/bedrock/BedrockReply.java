package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.CanonicalReply;
import dev.tollgate.core.dialect.CanonicalUsage;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.LazyArray;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/** Translates a plain (not streamed) reply of Bedrock's Converse API to a chat completion. */
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
    int call = JsonReads.find(block, "toolUse", JsonKind.OBJECT);
    if (call >= 0) {
      calls.add(block.object(call));
    }
    int reasoning = JsonReads.find(block, "reasoningContent", JsonKind.OBJECT);
    if (reasoning >= 0) {
      reasoningBlocks.add(block.object(reasoning));
      append(JsonReads.object(block.object(reasoning), "reasoningText"), "text", reasoningText);
    }
    cited(JsonReads.array(JsonReads.object(block, "citationsContent"), "content"));
  }

  /** Appends texts that have citations; the citations are dropped. */
  private void cited(JsonElements texts) {
    for (int k = 0; k < texts.size(); k++) {
      append(JsonReads.object(texts, k), "text", text);
    }
  }

  private static void append(JsonMembers from, String name, StringBuilder to) {
    int i = JsonReads.findText(from, name);
    if (i >= 0) {
      to.append(from.string(i));
    }
  }

  /** Translates an answer; any other body stays as it is. */
  static TranslatedReply translated(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          JsonMembers message = JsonReads.object(JsonReads.object(root, "output"), "message");
          int content = JsonReads.find(message, "content", JsonKind.ARRAY);
          if (content >= 0) {
            new BedrockReply(root, message.array(content)).writeTo(out);
          }
        });
  }

  private void writeTo(JsonWriter out) {
    out.beginObject().name("object").string("chat.completion");
    CanonicalReply.beginMessage(out);
    CanonicalReply.content(text, out);
    reasoningBlocks(out);
    calls(out);
    CanonicalReply.noRefusal(out);
    out.endObject();
    int stop = JsonReads.findText(root, "stopReason");
    String reason = BedrockFinish.canonical(stop < 0 ? "" : root.string(stop));
    CanonicalReply.finish(reason, root, stop, out);
    out.endObject().endArray();
    CanonicalUsage.write(BedrockUsage.FORMAT, JsonReads.object(root, "usage"), out);
    out.endObject();
  }

  private void reasoningBlocks(JsonWriter out) {
    if (!reasoningText.isEmpty()) {
      out.name(ReasoningText.MEMBER).string(reasoningText);
    }
    var details = new LazyArray("reasoning_details", out);
    for (int k = 0; k < reasoningBlocks.size(); k++) {
      detail(k, reasoningBlocks.get(k), details.get());
    }
    details.end();
  }

  private static void detail(int index, JsonMembers block, JsonWriter out) {
    int hidden = JsonReads.findText(block, "redactedContent");
    ReasoningDetail.begin(
        hidden >= 0 ? ReasoningDetail.ENCRYPTED : ReasoningDetail.TEXT, index, out);
    if (hidden >= 0) {
      BedrockRedactedReasoning.write(block, hidden, out.name("data"));
    } else {
      JsonMembers readable = JsonReads.object(block, "reasoningText");
      JsonReads.copyText(readable, "text", "text", out);
      JsonReads.copyText(readable, "signature", "signature", out);
    }
    out.endObject();
  }

  private void calls(JsonWriter out) {
    var all = new LazyArray("tool_calls", out);
    for (JsonMembers call : calls) {
      int input = JsonReads.find(call, "input");
      String arguments = input < 0 ? "{}" : call.text(input);
      CanonicalReply.call(call, "toolUseId", call, arguments, all.get());
    }
    all.end();
  }
}
