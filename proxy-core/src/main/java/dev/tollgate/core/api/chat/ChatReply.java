package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.ErrorShape;
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
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A provider's whole chat completion, read once and written in the client's form. */
public final class ChatReply implements WholeReply {
  private static final String OBJECT = "chat.completion";

  private final ReplyStamp stamp;
  private final JsonMembers root;
  private final int choicesAt;
  private final ReplyChoices choices;
  private final ReplyUsage usage;

  private ChatReply(ReplyStamp stamp, JsonMembers root, int choicesAt, ReplyChoices choices) {
    this.stamp = stamp;
    this.root = root;
    this.choicesAt = choicesAt;
    this.choices = choices;
    this.usage = ReplyUsage.of(root, OpenAiUsage.FORMAT, stamp.contextLength());
  }

  public static Read read(ReplyStamp stamp, byte[] body, int length) {
    return read(stamp, body, length, reply -> reply);
  }

  /**
   * Reads a whole reply.
   *
   * @param form creates the client's form of the reply
   */
  public static Read read(
      ReplyStamp stamp, byte[] body, int length, Function<ChatReply, WholeReply> form) {
    JsonMembers root;
    try {
      root = JsonMembers.of(body, 0, length);
    } catch (InvalidJson e) {
      return new Read.Malformed("the reply is not valid JSON");
    }
    if (ErrorShape.matches(root, "choices")) {
      return new Read.ErrorObject();
    }
    int choices = root.indexOf("choices");
    if (choices < 0 || root.kind(choices) != JsonKind.ARRAY) {
      return new Read.Malformed("the reply has no choices");
    }
    return switch (ReplyChoices.read(root.array(choices), stamp)) {
      case ReplyChoices.Result.Fine(var read) ->
          new Read.Fine(form.apply(new ChatReply(stamp, root, choices, read)));
      case ReplyChoices.Result.Malformed _ ->
          new Read.Malformed("the reply's choices are not of a completion's shape");
      case ReplyChoices.Result.Failed _ -> new Read.ErrorObject();
    };
  }

  /** Returns the first choice, repaired. */
  public JsonMembers choice() {
    JsonSplice edits = choices.firstEdits();
    if (edits == null) {
      return root.array(choicesAt).object(0);
    }
    ByteBuf repaired = Unpooled.buffer(edits.sizeBytes());
    edits.writeTo(repaired);
    return JsonMembers.ofKept(repaired.array());
  }

  /** Returns the provider's usage object; null if there is none. */
  public byte @Nullable [] usageObject() {
    return usage.text();
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return usage.counts();
  }

  @Override
  public long deliveredTokens() {
    return TokenEstimate.delivered(1, choices.contentBytes());
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    new RootEdits(root, stamp)
        .reply(
            RootEdits.Identity.of(root, stamp, OBJECT),
            choicesAt,
            choices.edits(),
            UsageWriter.json(charged, cost, usage.text()))
        .writeTo(out);
  }
}
