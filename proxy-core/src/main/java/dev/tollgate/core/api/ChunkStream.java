package dev.tollgate.core.api;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.Set;

/**
 * Base class of translators of a provider's stream of completion chunks, which reads the root
 * members: chunk, error or terminator, usage, and the count of broken events. Subclasses read the
 * {@code choices} member.
 */
public abstract class ChunkStream implements ReplyEventStream {
  private static final int BAD_EVENTS_IN_A_ROW_MAX = 3;

  /** The chunk that is being read. */
  public final JsonMembers root = new JsonMembers();

  public final StreamUsage usage;
  private int badInARow;
  private long badEvents;

  public ChunkStream(ReplyStamp stamp) {
    this.usage = new StreamUsage(stamp.contextLength());
  }

  @Override
  public final Step event(byte[] data, int from, int to, ByteBuf out) {
    int end = StreamEvents.trimmed(data, from, to);
    if (end == from) {
      return Step.ABSORBED;
    }
    if (writeRepeated(data, from, end, out)) {
      return Step.WROTE;
    }
    if (StreamEvents.isDone(data, from, end)) {
      return done(out);
    }
    try {
      root.read(data, from, to);
    } catch (InvalidJson e) {
      return bad();
    }
    return ErrorShape.matches(root, "choices") ? Step.ERROR : object(out);
  }

  private Step object(ByteBuf out) {
    boolean hasUsage = usage.takeRoot(root);
    int choices = root.indexOf("choices");
    if (choices < 0) {
      return root.indexOf("usage") >= 0 ? Step.ABSORBED : bad();
    }
    Step step = root.kind(choices) == JsonKind.ARRAY ? chunk(choices, hasUsage, out) : Step.DROPPED;
    if (step == Step.DROPPED) {
      return bad();
    }
    badInARow = 0;
    return step;
  }

  @Override
  public final Step errorEvent(byte[] data, int from, int to, ByteBuf out) {
    try {
      root.read(data, from, to);
    } catch (InvalidJson e) {
      return Step.ERROR;
    }
    return root.indexOf("choices") >= 0 ? event(data, from, to, out) : Step.ERROR;
  }

  private Step bad() {
    badEvents++;
    badInARow++;
    return badInARow >= BAD_EVENTS_IN_A_ROW_MAX ? Step.BROKEN : Step.DROPPED;
  }

  /**
   * Writes a chunk that differs from the previous one in its text only. Returns false if the chunk
   * is not of that form.
   */
  protected boolean writeRepeated(byte[] data, int from, int end, ByteBuf out) {
    return false;
  }

  /** Handles the terminator. */
  protected abstract Step done(ByteBuf out);

  /**
   * Reads the choices of a chunk. Returns {@link Step#DROPPED} if they do not have a chunk's shape.
   *
   * @param hasUsage true if the chunk's root reported usage
   */
  protected abstract Step chunk(int choices, boolean hasUsage, ByteBuf out);

  @Override
  public final Optional<Usage> reportedUsage() {
    return usage.reported();
  }

  @Override
  public final long badEvents() {
    return badEvents;
  }

  @Override
  public final Set<ProtocolAnomaly> anomalies() {
    return usage.anomalies();
  }
}
