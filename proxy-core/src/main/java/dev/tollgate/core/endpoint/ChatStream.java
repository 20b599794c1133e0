package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseOut;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One provider's chat stream made into the client's, event by event. It holds what a stream knows:
 * its id, whether content came, whether it finished, the last usage, what was delivered. Not thread
 * safe: one attempt on one loop.
 *
 * <p>Edits per chunk, by member of the root: model, provider, id, object and created are made ours;
 * usage leaves the chunk and waits for the final one; padding, x_llm_* and "error": null go;
 * unknown members stay byte for byte. Inside choices[0] only what SDK helpers trip over is
 * repaired.
 *
 * <p>Before the first content nothing is written: role-only and empty deltas are held, because a
 * provider that dies there may still be replaced by another (DECISIONS 2, streamfaults U34).
 */
public final class ChatStream {
  private static final int BAD_EVENTS_IN_A_ROW_MAX = 3;
  private static final int HELD_BYTES_MAX = 64 * 1024;
  private static final String OBJECT = "chat.completion.chunk";
  private static final JsonBytes ROLE_DELTA =
      JsonBytes.raw(
          "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},"
              + "\"finish_reason\":null}]");
  private static final JsonBytes STOP_CHOICE =
      JsonBytes.raw("[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]");
  private static final JsonBytes NO_CHOICES = JsonBytes.raw("[]");

  private final ChatStamp stamp;
  private final JsonMembers root = new JsonMembers();
  private final ChoiceReader choice = new ChoiceReader();
  private @Nullable ByteBuf held;
  private String id = "";
  private long createdSeconds;
  private boolean roleSent;
  private boolean contentSeen;
  private boolean finished;
  private int badInARow;
  private long badEvents;
  private long contentEvents;
  private long contentBytes;
  private byte @Nullable [] usageText;
  private @Nullable Usage usage;

  ChatStream(ChatStamp stamp) {
    this.stamp = stamp;
    this.createdSeconds = stamp.createdSeconds();
  }

  /** What an event was. */
  public enum Step {
    /** Not a chunk: dropped and counted; the stream goes on. */
    DROPPED,
    /** Nothing for the client, or held until content comes. */
    ABSORBED,
    /** Written. */
    WROTE,
    /** The terminator. */
    DONE,
    /** An error object; the event's bytes say which. */
    ERROR,
    /** The provider's finish reason says that it failed. */
    FAILED,
    /** Too many broken events in a row. */
    BROKEN
  }

  /** Takes one event's data and writes what the client gets of it to {@code out}. */
  public Step event(byte[] data, int from, int to, ByteBuf out) {
    if (isDone(data, from, to)) {
      return Step.DONE;
    }
    try {
      root.read(data, from, to);
    } catch (InvalidJson e) {
      return bad();
    }
    int error = root.indexOf("error");
    if (error >= 0 && root.kind(error) != JsonKind.NULL) {
      return Step.ERROR;
    }
    takeUsage();
    return chunk(out);
  }

  private static boolean isDone(byte[] data, int from, int to) {
    int end = to;
    while (end > from && data[end - 1] == ' ') {
      end--;
    }
    return end - from == 6
        && data[from] == '['
        && data[from + 1] == 'D'
        && data[from + 2] == 'O'
        && data[from + 3] == 'N'
        && data[from + 4] == 'E'
        && data[from + 5] == ']';
  }

  private Step bad() {
    badEvents++;
    badInARow++;
    return badInARow >= BAD_EVENTS_IN_A_ROW_MAX ? Step.BROKEN : Step.DROPPED;
  }

  private void takeUsage() {
    int i = root.indexOf("usage");
    if (i >= 0 && root.kind(i) == JsonKind.OBJECT) {
      takeUsage(root.object(i));
      return;
    }
    int groq = root.indexOf("x_groq");
    if (groq >= 0 && root.kind(groq) == JsonKind.OBJECT) {
      JsonMembers inside = root.object(groq);
      int k = inside.indexOf("usage");
      if (k >= 0 && inside.kind(k) == JsonKind.OBJECT) {
        takeUsage(inside.object(k));
      }
    }
  }

  private void takeUsage(JsonMembers object) {
    if (object.size() == 0) {
      return;
    }
    Optional<Usage> read = UsageReader.read(object, stamp.contextLength());
    usage = read.orElse(null);
    usageText =
        read.isEmpty()
            ? null
            : Arrays.copyOfRange(object.bytes(), object.objectStart(), object.objectEnd());
  }

