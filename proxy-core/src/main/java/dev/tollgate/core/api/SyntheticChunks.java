package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The identity of one stream, and chunks of our own making under it. */
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

  /** Chunks of a stream of which the client has nothing. */
  public static SyntheticChunks begun(ReplyStamp stamp, String object) {
    var ours = new RootEdits.Identity(stamp.fallbackId(), stamp.createdSeconds(), object);
    return new SyntheticChunks(stamp, ours, false);
  }

  /** Chunks of a stream whose beginning the client got under this identity. */
  public static SyntheticChunks continued(ReplyStamp stamp, RootEdits.Identity identity) {
    return new SyntheticChunks(stamp, identity, true);
  }

  /**
   * One stream has one id: the provider's first that is not empty, or ours once a chunk was written
   * with it. The time is the one that the provider told last, but of a stream that was begun by
   * another, which keeps its own.
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

  /** A chunk goes out: the id is what it is. */
  public RootEdits.Identity identityOfNext() {
    idFixed = true;
    return identity;
  }

  /** The identity of what was written last. */
  public RootEdits.Identity identity() {
    return identity;
  }

  /** Writes a chunk with these choices. */
  public void write(JsonBytes choices, ByteBuf out) {
    write(choices, null, out);
  }

  /** Writes the chunk that carries nothing but the usage. */
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
