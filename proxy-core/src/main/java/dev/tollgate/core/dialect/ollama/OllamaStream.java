package dev.tollgate.core.dialect.ollama;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReasoningText;
import dev.tollgate.core.dialect.TranslatedStream;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.sse.SseSink;

/**
 * Translates the JSON lines of one Ollama chat stream to canonical chat completion chunks. Texts
 * are copied as they are encoded. Not thread safe: one stream on one loop.
 */
final class OllamaStream extends TranslatedStream {
  private final JsonMembers message = new JsonMembers();
  private int calls;
  private boolean begun;

  OllamaStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  protected void translate(String name, byte[] data, int from, int to) {
    if (JsonReads.find(root, "error") >= 0) {
      error(data, from, to);
      return;
    }
    int i = JsonReads.find(root, "message");
    boolean done = JsonReads.find(root, "done", JsonKind.TRUE) >= 0;
    if (i >= 0 && root.kind(i) == JsonKind.OBJECT) {
      message.readInside(root, i);
      sendMessage();
    } else if (i >= 0 || !done) {
      chunks.unreadable();
    }
    if (done) {
      finish();
    }
  }

  private void sendMessage() {
    if (!begun) {
      begun = true;
      int model = JsonReads.findText(root, "model");
      chunks.identify(NO_TEXT, model < 0 ? NO_TEXT : JsonBytes.of(root, model));
      chunks.sendRole();
    }
    chunks.sendText(message, "thinking", ReasoningText.MEMBER);
    chunks.sendText(message, "content", "content");
    int i = JsonReads.find(message, "tool_calls", JsonKind.ARRAY);
    if (i >= 0) {
      calls(message.array(i));
    }
  }

  private void calls(JsonElements toolCalls) {
    for (int k = 0; k < toolCalls.size(); k++) {
      if (toolCalls.kind(k) == JsonKind.OBJECT) {
        JsonWriter out = chunks.beginCall(calls++);
        OllamaCall.write(toolCalls.object(k), out);
        chunks.send(out.endObject().endArray());
      } else {
        chunks.unreadable();
      }
    }
  }

  private void finish() {
    int given = JsonReads.findText(root, "done_reason");
    String reason = given < 0 ? "" : root.string(given);
    chunks.finish(
        chunks.begin(),
        OllamaFinish.canonical(reason, calls > 0),
        reason,
        OllamaFinish.usage(root));
    done();
  }
}
