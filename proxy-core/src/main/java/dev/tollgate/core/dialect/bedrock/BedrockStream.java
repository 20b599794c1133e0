package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningDetail;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedStream;
import dev.tollgate.core.dialect.UsageAccumulator;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.sse.SseSink;

/**
 * Translates the events of one Bedrock ConverseStream reply to canonical chat completion chunks.
 * Texts and arguments are copied as they are encoded. Blocks come one after the other. Not thread
 * safe: one stream on one loop.
 */
final class BedrockStream extends TranslatedStream {
  private final UsageAccumulator usage = new UsageAccumulator(BedrockUsage.FORMAT);
  private final JsonMembers delta = new JsonMembers();
  private final JsonMembers inside = new JsonMembers();
  private int calls;
  private boolean inToolCall;
  private boolean argumentsSent;
  private int reasoningCount;
  private boolean inReasoning;

  BedrockStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  protected void translate(String name, byte[] data, int from, int to) {
    switch (name) {
      case "contentBlockDelta" -> delta();
      case "contentBlockStart" -> start();
      case "contentBlockStop" -> stop();
      case "messageStart" -> chunks.sendRole();
      case "messageStop" -> finish();
      case "metadata" -> end();
      default -> {
        // An unknown event.
      }
    }
  }

  private boolean readMember(JsonMembers from, String member, JsonMembers into) {
    int i = JsonReads.find(from, member, JsonKind.OBJECT);
    if (i >= 0) {
      into.readInside(from, i);
    }
    return i >= 0;
  }

  private void delta() {
    if (!readMember(root, "delta", delta)) {
      chunks.unreadable();
      return;
    }
    if (JsonReads.find(delta, "text") >= 0) {
      chunks.sendText(delta, "text", "content");
    } else if (readMember(delta, "toolUse", inside)) {
      int input = chunks.text(inside, "input");
      if (input >= 0) {
        sendArguments(JsonBytes.of(inside, input));
      }
    } else if (readMember(delta, "reasoningContent", inside)) {
      sendReasoning();
    }
    // Citations name the source of a text; the text itself is sent beside them.
  }

  // Reasoning: as text, and again in the form in which a client can send it back

  private void sendReasoning() {
    reasoningCount += inReasoning ? 0 : 1;
    inReasoning = true;
    int text = chunks.text(inside, "text");
    int signature = JsonReads.findText(inside, "signature");
    int hidden = JsonReads.findText(inside, "redactedContent");
    if (text >= 0) {
      JsonWriter out = chunks.begin().name(ReasoningText.MEMBER).raw(JsonBytes.of(inside, text));
      detail(out, ReasoningDetail.TEXT, "text").raw(JsonBytes.of(inside, text));
      chunks.send(out.endObject().endArray());
    } else if (signature >= 0) {
      JsonWriter out = detail(chunks.begin(), ReasoningDetail.TEXT, "signature");
      chunks.send(out.raw(JsonBytes.of(inside, signature)).endObject().endArray());
    } else if (hidden >= 0) {
      JsonWriter out = detail(chunks.begin(), ReasoningDetail.ENCRYPTED, "data");
      BedrockRedactedReasoning.write(inside, hidden, out);
      chunks.send(out.endObject().endArray());
    }
  }

  private JsonWriter detail(JsonWriter out, String type, String member) {
    out.name("reasoning_details").beginArray();
    return ReasoningDetail.begin(type, reasoningCount - 1, out).name(member);
  }

  // Tool calls, numbered on their own

  private void start() {
    if (!readMember(root, "start", delta) || !readMember(delta, "toolUse", inside)) {
      return; // a text or an image, which has no content yet
    }
    int id = JsonReads.findText(inside, "toolUseId");
    int name = JsonReads.findText(inside, "name");
    if (id < 0 || name < 0) {
      chunks.unreadable();
      return;
    }
    calls++;
    inToolCall = true;
    argumentsSent = false;
    chunks.sendCall(calls - 1, JsonBytes.of(inside, id), JsonBytes.of(inside, name), NO_TEXT);
  }

  private void sendArguments(JsonBytes arguments) {
    if (inToolCall) {
      argumentsSent = true;
      chunks.sendArguments(calls - 1, arguments);
    }
  }

  /** Ends a block; a call without arguments gets an empty object. */
  private void stop() {
    if (inToolCall && !argumentsSent) {
      sendArguments(NO_ARGUMENTS);
    }
    inToolCall = false;
    inReasoning = false;
  }

  // The end

  private void finish() {
    int given = JsonReads.findText(root, "stopReason");
    String reason = given < 0 ? "" : root.string(given);
    chunks.finish(chunks.begin(), BedrockFinish.canonical(reason), reason, usage);
  }

  /** Sends the usage, which follows the finish, and ends the stream. */
  private void end() {
    int i = JsonReads.find(root, "usage", JsonKind.OBJECT);
    if (i >= 0) {
      usage.add(root, i);
      chunks.send(chunks.begin(), usage);
    }
    done();
  }
}
