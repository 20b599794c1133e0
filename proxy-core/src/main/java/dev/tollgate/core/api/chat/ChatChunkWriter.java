package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ResumePoint;
import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.api.SyntheticChunks;
import dev.tollgate.core.api.UsageWriter;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a client's chat stream in the chat completions form: the provider's chunks with edits,
 * and chunks of the gateway, all under one identity. The first chunk written has the role and empty
 * content; chunks before content are held back (docs/decisions/streaming.md#chunks).
 */
final class ChatChunkWriter implements ChunkWriter {
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
  private final SyntheticChunks synthetic;
  private boolean roleSent;
  private @Nullable ByteBuf held;

  ChatChunkWriter(
      ReplyStamp stamp, JsonMembers root, ChoiceReader choice, @Nullable ResumePoint resumePoint) {
    RootEdits.Identity continued =
        resumePoint instanceof RootEdits.Identity identity ? identity : null;
    this.root = root;
    this.choice = choice;
    this.edits = new RootEdits(root, stamp);
    this.synthetic =
        continued == null
            ? SyntheticChunks.begun(stamp, OBJECT)
            : SyntheticChunks.continued(stamp, continued);
    this.roleSent = continued != null;
  }

  @Override
  public void takeIdentity() {
    synthetic.take(root);
  }

  @Override
  public ResumePoint resumePoint() {
    return synthetic.identity();
  }

  /** Holds a chunk; chunks beyond a bound are dropped. */
  @Override
  public void hold(int choices, ByteBuf out) {
    ByteBuf waiting = held == null ? out.alloc().buffer(256) : held;
    held = waiting;
    if (waiting.readableBytes() + root.objectEnd() - root.objectStart() <= HELD_BYTES_MAX) {
      relay(choices, waiting);
    }
  }

  @Override
  public void write(int choices, ByteBuf out) {
    releaseHeld(out);
    relay(choices, out);
  }

  @Override
  public boolean isRepeatable() {
    return true;
  }

  private void relay(int choices, ByteBuf out) {
    boolean asRole = !roleSent && choice.isEmptyDelta() && choice.hasAssistantRole();
    if (!roleSent && !asRole) {
      synthetic.write(ROLE_DELTA, out);
    }
    roleSent = true;
    SseWriter.data(out, edits.chunk(synthetic.identityOfNext(), choices, choice.edits(asRole)));
  }

  @Override
  public void writeContent(String text, ByteBuf out) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("index", 0);
    content.put("delta", Map.of("content", text));
    content.put("finish_reason", JsonBytes.NULL);
    synthetic.write(JsonBytes.value(List.of(content)), out);
  }

  @Override
  public void writeFinish(ByteBuf out) {
    releaseHeld(out);
    if (!roleSent) {
      synthetic.write(ROLE_DELTA, out);
    }
    JsonMembers delta = choice.lastDelta();
    synthetic.write(delta == null ? STOP_CHOICE : stopChoice(delta), out);
  }

  private static JsonBytes stopChoice(JsonMembers delta) {
    JsonBytes last = JsonBytes.raw(delta.bytes(), delta.objectStart(), delta.objectEnd());
    return JsonBytes.raw("[{\"index\":0,\"delta\":" + last + ",\"finish_reason\":\"stop\"}]");
  }

  @Override
  public void writeUsage(Usage charged, MicroUsd cost, byte @Nullable [] reported, ByteBuf out) {
    synthetic.writeUsage(UsageWriter.json(charged, cost, reported), out);
  }

  private void releaseHeld(ByteBuf out) {
    if (held != null) {
      out.writeBytes(held);
      release();
    }
  }

  @Override
  public void release() {
    if (held != null) {
      held.release();
      held = null;
    }
  }
}
