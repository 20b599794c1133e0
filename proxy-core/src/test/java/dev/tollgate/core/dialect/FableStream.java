package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.sse.SseSink;

/** Turns the lines of one of Fable's streams into canonical chunks. Not thread safe. */
final class FableStream extends TranslatedStream {
  FableStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  protected void translate(String name, byte[] data, int from, int to) {
    int word = JsonReads.findText(root, "word");
    if (JsonReads.find(root, "error") >= 0) {
      error(data, from, to);
    } else if (word >= 0) {
      chunks.send(chunks.begin().name("content").raw(JsonBytes.of(root, word)));
    } else if (JsonReads.find(root, "end") >= 0) {
      chunks.finish(chunks.begin(), "stop", "over", FableChat.usage(root));
      done();
    } else {
      chunks.unreadable();
    }
  }
}
