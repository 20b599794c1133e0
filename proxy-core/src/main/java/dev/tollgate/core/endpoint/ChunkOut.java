package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one stream's chunks under one identity: the provider's with their edits, and those of our
 * own making. The first one that goes out has the role and empty content, whoever made it; what
 * comes before content is held (DECISIONS 2).
 */
final class ChunkOut {
  private static final int HELD_BYTES_MAX = 64 * 1024;
  private static final String OBJECT = "chat.completion.chunk";
  private static final JsonBytes ROLE_DELTA =
      JsonBytes.raw(
          "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
              + "\"finish_reason\":null}]");
  private static final JsonBytes STOP_CHOICE =
      JsonBytes.raw("[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]");
  private static final JsonBytes NO_CHOICES = JsonBytes.raw("[]");

  private final ReplyStamp stamp;
  private final JsonMembers root;
  private final ChoiceReader choice;
  private final RootEdits edits;
  private RootEdits.Identity identity;
  private boolean idKnown;
  private boolean roleSent;
  private final boolean continues;
  private @Nullable ByteBuf held;

  /**
   * Writes chunks as {@code root} and {@code choice} hold them at the time of a call.
   *
   * @param continued the identity under which the client got the stream's beginning; null: it has
   *     none yet
   */
  ChunkOut(
      ReplyStamp stamp,
      JsonMembers root,
      ChoiceReader choice,
      RootEdits.@Nullable Identity continued) {
    this.stamp = stamp;
    this.root = root;
    this.choice = choice;
    this.edits = new RootEdits(root, stamp);
    this.identity =
        continued == null
            ? new RootEdits.Identity(stamp.fallbackId(), stamp.createdSeconds(), OBJECT)
            : continued;
    this.continues = continued != null;
    this.roleSent = continues;
  }

  /**
   * One stream has one id: the provider's first that is not empty, or ours once a chunk was written
   * with it. The time is the one that the provider told last, but of a stream that was begun by
   * another, which keeps its own.
   */
  void takeIdentity() {
    int i = idKnown || roleSent ? -1 : root.indexOf("id");
    if (i >= 0 && root.kind(i) == JsonKind.STRING && !root.isEmptyString(i)) {
      idKnown = true;
      identity = new RootEdits.Identity(root.string(i), identity.createdSeconds(), OBJECT);
    }
    int at = continues ? -1 : root.indexOf("created");
    long created = at < 0 ? 0 : root.integer(at, 0);
    if (created > 0 && created != identity.createdSeconds()) {
      identity = new RootEdits.Identity(identity.id(), created, OBJECT);
    }
  }

  /** The identity of what was written last. */
  RootEdits.Identity identity() {
    return identity;
  }

  /** Keeps a chunk without content until content comes; too much of that is dropped. */
  void hold(int choices, ByteBuf out) {
    ByteBuf waiting = held == null ? out.alloc().buffer(256) : held;
    held = waiting;
    if (waiting.readableBytes() + root.objectEnd() - root.objectStart() <= HELD_BYTES_MAX) {
      relay(choices, waiting);
    }
  }

  /** Writes the provider's chunk, and before it what was held. */
  void write(int choices, ByteBuf out) {
    releaseHeld(out);
    relay(choices, out);
  }

  private void relay(int choices, ByteBuf out) {
    boolean asRole = !roleSent && choice.isEmptyDelta() && choice.hasAssistantRole();
    if (!roleSent && !asRole) {
      own(ROLE_DELTA, null, out);
    }
    roleSent = true;
    SseOut.data(out, edits.chunk(identity, choices, choice.edits(asRole)));
  }

  /** Writes a chunk of our own with this text. */
  void writeContent(String text, ByteBuf out) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("index", 0);
    content.put("delta", Map.of("content", text));
    content.put("finish_reason", JsonBytes.NULL);
    own(JsonBytes.value(List.of(content)), null, out);
  }

  /** Writes the finish that a provider left out. */
  void writeFinish(ByteBuf out) {
    releaseHeld(out);
    if (!roleSent) {
      own(ROLE_DELTA, null, out);
    }
    own(STOP_CHOICE, null, out);
  }

  /** Writes the chunk that carries nothing but the usage. */
  void writeUsage(JsonBytes usage, ByteBuf out) {
    own(NO_CHOICES, usage, out);
  }

  private void own(JsonBytes choices, @Nullable JsonBytes usage, ByteBuf out) {
    roleSent = true;
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
    SseOut.data(out, JsonBytes.value(chunk));
  }

  private void releaseHeld(ByteBuf out) {
    if (held != null) {
      out.writeBytes(held);
      release();
    }
  }

  /** Lets go of what was held. */
  void release() {
    if (held != null) {
      held.release();
      held = null;
    }
  }
}
