package dev.tollgate.core.dialect;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;

/**
 * A provider's events on their way to canonical chunks: what is the same for all of them. An error
 * goes on as the provider wrote it, what cannot be read as what it is. Not thread safe: one stream
 * on one loop.
 */
public abstract class TranslatedStream implements SseSink {
  public static final JsonBytes NO_TEXT = JsonBytes.string("");
  public static final JsonBytes NO_ARGUMENTS = JsonBytes.string("{}");

  public final CanonicalChunks chunks;

  /** The event at hand. */
  public final JsonMembers root = new JsonMembers();

  private final SseSink canonical;
  private boolean ended;

  public TranslatedStream(SseSink canonical) {
    this.canonical = canonical;
    this.chunks = new CanonicalChunks(canonical);
  }

  /** Takes an event of this name, whose members are in {@link #root}. */
  protected abstract void translate(String name, byte[] data, int from, int to);

  /** Whether these bytes, which are no JSON, say that the stream is complete. */
  protected boolean isDone(byte[] data, int from, int to) {
    return false;
  }

  @Override
  public final void event(String name, byte[] data, int from, int to) {
    if (ended) {
      canonical.event(name, data, from, to); // nothing should come any more
    } else if (name.equals("error")) {
      error(data, from, to);
    } else if (isDone(data, from, to)) {
      done();
    } else if (isReadable(data, from, to)) {
      translate(name, data, from, to);
    } else {
      chunks.unreadable();
    }
  }

  private boolean isReadable(byte[] data, int from, int to) {
    try {
      root.read(data, from, to);
      return true;
    } catch (InvalidJson e) {
      return false;
    }
  }

  /** The event is an error, and the last one. */
  public final void error(byte[] data, int from, int to) {
    ended = true;
    canonical.event("error", data, from, to);
  }

  /** The stream is complete. */
  public final void done() {
    ended = true;
    chunks.done();
  }

  @Override
  public final void comment() {
    canonical.comment();
  }

  @Override
  public final void oversized(int eventBytesMax) {
    canonical.oversized(eventBytesMax);
  }

  @Override
  public final void broken() {
    canonical.broken();
  }
}
