package dev.tollgate.core.dialect;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonDefect;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseSink;
import java.util.Set;

/**
 * Base class of translators that convert the events of one provider stream to canonical chat
 * completion chunks. An error passes as the provider wrote it, an unreadable event as an event that
 * is no chunk. Not thread safe: one stream on one loop.
 */
public abstract class TranslatedStream implements SseSink {
  public static final JsonBytes NO_TEXT = JsonBytes.string("");
  public static final JsonBytes NO_ARGUMENTS = JsonBytes.string("{}");

  public final CanonicalChunks chunks;

  /** Members of the current event. */
  public final JsonMembers root = new JsonMembers();

  private final SseSink canonical;
  private boolean ended;

  public TranslatedStream(SseSink canonical) {
    this.canonical = canonical;
    this.chunks = new CanonicalChunks(canonical);
  }

  /** Translates an event, whose members are in {@link #root}. */
  protected abstract void translate(String name, byte[] data, int from, int to);

  /** True if these bytes, which are not JSON, mark the end of the stream. */
  protected boolean isDone(byte[] data, int from, int to) {
    return false;
  }

  @Override
  public final void event(String name, byte[] data, int from, int to) {
    if (ended) {
      canonical.event(name, data, from, to); // no event should follow
    } else if (name.equals("error")) {
      error(data, from, to);
    } else if (isDone(data, from, to)) {
      done();
    } else {
      read(name, data, from, to);
    }
  }

  private void read(String name, byte[] data, int from, int to) {
    Set<JsonDefect> defects;
    try {
      defects = root.readRepaired(data, from, to);
    } catch (InvalidJson e) {
      chunks.unreadable();
      return;
    }
    if (root.hasRepeatedName()) {
      chunks.unreadable(); // only one of the two would be translated
    } else if (defects.isEmpty()) {
      translate(name, data, from, to);
    } else {
      canonical.repaired(defects);
      translate(name, root.bytes(), root.objectStart(), root.objectEnd());
    }
  }

  /** Passes an event on as an error, which ends the stream. */
  public final void error(byte[] data, int from, int to) {
    ended = true;
    canonical.event("error", data, from, to);
  }

  /** Ends the stream as complete. */
  public final void done() {
    ended = true;
    chunks.done();
  }

  @Override
  public final void comment() {
    canonical.comment();
  }

  @Override
  public final void repaired(Set<JsonDefect> defects) {
    canonical.repaired(defects);
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
