package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.dialect.CanonicalReply;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.UsageAccumulator;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/** Translates a plain (not streamed) chat reply of Cohere's API to a chat completion. */
final class CohereReply {
  private final JsonMembers root;
  private final JsonMembers message;

  private CohereReply(JsonMembers root, JsonMembers message) {
    this.root = root;
    this.message = message;
  }

  /** Translates an answer; any other body stays as it is. */
  static TranslatedReply translated(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int i = JsonReads.find(root, "message", JsonKind.OBJECT);
          int reason = JsonReads.findText(root, "finish_reason");
          if (i >= 0 && reason >= 0 && !CohereFinish.isFailure(root.string(reason))) {
            new CohereReply(root, root.object(i)).writeTo(reason, out);
          }
        });
  }

  private void writeTo(int reason, JsonWriter out) {
    out.beginObject();
    JsonReads.copyText(root, "id", "id", out);
    out.name("object").string("chat.completion");
    CanonicalReply.beginMessage(out);
    content(out);
    calls(out);
    CanonicalReply.noRefusal(out);
    out.endObject();
    CanonicalReply.finish(CohereFinish.canonical(root.string(reason)), root, reason, out);
    out.endObject().endArray();
    usage(out);
    out.endObject();
  }

  private void content(JsonWriter out) {
    CanonicalReply.content(joined("text", "text"), out);
    String reasoning = joined("thinking", "thinking");
    if (!reasoning.isEmpty()) {
      out.name(ReasoningText.MEMBER).string(reasoning);
    } else {
      JsonReads.copyText(message, "tool_plan", ReasoningText.MEMBER, out);
    }
  }

  private String joined(String type, String member) {
    StringBuilder all = new StringBuilder();
    JsonElements parts = JsonReads.array(message, "content");
    for (int k = 0; k < parts.size(); k++) {
      JsonMembers part = JsonReads.object(parts, k);
      int text = JsonReads.isString(part, "type", type) ? JsonReads.findText(part, member) : -1;
      all.append(text < 0 ? "" : part.string(text));
    }
    return all.toString();
  }

  private void calls(JsonWriter out) {
    JsonElements calls = JsonReads.array(message, "tool_calls");
    if (calls.size() == 0) {
      return;
    }
    out.name("tool_calls").beginArray();
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      int i = JsonReads.find(call, "function", JsonKind.OBJECT);
      if (i >= 0) {
        JsonMembers function = call.object(i);
        int arguments = JsonReads.findText(function, "arguments");
        String text = arguments < 0 ? "{}" : function.string(arguments);
        CanonicalReply.call(call, "id", function, text, out);
      }
    }
    out.endArray();
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
