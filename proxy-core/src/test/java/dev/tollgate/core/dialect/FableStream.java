package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.sse.SseSink;

/** Turns the lines of one of Fable's streams into canonical chunks. Not thread safe. */
final class FableStream extends TranslatedStream {
  FableStream(SseSink canonical) {
    super(canonical);
  }

  @Override
  void take(String name, byte[] data, int from, int to) {
    int word = Given.text(root, "word");
    if (Given.at(root, "error") >= 0) {
      error(data, from, to);
    } else if (word >= 0) {
      chunks.send(chunks.begin().name("content").raw(JsonBytes.of(root, word)));
    } else if (Given.at(root, "end") >= 0) {
      chunks.finish(chunks.begin(), "stop", "over", FableChat.usage(root));
      done();
    } else {
      chunks.unreadable();
    }
  }
}
