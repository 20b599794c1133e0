package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.sse.SseSink;

/**
 * Turns the lines of one Ollama stream into canonical chunks; texts are copied as they are written.
 * Not thread safe: one stream on one loop.
 */
final class OllamaStream extends TranslatedStream {
  private final JsonMembers message = new JsonMembers();
  private int calls;
  private boolean begun;

  OllamaStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  void take(String name, byte[] data, int from, int to) {
    if (Given.at(root, "error") >= 0) {
      error(data, from, to);
      return;
    }
    int i = Given.at(root, "message", JsonKind.OBJECT);
    boolean done = Given.at(root, "done", JsonKind.TRUE) >= 0;
    if (i >= 0) {
      message.readInside(root, i);
      said();
    } else if (!done) {
      chunks.unreadable();
    }
    if (done) {
      finish();
    }
  }

  private void said() {
    if (!begun) {
      begun = true;
      int model = Given.text(root, "model");
      chunks.identify(NO_TEXT, model < 0 ? NO_TEXT : JsonBytes.of(root, model));
      chunks.send(chunks.begin().name("role").string("assistant").name("content").raw(NO_TEXT));
    }
    say("thinking", Thoughts.MEMBER);
    say("content", "content");
    int i = Given.at(message, "tool_calls", JsonKind.ARRAY);
    if (i >= 0) {
      calls(message.array(i));
    }
  }

  private void say(String member, String as) {
    int text = Given.text(message, member);
    if (text >= 0) {
      chunks.send(chunks.begin().name(as).raw(JsonBytes.of(message, text)));
    }
  }

  private void calls(JsonElements told) {
    for (int k = 0; k < told.size(); k++) {
      if (told.kind(k) == JsonKind.OBJECT) {
        JsonOut out = chunks.begin().name("tool_calls").beginArray().beginObject();
        out.name("index").number(calls++);
        OllamaCall.write(told.object(k), "", out); // the stream has ids for those without
        chunks.send(out.endObject().endArray());
      }
    }
  }

  private void finish() {
    int given = Given.text(root, "done_reason");
    String reason = given < 0 ? "" : root.string(given);
    chunks.finish(
        chunks.begin(),
        OllamaFinish.canonical(reason, calls > 0),
        reason,
        OllamaFinish.usage(root));
    done();
  }
}
