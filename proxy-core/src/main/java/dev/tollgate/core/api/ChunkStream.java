package dev.tollgate.core.api;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonDefect;
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
  /** The chunk that is being read. */
  public final JsonMembers root = new JsonMembers();

  public final StreamUsage usage;
  private Set<ProtocolAnomaly> repaired = Set.of();
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
      noteRepaired(root.readRepaired(data, from, to));
    } catch (InvalidJson e) {
      return unreadable();
    }
    return ErrorShape.matches(root, "choices") ? Step.ERROR : object(out);
  }

  private Step object(ByteBuf out) {
    boolean hasUsage = usage.takeRoot(root);
    int choices = root.indexOf("choices");
    if (choices < 0) {
      return root.indexOf("usage") >= 0 ? Step.ABSORBED : dropped();
    }
    boolean readable =
        root.kind(choices) == JsonKind.ARRAY && root.indexOf("choices", choices + 1) < 0;
    Step step = readable ? chunk(choices, hasUsage, out) : Step.BROKEN;
    return step == Step.BROKEN ? unreadable() : step;
  }

  @Override
  public final Step errorEvent(byte[] data, int from, int to, ByteBuf out) {
    try {
      root.readRepaired(data, from, to);
    } catch (InvalidJson e) {
      return Step.ERROR;
    }
    return root.indexOf("choices") >= 0 ? event(data, from, to, out) : Step.ERROR;
  }

  /**
   * Counts an event that is not a chunk. It may have had content, unless the answer is finished
   * (docs/decisions/streaming.md#malformed-events).
   */
  private Step unreadable() {
    Step step = dropped();
    return finished() ? step : Step.BROKEN;
  }

  private Step dropped() {
    badEvents++;
    return Step.DROPPED;
  }

  /** Counts choices that were not requested. */
  protected final void droppedChoices(int count) {
    badEvents += count;
  }

  private void noteRepaired(Set<JsonDefect> defects) {
    if (!defects.isEmpty()) {
      repaired = ProtocolAnomaly.with(repaired, defects);
    }
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
   * Reads the choices of a chunk. Returns {@link Step#BROKEN} if they do not have a chunk's shape.
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
    return ProtocolAnomaly.union(repaired, usage.anomalies());
  }
}
