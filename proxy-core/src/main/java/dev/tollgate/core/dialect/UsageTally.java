package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.Unpooled;

/**
 * What a stream says of its usage in several events: some say less than those before, and what was
 * said last of each count holds.
 */
final class UsageTally implements ToldUsage {
  private static final int BYTES_MAX = 16 * 1024;
  private static final byte[] NOTHING = {'{', '}'};

  private final UsageTerms terms;
  private byte[] told = NOTHING;

  UsageTally(UsageTerms terms) {
    this.terms = terms;
  }

  void clear() {
    told = NOTHING;
  }

  /** Takes an object; one that is absurdly long says nothing. */
  void add(JsonItems parent, int i) {
    if (parent.valueEnd(i) - parent.valueStart(i) > BYTES_MAX) {
      return;
    }
    JsonMembers more = parent.object(i);
    JsonMembers before = JsonMembers.ofKept(told);
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
    told = bytes.length <= BYTES_MAX ? bytes : told;
  }

  @Override
  public void writeTo(JsonOut out) {
    JsonMembers members = JsonMembers.ofKept(told);
    terms
        .read(members, 0)
        .ifPresent(usage -> CanonicalUsage.write(usage, members, out.name("usage")));
  }
}
