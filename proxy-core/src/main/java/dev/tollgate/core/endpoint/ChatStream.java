package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One provider's chat stream made into the client's.
 *
 * <p>Edits per chunk, by member of the root: model, provider, id, object and created are made ours;
 * usage leaves the chunk and waits for the final one; padding, x_llm_* and "error": null go;
 * unknown members stay byte for byte. Inside choices[0] only what SDK helpers trip over is
 * repaired.
 *
 * <p>Before the first content nothing is written: role-only and empty deltas are held, because a
 * provider that dies there may still be replaced by another (DECISIONS 2, streamfaults U34).
 */
public final class ChatStream implements ReplyStream {
  private static final int BAD_EVENTS_IN_A_ROW_MAX = 3;

  private final JsonMembers root = new JsonMembers();
  private final ChoiceReader choice;
  private final ChunkOut chunks;
  private final @Nullable Continuity continuity;
  private final StreamUsage usage;
  private boolean contentSeen;
  private boolean written;
  private Finish finish = Finish.NONE;
  private boolean finishRefuted;
  private boolean saidBehind;
  private int badInARow;
  private long badEvents;
  private long contentEvents;
  private long contentBytes;
  private boolean usageInChunk;

  ChatStream(ReplyStamp stamp) {
    this(stamp, new Opening.Plain());
  }

  ChatStream(ReplyStamp stamp, Opening opening) {
    this.usage = new StreamUsage(stamp.contextLength());
    this.choice = new ChoiceReader(stamp);
    this.continuity = Continuity.of(opening);
    RootEdits.Identity continued = continuity == null ? null : continuity.identity();
    this.chunks = new ChunkOut(stamp, root, choice, continued);
  }

  @Override
  public Step event(byte[] data, int from, int to, ByteBuf out) {
    int end = StreamEvents.trimmed(data, from, to);
    if (end == from) {
      return Step.ABSORBED;
    }
    if (StreamEvents.isDone(data, from, end)) {
      return isBehind() ? Step.DIVERGED : done(out);
    }
    try {
      root.read(data, from, to);
    } catch (InvalidJson e) {
      return bad();
    }
    if (ErrorShape.matches(root, "choices")) {
      return Step.ERROR;
    }
    usageInChunk = usage.takeRoot(root);
    int choices = root.indexOf("choices");
    if (choices < 0) {
      return root.indexOf("usage") >= 0 ? Step.ABSORBED : bad();
    }
    return root.kind(choices) == JsonKind.ARRAY ? chunk(choices, out) : bad();
  }

  private Step done(ByteBuf out) {
    if (continuity != null) {
      writeReleased(continuity.releasedAtLast(), out);
    }
    return Step.DONE;
  }

  /** Writes text that was held back. */
  private void writeReleased(String text, ByteBuf out) {
    if (!text.isEmpty()) {
      written = true;
      chunks.writeContent(text, out);
    }
  }

  @Override
  public Step errorEvent(byte[] data, int from, int to, ByteBuf out) {
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

  private Step chunk(int choices, ByteBuf out) {
    return switch (choice.read(root, choices)) {
      case BAD -> bad();
      case NONE, OTHER_INDEX -> {
        badInARow = 0;
        yield Step.ABSORBED;
      }
      case FAILED -> Step.FAILED;
      case FINE -> relay(choices, out);
    };
  }

  private Step relay(int choices, ByteBuf out) {
    badInARow = 0;
    JsonMembers inChoice = choice.usage();
    if (inChoice != null) {
      usageInChunk |= usage.take(inChoice);
    }
    boolean empty = choice.isEmptyDelta();
    if (finish != Finish.NONE && empty && usageInChunk) {
      return Step.ABSORBED;
    }
    chunks.takeIdentity();
    if (!empty) {
      contentEvents++;
      contentBytes += choice.contentBytes();
    }
    if (!written && empty && !choice.finishes()) {
      if (continuity == null || !continuity.continues()) {
        chunks.hold(choices, out);
      }
      return Step.ABSORBED;
    }
    contentSeen = true;
    Continuity.Verdict verdict =
        continuity == null ? Continuity.Verdict.NEW : continuity.read(choice);
    return switch (verdict) {
      case NEW -> write(choices, out);
      case REPEATED -> {
        saidBehind = choice.finishes();
        yield Step.ABSORBED;
      }
      case DIFFERENT -> Step.DIVERGED;
    };
  }

  private Step write(int choices, ByteBuf out) {
    written = true;
    finish = finishNow();
    if (finish != Finish.NONE) {
      usage.finished();
    }
    if (continuity != null) {
      writeReleased(continuity.released(), out);
    }
    chunks.write(choices, out);
    if (continuity != null) {
      continuity.sent(chunks.identity());
    }
    return Step.WROTE;
  }

  /** Whether the provider said that it finished. */
  private enum Finish {
    NONE,
    /** It says so beside content, and went on when it said so before. */
    DOUBTED,
    SAID
  }

  private Finish finishNow() {
    boolean empty = choice.isEmptyDelta();
    finishRefuted |= !empty && finish != Finish.NONE;
    if (choice.finishes()) {
      return finishRefuted && !empty ? Finish.DOUBTED : Finish.SAID;
    }
    return empty ? finish : Finish.NONE;
  }

  @Override
  public boolean endedBehind() {
    return saidBehind && isBehind();
  }

  private boolean isBehind() {
    return continuity != null && continuity.isBehind();
  }

  @Override
  public void writeMissingFinish(ByteBuf out) {
    if (finish == Finish.NONE) {
      chunks.writeFinish(out);
    }
    finish = Finish.SAID;
  }

  @Override
  public void writeUsage(Usage charged, MicroUsd cost, ByteBuf out) {
    chunks.writeUsage(UsageWriter.json(charged, cost, usage.text(charged)), out);
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return usage.reported();
  }

  @Override
  public long deliveredTokens() {
    return TokenEstimate.delivered(contentEvents, contentBytes);
  }

  @Override
  public boolean contentSeen() {
    return contentSeen;
  }

  @Override
  public boolean isWritten() {
    return written;
  }

  @Override
  public boolean finished() {
    return finish == Finish.SAID;
  }

  @Override
  public long badEvents() {
    return badEvents;
  }

  @Override
  public Set<Oddity> oddities() {
    return usage.oddities();
  }

  @Override
  public void release() {
    chunks.release();
  }
}
