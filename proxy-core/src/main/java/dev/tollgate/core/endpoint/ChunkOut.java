package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonBytes;
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

  private final JsonMembers root;
  private final ChoiceReader choice;
  private final RootEdits edits;
  private final OwnChunks own;
  private boolean roleSent;
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
    this.root = root;
    this.choice = choice;
    this.edits = new RootEdits(root, stamp);
    this.own =
        continued == null ? OwnChunks.begun(stamp, OBJECT) : OwnChunks.continued(stamp, continued);
    this.roleSent = continued != null;
  }

  /** Takes what the provider's chunk says of the stream's identity. */
  void takeIdentity() {
    own.take(root);
  }

  /** The identity of what was written last. */
  RootEdits.Identity identity() {
    return own.identity();
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
      own.write(ROLE_DELTA, out);
    }
    roleSent = true;
    SseOut.data(out, edits.chunk(own.identityOfNext(), choices, choice.edits(asRole)));
  }

  /** Writes a chunk of our own with this text. */
  void writeContent(String text, ByteBuf out) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("index", 0);
    content.put("delta", Map.of("content", text));
    content.put("finish_reason", JsonBytes.NULL);
    own.write(JsonBytes.value(List.of(content)), out);
  }

  /** Writes the finish that a provider left out. */
  void writeFinish(ByteBuf out) {
    releaseHeld(out);
    if (!roleSent) {
      own.write(ROLE_DELTA, out);
    }
    own.write(STOP_CHOICE, out);
  }

  /** Writes the chunk that carries nothing but the usage. */
  void writeUsage(JsonBytes usage, ByteBuf out) {
    own.writeUsage(usage, out);
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
