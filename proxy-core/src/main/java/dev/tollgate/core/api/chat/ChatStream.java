package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.BrokenStream;
import dev.tollgate.core.api.ChunkStream;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.StreamContinuation;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Translator of one provider's chat completion stream into the client's.
 *
 * <p>Edits of a chunk, by root member: model, provider, id, object and created are set by the
 * gateway; usage moves to the final chunk; padding, x_llm_* and "error": null are removed; unknown
 * members stay byte for byte. In choices[0] only members that break SDK helpers are repaired.
 *
 * <p>Nothing is written before the first content: role-only and empty deltas are held back, because
 * a provider that fails before that can still be replaced by another
 * (docs/decisions/streaming.md#commit).
 */
public final class ChatStream extends ChunkStream {
  private final ChoiceReader choice;
  private final ChunkWriter chunks;
  private final @Nullable ReplayDeduplicator deduplicator;
  private final @Nullable ChunkPattern pattern;
  private boolean contentSeen;
  private boolean written;
  private Finish finish = Finish.NONE;
  private boolean finishRefuted;
  private boolean finishedBehind;
  private long contentEvents;
  private long contentBytes;

  public ChatStream(ReplyStamp stamp) {
    this(stamp, new StreamContinuation.None());
  }

  ChatStream(ReplyStamp stamp, StreamContinuation continuation) {
    this(stamp, continuation, ChunkWriter.Factory.CHAT);
  }

  /**
   * @param form creates the writer of the client's form
   */
  public ChatStream(ReplyStamp stamp, StreamContinuation continuation, ChunkWriter.Factory form) {
    super(stamp);
    this.choice = new ChoiceReader(stamp);
    this.deduplicator = ReplayDeduplicator.of(continuation);
    this.chunks =
        form.open(stamp, root, choice, deduplicator == null ? null : deduplicator.resumePoint());
    this.pattern = deduplicator == null && chunks.isRepeatable() ? new ChunkPattern() : null;
  }

  @Override
  protected boolean writeRepeated(byte[] data, int from, int end, ByteBuf out) {
    if (pattern == null) {
      return false;
    }
    if (!pattern.write(data, from, end, out)) {
      pattern.forget();
      return false;
    }
    contentEvents++;
    contentBytes += pattern.textBytes();
    return true;
  }

  @Override
  protected Step done(ByteBuf out) {
    if (isBehind()) {
      return Step.DIVERGED;
    }
    if (finish == Finish.NONE && choice.hasIncompleteCalls()) {
      return Step.BROKEN;
    }
    if (deduplicator != null) {
      writeReleased(deduplicator.flushHeld(), out);
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
  protected Step chunk(int choices, boolean hasUsage, ByteBuf out) {
    ChoiceReader.Verdict verdict = choice.read(root, choices);
    droppedChoices(choice.others());
    return switch (verdict) {
      case BAD -> Step.BROKEN;
      case NONE, OTHER_INDEX -> Step.ABSORBED;
      case FAILED -> Step.FAILED;
      case FINE -> relay(choices, hasUsage, out);
    };
  }

  private Step relay(int choices, boolean hasUsage, ByteBuf out) {
    JsonMembers inChoice = choice.usage();
    boolean usageInChunk = (inChoice != null && usage.take(inChoice)) || hasUsage;
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
      if (deduplicator == null || !deduplicator.continues()) {
        chunks.hold(choices, out);
      }
      return Step.ABSORBED;
    }
    contentSeen = true;
    ReplayDeduplicator.Verdict verdict =
        deduplicator == null ? ReplayDeduplicator.Verdict.NEW : deduplicator.read(choice);
    return switch (verdict) {
      case NEW -> write(choices, out);
      case REPEATED -> {
        finishedBehind = choice.finishes();
        yield Step.ABSORBED;
      }
      case DIFFERENT -> Step.DIVERGED;
    };
  }

  private Step write(int choices, ByteBuf out) {
    boolean isFirst = !written;
    written = true;
    finish = finishNow();
    if (finish != Finish.NONE) {
      usage.finished();
    }
    if (deduplicator != null) {
      writeReleased(deduplicator.released(), out);
    }
    int event = out.writerIndex();
    chunks.write(choices, out);
    if (!isFirst && finish == Finish.NONE) {
      learn(choices, out, event);
    }
    if (deduplicator != null) {
      deduplicator.sent(chunks.resumePoint());
    }
    return Step.WROTE;
  }

  private void learn(int choices, ByteBuf out, int event) {
    JsonMembers delta = choice.delta();
    int text = choice.onlyText();
    if (pattern != null && delta != null && text >= 0 && choice.others() == 0) {
      pattern.learn(root, choices, delta, text, out, event);
    }
  }

  /** State of the finish reason in the provider's stream. */
  private enum Finish {
    NONE,
    /** The finish came with content, and content followed an earlier finish. */
    DOUBTED,
    REPORTED
  }

  private Finish finishNow() {
    boolean empty = choice.isEmptyDelta();
    finishRefuted |= !empty && finish != Finish.NONE;
    if (choice.finishes()) {
      return finishRefuted && !empty ? Finish.DOUBTED : Finish.REPORTED;
    }
    return empty ? finish : Finish.NONE;
  }

  @Override
  public boolean endedBehind() {
    return finishedBehind && isBehind();
  }

  private boolean isBehind() {
    return deduplicator != null && deduplicator.isBehind();
  }

  @Override
  public void writeMissingFinish(ByteBuf out) {
    if (finish == Finish.NONE) {
      chunks.writeFinish(out);
    }
    finish = Finish.REPORTED;
  }

  @Override
  public void writeUsage(Usage charged, MicroUsd cost, ByteBuf out) {
    chunks.writeUsage(charged, cost, usage.text(charged), out);
  }

  @Override
  public BrokenStream broken(Fault fault, Usage charged, MicroUsd cost, ByteBuf out) {
    return chunks.broken(fault, charged, cost, usage.text(charged), out);
  }

  @Override
  public int keptBytes() {
    return chunks.keptBytes();
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
    return finish == Finish.REPORTED;
  }

  @Override
  public void release() {
    chunks.release();
  }
}
