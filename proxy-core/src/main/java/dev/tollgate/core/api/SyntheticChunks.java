package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the chunks that the gateway itself adds to a client's stream, under that stream's
 * identity.
 */
public final class SyntheticChunks {
  private static final JsonBytes NO_CHOICES = JsonBytes.raw("[]");

  private final ReplyStamp stamp;
  private final boolean continues;
  private RootEdits.Identity identity;
  private boolean idFixed;

  private SyntheticChunks(ReplyStamp stamp, RootEdits.Identity identity, boolean continues) {
    this.stamp = stamp;
    this.identity = identity;
    this.continues = continues;
    this.idFixed = continues;
  }

  /** Returns the chunks of a new stream. */
  public static SyntheticChunks begun(ReplyStamp stamp, String object) {
    var ours = new RootEdits.Identity(stamp.fallbackId(), stamp.createdSeconds(), object);
    return new SyntheticChunks(stamp, ours, false);
  }

  /** Returns the chunks of a stream whose beginning the client got under this identity. */
  public static SyntheticChunks continued(ReplyStamp stamp, RootEdits.Identity identity) {
    return new SyntheticChunks(stamp, identity, true);
  }

  /**
   * Reads the identity from a chunk's root. A stream has one id: the provider's first that is not
   * empty, or the gateway's once a chunk was written with it. The time is the last one that the
   * provider sent; a continued stream keeps its own.
   */
  public void take(JsonMembers root) {
    int i = idFixed ? -1 : root.indexOf("id");
    if (i >= 0 && root.kind(i) == JsonKind.STRING && !root.isEmptyString(i)) {
      idFixed = true;
      identity =
          new RootEdits.Identity(root.string(i), identity.createdSeconds(), identity.object());
    }
    int at = continues ? -1 : root.indexOf("created");
    long created = at < 0 ? 0 : root.integer(at, 0);
    if (created > 0 && created != identity.createdSeconds()) {
      identity = new RootEdits.Identity(identity.id(), created, identity.object());
    }
  }

  /** Returns the identity of the next chunk, which fixes the id. */
  public RootEdits.Identity identityOfNext() {
    idFixed = true;
    return identity;
  }

  /** Returns the identity of the last chunk written. */
  public RootEdits.Identity identity() {
    return identity;
  }

  /** Writes a chunk with these choices. */
  public void write(JsonBytes choices, ByteBuf out) {
    write(choices, null, out);
  }

  /** Writes a chunk with the usage only. */
  public void writeUsage(JsonBytes usage, ByteBuf out) {
    write(NO_CHOICES, usage, out);
  }

  private void write(JsonBytes choices, @Nullable JsonBytes usage, ByteBuf out) {
    idFixed = true;
    Map<String, Object> chunk = new LinkedHashMap<>();
    chunk.put("id", identity.id());
    chunk.put("object", identity.object());
    chunk.put("created", identity.createdSeconds());
    chunk.put("model", stamp.model());
    chunk.put("provider", stamp.provider());
    chunk.put("choices", choices);
    if (usage != null) {
      chunk.put("usage", usage);
    }
    SseWriter.data(out, JsonBytes.value(chunk));
  }
}
