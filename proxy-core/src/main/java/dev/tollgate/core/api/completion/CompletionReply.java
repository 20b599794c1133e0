package dev.tollgate.core.api.completion;

import dev.tollgate.core.api.ErrorShape;
import dev.tollgate.core.api.FinishReason;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ReplyUsage;
import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.UsageWriter;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.dialect.openai.OpenAiUsage;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.Optional;

/**
 * A provider's whole reply to a text completion request, read once and written in the client's
 * form.
 */
public final class CompletionReply implements WholeReply {
  static final String OBJECT = "text_completion";

  private final ReplyStamp stamp;
  private final JsonMembers root;
  private final int choicesAt;
  private final TextChoices choices;
  private final ReplyUsage usage;

  private CompletionReply(ReplyStamp stamp, JsonMembers root, int choicesAt, TextChoices choices) {
    this.stamp = stamp;
    this.root = root;
    this.choicesAt = choicesAt;
    this.choices = choices;
    this.usage = ReplyUsage.of(root, OpenAiUsage.FORMAT, stamp.contextLength());
  }

  public static Read read(ReplyStamp stamp, byte[] body, int length) {
    JsonMembers root;
    try {
      root = JsonMembers.of(body, 0, length);
    } catch (InvalidJson e) {
      return new Read.Malformed("the reply is not valid JSON");
    }
    if (ErrorShape.matches(root, "choices")) {
      return new Read.ErrorObject();
    }
    int at = root.indexOf("choices");
    if (at < 0 || root.kind(at) != JsonKind.ARRAY) {
      return new Read.Malformed("the reply has no choices");
    }
    var choices = new TextChoices(Integer.MAX_VALUE);
    return switch (choices.read(root, at)) {
      case FINE -> new Read.Fine(new CompletionReply(stamp, root, at, choices));
      case NONE, BAD -> new Read.Malformed("the reply's choices are not of a completion's shape");
      case FAILED -> new Read.ErrorObject();
    };
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return usage.counts();
  }

  @Override
  public long deliveredTokens() {
    return TokenEstimate.delivered(choices.pieces(), choices.textBytes());
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    new RootEdits(root, stamp)
        .reply(
            RootEdits.Identity.of(root, stamp, OBJECT),
            choicesAt,
            choices.edits(FinishReason.STOP),
            UsageWriter.json(charged, cost, usage.text()))
        .writeTo(out);
  }
}
