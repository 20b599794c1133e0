package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.Unpooled;

/**
 * Accumulates the token usage that a stream reports in several events; the latest value of each
 * count wins.
 */
public final class UsageAccumulator implements ReportedUsage {
  private static final int BYTES_MAX = 16 * 1024;
  private static final byte[] NOTHING = {'{', '}'};

  private final UsageFormat format;
  private byte[] reported = NOTHING;

  public UsageAccumulator(UsageFormat format) {
    this.format = format;
  }

  public void clear() {
    reported = NOTHING;
  }

  /** Merges an object; an overlong one is ignored. */
  public void add(JsonItems parent, int i) {
    if (parent.valueEnd(i) - parent.valueStart(i) > BYTES_MAX) {
      return;
    }
    JsonMembers more = parent.object(i);
    JsonMembers before = JsonMembers.ofKept(reported);
    JsonSplice merged = JsonSplice.of(before);
    for (int k = 0; k < more.size(); k++) {
      if (more.kind(k) != JsonKind.NULL) {
        int known = before.indexOf(more.name(k));
        if (known >= 0) {
          merged.replace(known, JsonBytes.of(more, k));
        } else {
          merged.insertLast(more.name(k), JsonBytes.of(more, k));
        }
      }
    }
    byte[] bytes = new byte[merged.sizeBytes()];
    merged.writeTo(Unpooled.wrappedBuffer(bytes).clear());
    reported = bytes.length <= BYTES_MAX ? bytes : reported;
  }

  @Override
  public void writeTo(JsonWriter out) {
    CanonicalUsage.write(format, JsonMembers.ofKept(reported), out);
  }
}
