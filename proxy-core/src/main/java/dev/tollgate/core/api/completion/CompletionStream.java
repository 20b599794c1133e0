package dev.tollgate.core.api.completion;

import dev.tollgate.core.api.ChunkStream;
import dev.tollgate.core.api.FinishReason;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.api.SyntheticChunks;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.UsageWriter;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import dev.tollgate.core.sse.SseWriter;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Translator of one provider's stream of text completion chunks into the client's. It works like
 * that of a chat, but chunks have text instead of a delta, no role comes first, and several choices
 * may be interleaved.
 */
public final class CompletionStream extends ChunkStream {
  private final int choicesAsked;
  private final TextChoices choices;
  private final RootEdits edits;
  private final SyntheticChunks synthetic;
  private final BitSet begun = new BitSet();
  private final BitSet finished = new BitSet();
  private boolean contentSeen;
  private boolean endedByDone;
  private long pieces;
  private long textBytes;

  /**
   * @param choicesAsked number of choices that make the stream complete
   */
  public CompletionStream(ReplyStamp stamp, int choicesAsked) {
    super(stamp);
    this.choicesAsked = choicesAsked;
    this.choices = new TextChoices(choicesAsked);
    this.edits = new RootEdits(root, stamp);
    this.synthetic = SyntheticChunks.begun(stamp, CompletionReply.OBJECT);
  }

  @Override
  protected Step done(ByteBuf out) {
    return Step.DONE;
  }

  @Override
  protected Step chunk(int at, boolean hasUsage, ByteBuf out) {
    TextChoices.Verdict verdict = choices.read(root, at);
    droppedChoices(choices.others());
    return switch (verdict) {
      case BAD -> Step.BROKEN;
      case NONE -> Step.ABSORBED;
      case FAILED -> Step.FAILED;
      case FINE -> relay(at, hasUsage, out);
    };
  }

  private Step relay(int at, boolean hasUsage, ByteBuf out) {
    synthetic.take(root);
    boolean empty = choices.areEmpty();
    boolean finishes = choices.read().stream().anyMatch(TextChoices.Choice::finishes);
    if (empty && !finishes && (hasUsage || !contentSeen)) {
      return Step.ABSORBED; // usage only, or no content yet: another provider can still serve
    }
    contentSeen = true;
    pieces += choices.pieces();
    textBytes += choices.textBytes();
    choices.read().forEach(this::note);
    SseWriter.data(out, edits.chunk(synthetic.identityOfNext(), at, choices.edits(JsonBytes.NULL)));
    return Step.WROTE;
  }

  /** Records a choice's finish; more content of the choice revokes it. */
  private void note(TextChoices.Choice choice) {
    begun.set(choice.index());
    boolean ends = choice.finishes() || (!choice.carries() && finished.get(choice.index()));
    finished.set(choice.index(), ends);
  }

  @Override
  public void writeMissingFinish(ByteBuf out) {
    BitSet missing = (BitSet) begun.clone();
    missing.andNot(finished);
    if (begun.isEmpty()) {
      missing.set(0);
    }
    List<Object> finishes = new ArrayList<>();
    missing.stream().forEach(index -> finishes.add(finish(index)));
    if (!finishes.isEmpty()) {
      synthetic.write(JsonBytes.value(finishes), out);
    }
    endedByDone = true;
  }

  private static Map<String, Object> finish(int index) {
    Map<String, Object> choice = new LinkedHashMap<>();
    choice.put("index", index);
    choice.put("text", "");
    choice.put("logprobs", JsonBytes.NULL);
    choice.put("finish_reason", FinishReason.STOP);
    return choice;
  }

  @Override
  public void writeUsage(Usage charged, MicroUsd cost, ByteBuf out) {
    synthetic.writeUsage(UsageWriter.json(charged, cost, usage.text(charged)), out);
  }

  @Override
  public long deliveredTokens() {
    return TokenEstimate.delivered(pieces, textBytes);
  }

  @Override
  public boolean contentSeen() {
    return contentSeen;
  }

  @Override
  public boolean isWritten() {
    return contentSeen;
  }

  @Override
  public boolean finished() {
    return endedByDone || finished.cardinality() >= choicesAsked;
  }

  @Override
  public void release() {}
}
