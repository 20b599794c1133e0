package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonDefect;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.sse.SseSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stream sink that restores the client's form of calls in canonical chunks. Other events pass
 * unchanged. Not thread safe: one stream on one loop.
 */
final class CallRestoringStream implements SseSink {
  private static final int BYTES_USUAL = 512;

  private final CallRestoration calls;
  private final SseSink canonical;
  private final JsonMembers root = new JsonMembers();

  CallRestoringStream(CallRestoration calls, SseSink canonical) {
    this.calls = calls;
    this.canonical = canonical;
  }

  @Override
  public void event(String name, byte[] data, int from, int to) {
    JsonSplice edits = to > from && data[from] == '{' ? edits(data, from, to) : null;
    if (edits == null) {
      canonical.event(name, data, from, to);
    } else {
      ByteBuf restored = Unpooled.buffer(BYTES_USUAL);
      edits.writeTo(restored);
      canonical.event(name, restored.array(), restored.arrayOffset(), restored.writerIndex());
    }
  }

  private @Nullable JsonSplice edits(byte[] data, int from, int to) {
    try {
      Set<JsonDefect> defects = root.readRepaired(data, from, to);
      JsonSplice edits = calls.edits(root, "delta");
      if (edits != null && !defects.isEmpty()) {
        canonical.repaired(defects);
      }
      return edits;
    } catch (InvalidJson e) {
      return null; // its reader reports it
    }
  }

  @Override
  public void comment() {
    canonical.comment();
  }

  @Override
  public void repaired(Set<JsonDefect> defects) {
    canonical.repaired(defects);
  }

  @Override
  public void oversized(int eventBytesMax) {
    canonical.oversized(eventBytesMax);
  }

  @Override
  public void broken() {
    canonical.broken();
  }
}