  private Step chunk(ByteBuf out) {
    int choices = root.indexOf("choices");
    if (choices < 0) {
      return root.indexOf("usage") >= 0 ? Step.ABSORBED : bad();
    }
    if (root.kind(choices) != JsonKind.ARRAY) {
      return bad();
    }
    JsonElements elements = root.array(choices);
    if (elements.size() == 0) {
      badInARow = 0;
      return Step.ABSORBED;
    }
    return switch (choice.read(elements)) {
      case BAD -> bad();
      case OTHER_INDEX -> Step.ABSORBED;
      case FAILED -> Step.FAILED;
      case FINE -> write(choices, out);
    };
  }

  private Step write(int choices, ByteBuf out) {
    badInARow = 0;
    takeIdentity();
    boolean empty = choice.isEmptyDelta();
    if (finished && empty && root.indexOf("usage") >= 0) {
      return Step.ABSORBED;
    }
    if (!empty) {
      contentEvents++;
      contentBytes += choice.contentBytes();
    }
    if (!contentSeen && empty && !choice.finishes()) {
      hold(choices, out);
      return Step.ABSORBED;
    }
    contentSeen = true;
    finished |= choice.finishes();
    releaseHeld(out);
    if (!roleSent) {
      writeRole(out);
    }
    writeChunk(choices, choice.edits(false), out);
    return Step.WROTE;
  }

  /** One stream has one id, its first non-empty one. */
  private void takeIdentity() {
    int i = root.indexOf("id");
    if (id.isEmpty() && i >= 0 && root.kind(i) == JsonKind.STRING) {
      id = root.string(i);
    }
    int created = root.indexOf("created");
    if (created >= 0 && root.integer(created, 0) > 0) {
      createdSeconds = root.integer(created, 0);
    }
  }

  private void hold(int choices, ByteBuf out) {
    ByteBuf waiting = held == null ? out.alloc().buffer(256) : held;
    held = waiting;
    if (waiting.readableBytes() > HELD_BYTES_MAX) {
      return;
    }
    if (roleSent) {
      writeChunk(choices, choice.edits(false), waiting);
    } else if (choice.hasAssistantRole()) {
      roleSent = true;
      writeChunk(choices, choice.edits(true), waiting);
    }
  }

  private void releaseHeld(ByteBuf out) {
    if (held != null) {
      out.writeBytes(held);
      held.release();
      held = null;
    }
  }

  private void writeRole(ByteBuf out) {
    roleSent = true;
    writeOwn(ROLE_DELTA, null, out);
  }

  private void writeChunk(int choices, @Nullable JsonSplice choiceEdits, ByteBuf out) {
    SseOut.data(out, new RootEdits(root, stamp, identity()).chunk(choices, choiceEdits));
  }

  /** A chunk of our own making. */
  private void writeOwn(JsonBytes choices, @Nullable JsonBytes usageObject, ByteBuf out) {
    RootEdits.Identity identity = identity();
    Map<String, Object> chunk = new LinkedHashMap<>();
    chunk.put("id", identity.id());
    chunk.put("object", identity.object());
    chunk.put("created", identity.createdSeconds());
    chunk.put("model", stamp.model());
    chunk.put("provider", stamp.provider());
    chunk.put("choices", choices);
    if (usageObject != null) {
      chunk.put("usage", usageObject);
    }
    SseOut.data(out, JsonBytes.value(chunk));
  }

  private RootEdits.Identity identity() {
    return new RootEdits.Identity(id.isEmpty() ? stamp.fallbackId() : id, createdSeconds, OBJECT);
  }

  /** Writes the finish that a provider left out although it said {@code [DONE]}. */
  public void writeMissingFinish(ByteBuf out) {
    releaseHeld(out);
    if (!roleSent) {
      writeRole(out);
    }
    finished = true;
    writeOwn(STOP_CHOICE, null, out);
  }

  /** Writes the one final chunk that carries the usage. */
  public void writeUsage(Usage charged, MicroUsd cost, ByteBuf out) {
    writeOwn(NO_CHOICES, UsageWriter.json(charged, cost, usageText), out);
  }

  /** The last usage that the provider reported, if it was sound. */
  public Optional<Usage> reportedUsage() {
    return Optional.ofNullable(usage);
  }

  /** Our own count of the output so far. */
  public long deliveredTokens() {
    return TokenEstimate.delivered(contentEvents, contentBytes);
  }

  /** Whether content was written, after which no other provider may answer. */
  public boolean contentSeen() {
    return contentSeen;
  }

  /** Whether a finish reason came: the stream is complete whatever follows. */
  public boolean finished() {
    return finished;
  }

  /** Events that were dropped because they were no chunks. */
  public long badEvents() {
    return badEvents;
  }

  /** Lets go of what was held back. */
  public void release() {
    if (held != null) {
      held.release();
      held = null;
    }
  }
}
